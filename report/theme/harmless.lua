-- Takes out what could act on a page or in the PDF, whoever wrote it: of raw HTML the charts' own
-- scripts and comments stay, of raw Typst nothing, of links those of the web and of the book. Both
-- engines read by it; what it does for Quarto's other filters it leaves where there is none.
local SCHEMES = { http = true, https = true, mailto = true }
local SCRIPT = '<script src="%sreport/theme/%s.js">' -- seen from the first page, and from a chapter's
local DATA = '^<script type="application/json" id="kv%-([a-z]+)">[^<]*'
local HELD = { charts = true, chooser = true }
local ACTIVE = { style = true, src = true, href = true, action = true, formaction = true }

-- what Quarto makes of a terminal's colours
local function is_print(html)
  local rest = html:gsub("</?pre>", ""):gsub("</?code>", "")
  return not rest:gsub('<span class="[%w -]*">', ""):gsub("</span>", ""):find("<", 1, true)
end

local function is_ours(html)
  html = html:match("^%s*(.-)%s*$")
  for _, name in ipairs({ "vega", "stores", "charts", "tables", "ranking", "chooser" }) do
    for _, book in ipairs({ "", "../../" }) do
      local script = SCRIPT:format(book, name)
      if html == script or html == script .. "</script>" then
        return true
      end
    end
  end
  local comment = html:sub(1, 4) == "<!--" and html:find("-->", 5, true) == #html - 2
  local data = html:match(DATA .. "$") or html:match(DATA .. "</script>$")
  return html == "</script>" or comment or HELD[data] or quarto and is_print(html)
end

local function raw(element)
  if element.format ~= "html" or not is_ours(element.text) then
    return {}
  end
end

local function calm(element)
  for name in pairs(element.attributes) do
    if ACTIVE[name:lower()] or name:lower():match("^on") then
      element.attributes[name] = nil
    end
  end
  return element
end

-- a cell's name in its notebook is none on the page, where a heading may have the same
local function division(element)
  local label = element.identifier:match("^fig%-") or element.identifier:match("^tbl%-")
  if element.classes:includes("cell") and not label then
    element.identifier = ""
  end
  return calm(element)
end

-- what is printed is no shortcode: Quarto would fill in one that data hold
local function print_as_it_is(element)
  if quarto then
    element.attributes.shortcodes = "false"
  end
  return calm(element)
end

-- every page has tables that sort, with figures or without; a page in a folder of its own needs the
-- way back to the book's
local function with_tables(document)
  if quarto and quarto.doc.is_format("html") then
    local book = quarto.project.offset or "."
    local script = SCRIPT:format(book == "." and "" or book .. "/", "tables")
    document.blocks:insert(pandoc.RawBlock("html", script .. "</script>"))
  end
  return document
end

local function link(element)
  local scheme = element.target:match("^(%a[%w+.-]*):")
  if scheme and not SCHEMES[scheme:lower()] then
    return element.content
  end
  return calm(element)
end

-- A table whose cells are plain, as its HTML: Quarto's hundred filters would each walk through every
-- cell, for most of the time that a page takes. Its classes are those that Quarto gives a table. One
-- with a caption of its own is left to Quarto, which numbers it.
local NOT_PLAIN = { "Cite", "Math", "Note", "RawBlock", "RawInline", "Image" }

local function is_plain(element)
  local plain, looked = true, {}
  for _, kind in ipairs(NOT_PLAIN) do
    looked[kind] = function()
      plain = false
    end
  end
  element:walk(looked)
  return plain
end

local function forgotten(code) -- what print_as_it_is noted for Quarto's filters
  code.attributes.shortcodes = nil
  return code
end

local function as_html(element)
  local captioned = #element.caption.long > 0 or element.identifier ~= ""
  if not FORMAT:match("^html") or captioned or not is_plain(element) then
    return nil
  end
  local document = pandoc.Pandoc({ element:walk({ Code = forgotten }) })
  local html = pandoc.write(document, "html", { wrap_text = "none" })
  html = html:gsub("^<table", '<table class="caption-top" data-quarto-disable-processing="true"', 1)
  html = html:gsub("(<tbody>%s*<tr)>", '%1 class="odd">', 1)
  return pandoc.RawBlock("html", html)
end

local function of_cell(element)
  if element.classes:includes("cell") then
    return element:walk({
      RawBlock = function(block)
        block.text = block.text:gsub('^<table class="caption', '<table class="cell caption', 1)
        return block
      end,
    })
  end
end

return {
  {
    RawBlock = raw,
    RawInline = raw,
    Link = link,
    Div = division,
    Span = calm,
    Image = calm,
    Code = print_as_it_is,
    CodeBlock = print_as_it_is,
    Header = calm,
  },
  { Table = as_html },
  { Div = of_cell },
  { Pandoc = with_tables },
}
