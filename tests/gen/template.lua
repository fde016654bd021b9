-- Templates: names, control lines, messages, #line directives.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
require("generator")
local tap = require("tap")
local render = require("template").render

local function message_of(...)
    local done, message = pcall(render, ...)
    tap.ok(not done, "no error")
    return message
end

tap.run {
    {"names are replaced by texts and whole numbers", function()
        tap.equal("int dim_128 = 128;\n",
            render("int $name$_$codelet.dim$ = $codelet.dim$;\n", "t.tmpl",
                {name = "dim", codelet = {dim = 128}}))
    end},
    {"a dollar without a name is text", function()
        tap.equal("a $ b $1$ \\n %d \"q\"\n", render("a $ b $1$ \\n %d \"q\"\n", "t.tmpl", {}))
    end},
    {"control lines repeat and choose lines, at any indentation", function()
        tap.equal("begin\n    x = 2;\n    x = 3;\nend\n", render([[
begin
    //% for _, row in ipairs(rows) do
//% if row.shown then
    x = $row.x$;
//% end
  //% end
end
]], "t.tmpl", {rows = {{x = 2, shown = true}, {x = 5, shown = false}, {x = 3, shown = true}}}))
    end},
    {"a line that names a value becomes its lines, at any indentation", function()
        tap.equal("a\n b\nc\nd // $ e\n", render("    //$ text\n//$ row.c\nd // $ e\n", "t.tmpl",
            {text = "a\n b", row = {c = "c"}}))
    end},
    {"an unknown name on such a line names template and line", function()
        tap.equal("t.tmpl:2: unknown name 'txet'", message_of("a\n//$ txet\n", "t.tmpl", {}))
    end},
    {"a last line without a newline gets one", function()
        tap.equal("a\nb\n", render("a\nb", "t.tmpl", {}))
    end},
    {"an empty template makes an empty text", function()
        tap.equal("", render("", "t.tmpl", {}))
    end},
    {"an unknown name names template and line", function()
        tap.equal("t.tmpl:3: unknown name 'dmi'", message_of("a\n\nb $dmi$\n", "t.tmpl", {dim = 1}))
    end},
    {"an unknown field names template and line", function()
        tap.equal("t.tmpl:2: 'codelet.dmi' should be a text or a whole number of the plan, "
            .. "and is missing", message_of("a\n$codelet.dmi$\n", "t.tmpl", {codelet = {dim = 1}}))
    end},
    {"an unknown name in a control line names template and line", function()
        tap.equal("t.tmpl:2: unknown name 'isas'",
            message_of("a\n//% for _, isa in ipairs(isas) do\n//% end\n", "t.tmpl", {}))
    end},
    {"a value that is no text and no whole number is an error", function()
        tap.equal("t.tmpl:1: 'x' should be a text or a whole number of the plan, and is a float",
            message_of("$x$\n", "t.tmpl", {x = 0.5}))
    end},
    {"a wrong control line names template and line", function()
        tap.ok(message_of("a\nb\n//% for do\n", "t.tmpl", {}):find("^t%.tmpl:3: "), "no line 3")
    end},
    {"a template gets nothing but ipairs and the names", function()
        tap.equal("t.tmpl:1: unknown name 'os'", message_of("//% os.exit(1)\n", "t.tmpl", {}))
    end},
    {"#line directives follow jumps and values of several lines", function()
        tap.equal([[
#line 1 "t.tmpl"
a
b
c
#line 2 "t.tmpl"
d
#line 4 "t.tmpl"
e1
#line 4 "t.tmpl"
e2
#line 6 "t.tmpl"
f
]], render("$abc$\nd\n//% for _, e in ipairs(es) do\n$e$\n//% end\nf\n", "t.tmpl",
            {abc = "a\nb\nc", es = {"e1", "e2"}}, true))
    end},
}
