-- emit.lua: makes the texts of all files of a plan. It decides nothing and writes nothing.

local template = require("template")

local M = {}

-- The generated files, a list of {name, text}. `templates` has the text and the path of each
-- template by its name: {text =, path =}. With `line_directives`, compilers name the templates.
function M.files(plan, templates, line_directives)
    local files = {}
    for i, file in ipairs(plan.files) do
        local source = templates[file.template]
        local names = plan
        if file.codelet then
            names = {codelet = file.codelet, isas = plan.isas, banner = file.codelet.banner}
        end
        files[i] = {
            name = file.name,
            text = template.render(source.text, source.path, names, line_directives),
        }
    end
    return files
end

return M
