-- What the PDF leaves out: the logs of the sections, which are on the pages. Each begins with a
-- heading named sec-log-…; what links or refers to one keeps its words. kvreport/render/pdf.py does the same.
local LOG = "^sec%-log"

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
  local printed, titles, log = pandoc.Blocks({}), {}, false
  for _, block in ipairs(document.blocks) do
    if block.t == "Header" and block.level == 1 then
      log = block.identifier:match(LOG) ~= nil
      titles[block.identifier] = log and block.content or nil
    end
    if not log then
      printed:insert(block)
    end
  end
  document.blocks = printed:walk({
    Plain = plain,
    Link = function(link)
      local name = link.target:match("#(.*)$")
      if name and name:match(LOG) then
        return link.content
      end
    end,
    Cite = function(cite)
      return titles[cite.citations[1].id]
    end,
  })
  return document
end
