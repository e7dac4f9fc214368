-- What begins a heading, a list or a term in Typst: where a cell or an item begins with it, pandoc
-- leaves it as it is.
local OPENING = { "^=+$", "^[-+/]$", "^%d+%.$" }

function Plain(element)
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
