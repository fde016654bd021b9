-- tables.lua: what the cases become: the text of one spec, of the table of cases (cases.c) and of
-- the table of dists (dists.c). Text only; main.lua writes it.
local M = {}

-- A C string literal: everything but plain characters is octal.
local function c_string(text)
  if text == nil then
    return "NULL"
  end
  return '"' .. text:gsub("[^%w_./ =,:;()%-]", function(character)
    return ("\\%03o"):format(character:byte())
  end) .. '"'
end

-- Text that stays on its TAP line: no control characters, and no # that would start a directive.
local function line_text(text)
  return text and text:gsub("%c", "?"):gsub("#", "\\#")
end

local function scale_text(scale)
  return scale and ("%.17g"):format(scale)
end

local function codec_key(codec)
  return table.concat({codec.codec, scale_text(codec.loss_scale) or "1", codec.group or 0,
    codec.scale_rounding or ""}, "*")
end

local function shape_key(shape)
  return table.concat({shape.kind, table.concat(shape.dims, ","),
    table.concat(shape.owners or {}, ","), codec_key(shape.forward),
    codec_key(shape.backward), shape.gradient}, " ")
end

-- The different shapes, in the order in which cases name them; gives every case its shape's number.
function M.shapes(cases)
  local shapes, numbers = {}, {}
  for _, case in ipairs(cases) do
    if case.shape then
      local key = shape_key(case.shape)
      if not numbers[key] then
        shapes[#shapes + 1] = case.shape
        numbers[key] = #shapes
      end
      case.shape_number = numbers[key]
    end
  end
  return shapes
end

local function spec_codec(codec)
  local fields = {('codec = "%s"'):format(codec.codec)}
  local function put(format, value)
    if value then
      fields[#fields + 1] = format:format(value)
    end
  end
  put("loss_scale = %s", scale_text(codec.loss_scale))
  put("group = %d", codec.group)
  put('scale_rounding = "%s"', codec.scale_rounding)
  return "{ " .. table.concat(fields, ", ") .. " }"
end

function M.spec(shapes)
  local out = {'return { name = "vectors", dists = {\n'}
  for number, shape in ipairs(shapes) do
    out[#out + 1] = ('  { name = "d%d", kind = "%s", dims = { %s },\n'):format(number, shape.kind,
      table.concat(shape.dims, ", "))
    out[#out + 1] = ('    forward = %s, backward = %s,\n'):format(spec_codec(shape.forward),
      spec_codec(shape.backward))
    out[#out + 1] = ('    gradient = "%s" },\n'):format(shape.gradient)
  end
  out[#out + 1] = "} }\n"
  return table.concat(out)
end

-- The functions of a mode, forward and backward, as a member of replay_dist.
local function functions(name, mode, suffix)
  return ("     .%s = {%s_forward%s, %s_backward%s},\n"):format(mode, name, suffix, name, suffix)
end

function M.dists(shapes)
  if #shapes == 0 then
    return '#include "dists.h"\n\nconst replay_dist replay_dists[1];\n'
  end
  local out = {'#include "dists.h"\n#include "vectors.h"\n\nconst replay_dist replay_dists[] = {\n'}
  for number, shape in ipairs(shapes) do
    local name = "vectors_d" .. number
    out[#out + 1] = ("    {.descriptor = &%s,\n"):format(name)
    if shape.kind:find("sequence", 1, true) then
      out[#out + 1] = functions(name, "sequence", "")
    else
      for _, mode in ipairs({"even", "ragged", "per_feature"}) do
        out[#out + 1] = functions(name, mode, "_" .. mode)
      end
    end
    out[#out + 1] = "    },\n"
  end
  out[#out + 1] = "};\n"
  return table.concat(out)
end

local FORMATS = {
  fp32 = "REFERENCE_FP32", fp16 = "REFERENCE_FP16", bf16 = "REFERENCE_BF16",
  int8 = "REFERENCE_INT8", fp8_e4m3 = "REFERENCE_FP8_E4M3", fp8_e5m2 = "REFERENCE_FP8_E5M2",
  mx4 = "REFERENCE_MX4",
}
-- The numbers of embdist_mx4_options.
local SCALE_ROUNDINGS = {even = 0, floor = 1, ceil = 2, nearest = 3}
local PEERS = {
  int8 = "PEER_INT8", fp8_143 = "PEER_FP8_143", fp8_152 = "PEER_FP8_152", mx4 = "PEER_MX4",
}

local KINDS = {
  rw_pooled = "RECORDED_REDUCED", rw_sequence = "RECORDED_MOVED", tw_pooled = "RECORDED_MOVED",
  tw_sequence = "RECORDED_MOVED", all_gather = "RECORDED_GATHERED",
}

-- Without a group, that of the spec's default.
local function c_codec(codec)
  return ("{.format = %s, .loss_scale = (float)%s, .group = %d, .scale_rounding = %d}"):format(
    FORMATS[codec.codec], scale_text(codec.loss_scale) or "0",
    codec.group or (codec.codec == "mx4" and 32 or 0),
    SCALE_ROUNDINGS[codec.scale_rounding or "even"])
end

local function c_peer(peer)
  if not peer then
    return "{PEER_NONE, 0, 0, 0}"
  end
  return ("{%s, %d, %d, %d}"):format(PEERS[peer.format], peer.group, peer.bytes,
    peer.padded and 1 or 0)
end

local function c_tensor(tensor)
  return tensor and ("{%d, %d}"):format(tensor.offset, tensor.count) or "{0, -1}"
end

local function c_tensors(pair)
  return ("{%s, %s}"):format(c_tensor(pair[1]), c_tensor(pair[2]))
end

local function c_numbers(numbers)
  return "(const int64_t[]){" .. table.concat(numbers, ", ") .. "}"
end

local function c_rank(rank)
  local out = {("{.input = %s, .output = %s, .send = %s, .lengths = %s, .permute = %s"):format(
    c_tensors(rank.input), c_tensors(rank.output), c_tensors(rank.send), c_tensor(rank.lengths),
    c_tensor(rank.permute))}
  if rank.send_rows then
    out[#out + 1] = ", .send_rows = " .. c_numbers(rank.send_rows)
    out[#out + 1] = ", .recv_rows = " .. c_numbers(rank.recv_rows)
  end
  return "    " .. table.concat(out) .. "},\n"
end

-- How the programs that do cases of codecs and formats call a case.
function M.alone_name(i, case)
  return case.op .. "/" .. (case.op == "format" and case.base or "c" .. i)
end

-- For each such case its name there, and its path without .lua; all ended by NUL.
function M.alone(cases)
  local out = {}
  for i, case in ipairs(cases) do
    if case.path and not case.skip and not case.broken then
      out[#out + 1] = M.alone_name(i, case) .. "\0" .. case.path:gsub("%.lua$", "") .. "\0"
    end
  end
  return table.concat(out)
end

local MODES = {
  even_or_ragged = "RECORDED_RAGGED", per_feature = "RECORDED_PER_FEATURE",
  sequence = "RECORDED_SEQUENCE",
}

function M.cases(cases, shapes)
  local out = {'#include "recorded.h"\n\n'}
  local function put(...)
    out[#out + 1] = string.format(...)
  end
  if #shapes > 0 then
    put("static const recorded_shape shapes[] = {\n")
  end
  for number, shape in ipairs(shapes) do
    put("    {%d, %s, %d, %s, %s, {%s, %s}, %d},\n", number - 1, KINDS[shape.kind], #shape.dims,
      c_numbers(shape.dims), shape.owners and c_numbers(shape.owners) or "NULL",
      c_codec(shape.forward), c_codec(shape.backward), shape.gradient == "mean" and 1 or 0)
  end
  put(#shapes > 0 and "};\n\n" or "")
  for i, case in ipairs(cases) do
    if case.shape then
      put("static const recorded_rank ranks_%d[] = {\n", i)
      for _, rank in ipairs(case.ranks) do
        out[#out + 1] = c_rank(rank)
      end
      put("};\n\n")
    end
  end
  put("const recorded_case recorded_cases[] = {\n")
  for i, case in ipairs(cases) do
    put("    {.name = %s, .skip = %s, .broken = %s, .without_directions = %d, .alone = %s",
      c_string((line_text(case.op .. "/" .. case.name))), c_string(case.skip),
      c_string((line_text(case.broken))), case.without_directions and 1 or 0,
      c_string(case.path and M.alone_name(i, case)))
    if case.shape then
      put(", .bin = %s, .world = %d, .mode = %s, .batch = %s, .integers = %d, ",
        c_string(case.bin), case.world, MODES[case.mode], c_numbers(case.batch),
        case.integers and 1 or 0)
      put(".shape = &shapes[%d], .ranks = ranks_%d, .instead = %d, .peer = {%s, %s}",
        case.shape_number - 1, i, case.instead and 1 or 0, c_peer(case.peer[1]),
        c_peer(case.peer[2]))
    end
    put("},\n")
  end
  put("};\n\nconst int64_t recorded_case_count = %d;\n", #cases)
  return table.concat(out)
end

return M
