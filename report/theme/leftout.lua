-- What the PDF leaves out: the logs of the sections and the details of the methodology, which are on
-- the pages. Each begins with a heading named sec-log-… or sec-details-…; what links or refers to one,
-- or to something in it, keeps its words. kvreport/render/pdf.py does the same.
local LEFT_OUT = { "^sec%-log", "^sec%-details" }

local function is_left_out(name)
  for _, pattern in ipairs(LEFT_OUT) do
    if name:match(pattern) then
      return true
    end
  end
  return false
end

function Pandoc(document)
  local printed, titles, title = pandoc.Blocks({}), {}, nil
  local function remember(element)
    if element.identifier ~= "" then
      titles[element.identifier] = title
    end
  end
  for _, block in ipairs(document.blocks) do
    if block.t == "Header" and block.level == 1 then
      title = is_left_out(block.identifier) and block.content or nil
    end
    if title and block.t ~= "RawBlock" then -- of which Quarto keeps its own remarks
      pandoc.Blocks({ block }):walk({ Header = remember, Div = remember })
    else
      printed:insert(block)
    end
  end
  document.blocks = printed:walk({
    Link = function(link)
      local name = link.target:match("#(.*)$")
      if name and titles[name] then
        return link.content
      end
    end,
    Cite = function(cite)
      return titles[cite.citations[1].id]
    end,
  })
  return document
end
