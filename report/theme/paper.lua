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

-- What begins a heading, a list or a term in Typst: where a cell or an item begins with it, pandoc
-- leaves it as it is.
local OPENING = { "^=+$", "^[-+/]$", "^%d+%.$" }

local function plain(element)
  local first = element.content[1]
  if not first or first.t ~= "Str" then
    return nil
  end
  for _, pattern in ipairs(OPENING) do
    if first.text:match(pattern) then
      element.content[1] = pandoc.RawInline("typst", (first.text:gsub("[=%-+/.]", "\\%0")))
      return element
    end
  end
end

function Pandoc(document)
  local printed, titles, title = pandoc.Blocks({}), {}, nil
  local function remember(element)
    titles[element.identifier] = title
  end
  for _, block in ipairs(document.blocks) do
    if block.t == "Header" and block.level == 1 then
      title = is_left_out(block.identifier) and block.content or nil
    end
    if title then
      pandoc.Blocks({ block }):walk({ Header = remember, Div = remember })
    else
      printed:insert(block)
    end
  end
  document.blocks = printed:walk({
    Plain = plain,
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
