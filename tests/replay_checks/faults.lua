-- tests/replay can fail: copies of recorded cases, each with one fault, must give `not ok` on the
-- lines that the fault touches and on no other. All copies are replayed in one go.
local source = os.getenv("top_srcdir") or "."
local build = os.getenv("top_builddir") or source .. "/build"
local vectors = source .. "/tests/vectors/"

local function shell(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function output_of(command)
  local pipe = assert(io.popen(command .. "; echo \"exit status $?\"", "r"))
  local text = pipe:read("a")
  pipe:close()
  return text, tonumber(text:match("exit status (%d+)\n$"))
end

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local folder = output_of("mktemp -d"):match("^[^\n]+")
local with_space = folder .. "/a folder"
os.execute("mkdir " .. shell(with_space) .. " " .. shell(folder .. "/empty"))

-- ---- the faults. Each names the lines that must fail: "f" forward, "b" backward, "fb" both,
-- "s" forward staged only, "t" backward staged only, "" none. Cases of codecs and formats by
-- themselves have one line: "f" or "".
local expected = {}

local function copy(name, of, fails, change_lua, change_bin)
  local lua, bin = read(vectors .. of .. ".lua"), read(vectors .. of .. ".bin")
  write(with_space .. "/" .. name .. ".lua", change_lua and change_lua(lua) or lua)
  bin = change_bin and change_bin(bin, load(lua)()) or bin
  if bin ~= "" then
    write(with_space .. "/" .. name .. ".bin", bin)
  end
  local op = of:match("^[^/]+")
  expected[#expected + 1] =
    {name = name, fails = fails, op = op, alone = op == "codec" or op == "format"}
end

local function byte_xor(text, at, mask) -- at: from 0
  return text:sub(1, at) .. string.char(text:byte(at + 1) ~ mask) .. text:sub(at + 2)
end

-- Flips a bit of the last element of a rank's tensor: in the byte with sign and upper exponent.
local function flip(tensor_name, rank)
  local sizes = {f32 = 4, f16 = 2, bf16 = 2, u8 = 1}
  return function(bin, case)
    for _, tensor in ipairs(case.tensors) do
      if tensor.name == tensor_name and tensor.rank == rank then
        local count = 1
        for _, extent in ipairs(tensor.shape) do
          count = count * extent
        end
        assert(count > 0)
        return byte_xor(bin, tensor.offset + count * sizes[tensor.dtype] - 1, 0x04)
      end
    end
    error("no tensor " .. tensor_name)
  end
end

-- Flips a bit of the first byte of a tensor, that of a code.
local function flip_first(tensor_name, rank)
  return function(bin, case)
    for _, tensor in ipairs(case.tensors) do
      if tensor.name == tensor_name and tensor.rank == rank then
        return byte_xor(bin, tensor.offset, 0x02)
      end
    end
    error("no tensor " .. tensor_name)
  end
end

-- Sets the first element of an integer tensor of rank 0.
local function set(tensor_name, format, value)
  return function(bin, case)
    for _, tensor in ipairs(case.tensors) do
      if tensor.name == tensor_name and tensor.rank == 0 then
        local bytes = string.pack(format, value)
        return bin:sub(1, tensor.offset) .. bytes .. bin:sub(tensor.offset + #bytes + 1)
      end
    end
  end
end

local function edit(from, to)
  return function(lua)
    local start, stop = lua:find(from, 1, true)
    return lua:sub(1, assert(start) - 1) .. to .. lua:sub(stop + 1)
  end
end

local function replace_by(text)
  return function()
    return text
  end
end

local POOLED = "pooled_reduce_scatter/w2-ragged-fp16_bf16"
local SCALED = "vbe_reduce_scatter/w4-bf16_ls"
local SEQUENCE = "sequence_all_to_all/w3-ragged-fp16_bf16"
local TABLES = "pooled_all_to_all/w3-ragged-fp16_bf16"
local VARIABLE = "vbe_all_to_all/w3-fp16_bf16"
local GATHER = "pooled_all_gather/w2-fp16_bf16"
local LISTS = "sequence_all_to_all/w3-tw-fp16"
local SHORT = {
  [POOLED] = "pooled", [SCALED] = "vbe", [SEQUENCE] = "sequence", [TABLES] = "tables",
  [VARIABLE] = "variable", [GATHER] = "gather", [LISTS] = "lists",
}
for _, of in ipairs({POOLED, SCALED, SEQUENCE, TABLES, VARIABLE, GATHER, LISTS}) do
  local short = SHORT[of]
  local rank = (of == SCALED or of == TABLES or of == LISTS) and 2 or 1
  copy(short .. "-sound", of, "")
  copy(short .. "-input", of, "f", nil, flip("local_embs", rank))
  copy(short .. "-output", of, "f", nil, flip("output", rank))
  copy(short .. "-forward-wire", of, "f", nil, flip("fwd_send", rank))
  copy(short .. "-gradient-input", of, "b", nil, flip("grad_output", rank))
  copy(short .. "-gradient", of, "b", nil, flip("grad_local_embs", rank))
  copy(short .. "-backward-wire", of, "b", nil, flip("bwd_send", rank))
end
-- Codecs of groups. Results are held to inputs and recorded results, never to the recorded wire,
-- which is compared where rows are packed, and with the same groups.
local GROUPS = {
  {"variable-int8", "vbe_all_to_all/w2-int8", "st"},
  {"variable-mx4", "vbe_all_to_all/w2-mx4", "st"},
  {"variable-fp8", "vbe_all_to_all/w2-fp8_4", ""},
  {"tables-int8", "pooled_all_to_all/w2-ragged-int8", "st"},
  {"rowspan", "pooled_all_to_all/w2-rowspan-int8", ""},
  {"padded", "pooled_all_to_all/w2-pad-mx4_fp16", "s"},
  {"rows-int8", "sequence_all_to_all/w3-ragged-int8_fp16", "s"},
  {"rows-mx4", "sequence_all_to_all/w3-even-mx4_4", "st"},
  {"rows-fp8", "sequence_all_to_all/w2-even-fp8_8_4", ""},
}
for _, group in ipairs(GROUPS) do
  local name, of, wire = group[1], group[2], group[3]
  copy(name .. "-sound", of, "")
  copy(name .. "-input", of, "f", nil, flip("local_embs", 1))
  copy(name .. "-output", of, "f", nil, flip("output", 1))
  copy(name .. "-gradient-input", of, "b", nil, flip("grad_output", 1))
  copy(name .. "-gradient", of, "b", nil, flip("grad_local_embs", 1))
  if wire:find("s", 1, true) then
    copy(name .. "-forward-code", of, "s", nil, flip_first("fwd_send", 0))
    copy(name .. "-forward-scale", of, "s", nil, flip("fwd_send", 1))
  end
  if wire:find("t", 1, true) then
    copy(name .. "-backward-code", of, "t", nil, flip_first("bwd_send", 0))
    copy(name .. "-backward-scale", of, "t", nil, flip("bwd_send", 1))
  end
end
local ROUNDED = "sequence_all_to_all/w2-even-mx4_8"
copy("rounding", ROUNDED, "fb", edit('mx4_rounding_mode = "even"', 'mx4_rounding_mode = "odd"'))
copy("other-rounding", "sequence_all_to_all/w2-even-mx4_floor", "fb",
  edit('mx4_rounding_mode = "floor"', 'mx4_rounding_mode = "ceil"'))
copy("odd-group", ROUNDED, "fb", edit("mx4_quantize_dim = 8", "mx4_quantize_dim = 7"))
copy("group-size", ROUNDED, "fb", edit("mx4_quantize_dim = 8", "mx4_quantize_dim = 4"))
copy("no-group", "vbe_all_to_all/w2-fp8_4", "fb", edit("fp8_quantize_dim = 4", "fp8_dim = 4"))
copy("split-group", SEQUENCE, "fb", edit('forward_codec = "fp16"', 'forward_codec = "int8"'))
copy("summed-int8", POOLED, "fb", edit('forward_codec = "fp16"', 'forward_codec = "int8"'))
-- Codecs and formats by themselves.
copy("alone-sound", "codec/mx4_g8", "")
copy("alone-input", "codec/mx4_g8", "f", nil, flip("normal.input"))
copy("alone-code", "codec/int8", "f", nil, flip_first("normal.encoded"))
copy("alone-decoded", "codec/int8", "f", nil, flip("rows.decoded"))
copy("alone-unknown", "codec/fp16", "f", edit('codec = "fp16"', 'codec = "fp17"'))
copy("fp8_e4m3", "format/fp8_e4m3", "f", nil, flip_first("encoded"))
copy("fp8_e5m2", "format/fp8_e5m2", "")
copy("fp8_e6m1", "format/fp8_e5m2", "f")
-- A row that no output names is on the wire all the same.
copy("omitted-wire", "sequence_all_to_all/w2-omit-bf16", "s", nil, flip("fwd_send", 1))
copy("it's #1 \"odd\" \\name", SEQUENCE, "")
copy("truncated", SEQUENCE, "fb", nil, function(bin) return bin:sub(1, #bin // 2) end)
copy("no bin", SEQUENCE, "fb", nil, replace_by(""))
copy("permute", SEQUENCE, "fb", nil, set("unbucketize_permute", "<i8", 1 << 40))
copy("lengths", SEQUENCE, "fb", nil, set("lengths_after_input_dist", "<i4", 1000))
copy("negative-length", SEQUENCE, "fb", nil, set("lengths_after_input_dist", "<i4", -1))
copy("splits", SEQUENCE, "fb", edit("output_splits = {", "output_splits = {1, "))
copy("dims", SEQUENCE, "fb", edit("embedding_dims = {", "embedding_dims = {7, "))
copy("columns", TABLES, "fb",
  edit("dim_sum_per_rank = {8, 32, 6}", "dim_sum_per_rank = {8, 31, 7}"))
copy("no-columns", TABLES, "fb", edit("dim_sum_per_rank", "dims"))
copy("negative-columns", TABLES, "fb", edit("dim_sum_per_rank = {", "dim_sum_per_rank = {-"))
copy("variable-dims", VARIABLE, "fb",
  edit("emb_dim_per_rank_per_feature = {{", "emb_dim_per_rank_per_feature = {{1, "))
copy("variable-batch", VARIABLE, "fb",
  edit("batch_per_feature_per_dest = {{", "batch_per_feature_per_dest = {{5"))
copy("gathered-batch", GATHER, "fb",
  edit("batch_size_per_rank = {3, 3}", "batch_size_per_rank = {3, 4}"))
copy("shares", LISTS, "fb", edit("features_per_rank = {2, 0, 1}", "features_per_rank = {1, 1, 1}"))
copy("too-few-shares", LISTS, "fb",
  edit("features_per_rank = {2, 0, 1}", "features_per_rank = {2, 0, 0}"))
copy("sharding", LISTS, "fb", edit('sharding = "tw"', 'sharding = "cw"'))
copy("no-dims", POOLED, "fb", edit("embedding_dims", "dims"))
copy("huge-shape", POOLED, "fb", edit("shape = {", "shape = {1099511627776, 1099511627776, "))
copy("batch", POOLED, "fb", edit("batch_size_per_rank = {", "batch_size_per_rank = {-1, "))
copy("op", POOLED, "fb", edit('op = "', 'op = "un'))
copy("codec", POOLED, "fb", edit('forward_codec = "', 'forward_codec = "x'))
copy("scale", SCALED, "fb", edit("forward_loss_scale = ", "forward_loss_scale = -"))
copy("syntax", POOLED, "fb", replace_by("return {"))
copy("bytecode", POOLED, "fb", replace_by(string.dump(load("return {}"))))
copy("number", POOLED, "fb", replace_by("return 1"))
copy("endless", POOLED, "fb", replace_by("while true do end"))
copy("memory", POOLED, "fb", replace_by(
  "local s = 'x' for _ = 1, 40 do s = s .. s end return {}"))
copy("reaches-out", POOLED, "fb", replace_by("os.exit(0)"))

-- ---- one run over all of them
local replay = "EMBDIST_BUILD=" .. shell(build) .. " " .. shell(source .. "/tests/replay") .. " "
local text, status = output_of(replay .. shell(folder))

local number = 0
local function ok(good, what, ...)
  number = number + 1
  print((good and "ok " or "not ok ") .. number .. " - " .. what)
  if not good then
    print("# " .. table.concat({...}, " "):gsub("\n", "\n# "))
  end
end

-- The TAP lines of a case: "forward in_place" = "ok" or "not ok"; and the comments below them.
local function results(name)
  local found, comments, current = {}, {}, nil
  for line in text:gmatch("[^\n]+") do
    local result, title, direction = line:match("^(.-) %d+ %- (.*) (%l+ward [%l_]+)$")
    if not result then
      result, title = line:match("^(.-) %d+ %- (.*)$")
      direction = "alone"
    end
    if result then
      current = title:gsub("^[^/]*/", ""):gsub("\\#", "#") == name and direction or nil
      if current then
        found[current] = result
      end
    elseif current then
      comments[current] = (comments[current] or "") .. line .. "\n"
    end
  end
  return found, comments
end

local lines = 0
for _, case in ipairs(expected) do
  lines = lines + (case.alone and 1 or 4)
end

print("1.." .. #expected + 14)
for _, case in ipairs(expected) do
  local found, comments = results(case.name)
  local good, told = true, true
  if case.alone then
    good = found.alone == (case.fails == "" and "ok" or "not ok")
    told = case.fails == "" or (comments.alone or ""):find("^# .+\n") ~= nil
  end
  local first = comments["forward in_place"] or ""
  local malformed = first ~= "" and not first:find("faults in all", 1, true) -- told once
  for direction, letter in pairs(case.alone and {} or {forward = "f", backward = "b"}) do
    for _, way in ipairs({"in_place", "staged"}) do
      local line = direction .. " " .. way
      local fails = case.fails:find(letter, 1, true) ~= nil or
        case.fails == "s" and line == "forward staged" or
        case.fails == "t" and line == "backward staged"
      good = good and found[line] == (fails and "not ok" or "ok")
      told = told and (not fails or malformed or (comments[line] or ""):find("^# .+\n") ~= nil)
    end
  end
  ok(good and told, "fault: " .. case.name:gsub("#", "\\#"), "expected to fail:", case.fails,
    "got:", text)
end

local function comment(name, line)
  local _, comments = results(name)
  return comments[line] or ""
end
ok(comment("sequence-forward-wire", "forward staged"):find("wire, element %d+: expected"),
  "a wrong wire row is told as such")
ok(comment("pooled-output", "forward staged"):find("rank 1, output, element %d+: expected .* %(0x"),
  "a wrong output is told with rank, element and bits")
ok(comment("truncated", "forward in_place"):find("bytes into the .bin, which has"),
  "a truncated .bin is told")
ok(comment("permute", "forward in_place"):find("unbucketize_permute[0] of rank 0", 1, true),
  "an index out of range is told")
ok(comment("truncated", "backward staged") == "", "and told once")
local _, wrong = text:gsub("\nnot ok ", "")
local _, skipped = text:gsub("\nok [^\n]*# SKIP", "")
local right = lines - wrong - skipped
local summary = ("%d ok, %d skipped, %d not ok"):format(right, skipped, wrong)
ok(text:find("\n# " .. summary .. "\nexit status", 1, true) and wrong > 0, "the last line sums up",
  "expected", summary, "got", text:match("[^\n]*\nexit.*"))
ok(status == 1, "exit status of a run with faults is 1", "got", tostring(status))
ok(text:match("^1%.%.(%d+)\n") == tostring(lines), "the plan comes first", text)

-- ---- what cannot be done at all
local function refused(what, command, sentence)
  local said, code = output_of(command .. " 2>&1")
  ok(code ~= 0 and not said:find("^ok ") and not said:find("\nok ") and
    said:find(sentence, 1, true), what, "expected", sentence, "got", said)
end
refused("an empty folder", replay .. shell(folder .. "/empty"), "no case found")
refused("a path that is not there", replay .. shell(folder .. "/none"), "does not exist")
write(folder .. "/there.lua", "return {}")
refused("a path without its .lua", replay .. shell(folder .. "/there"),
  "there does not exist; did you mean ")
refused("no path", replay, "usage:")
refused("an unknown option", replay .. "--fast " .. shell(folder), "unknown option --fast")
refused("no library", "EMBDIST_BUILD=/nowhere " .. shell(source .. "/tests/replay") .. " " ..
  shell(folder), "run tools/check")

os.execute("rm -rf " .. shell(folder))
