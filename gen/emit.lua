-- emit.lua: makes the texts of all files of a plan. It decides nothing and writes nothing.

local template = require("template")

local M = {}

-- The generated files, a list of {name, text}: each the texts of its templates, one after another.
-- `templates` has the text and the path of each template by its name: {text =, path =}. With
-- `line_directives`, compilers name the templates.
function M.files(plan, templates, line_directives)
    local files = {}
    for i, file in ipairs(plan.files) do
        local names = plan
        if file.codelet then
            names = {
                codelet = file.codelet,
                codec = file.codelet.codec,
                rows = file.codelet.rows,
                isas = plan.isas,
                banner = file.codelet.banner,
            }
        end
        local texts = {}
        for j, name in ipairs(file.templates) do
            local source = templates[name]
            texts[j] = template.render(source.text, source.path, names, line_directives)
        end
        files[i] = {name = file.name, text = table.concat(texts)}
    end
    return files
end

return M
