-- What the PDF leaves out: the logs of the sections, which are on the pages. Each begins with a
-- heading named sec-log-…; what links or refers to one keeps its words. kvreport/render/pdf.py does the same.
local LOG = "^sec%-log"

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
