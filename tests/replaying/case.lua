-- case.lua: one recorded case, read without trust and checked: the C side may index freely.
--
-- A case is `NAME.lua`, which returns a table, and `NAME.bin` beside it, its tensors. The result
-- of `load` is a plain table:
--   name, op         what the TAP lines are called
--   broken           a sentence: the case is malformed
--   skip             a sentence: the case is sound, but embdist does not do this
--   without_directions  the case is of a codec ("codec") or of a format's elements ("format")
--   bin, world, mode ("even_or_ragged", "per_feature", "sequence"), batch (a flat list), integers,
--   shape (what a dist of a spec is made from), ranks (tensors and rows of each)
local M = {}

local STEPS = 10000000 -- a case of 1000 ranks takes some 100,000
local LARGEST = 1 << 40 -- of any count or offset, so that sums of them do not wrap
local BYTES = {f32 = 4, f16 = 2, bf16 = 2, u8 = 1, i32 = 4, i64 = 8}
local WIRE = {fp32 = "f32", fp16 = "f16", bf16 = "bf16"}
-- Codecs of groups, by the recorder's names and ours.
local GROUPS = {int8 = true, fp8 = true, mx4 = true}
M.INSTEAD = {int8 = true, fp8_e4m3 = true, fp8_e5m2 = true, mx4 = true}
local INT8_GROUP = 32 -- whatever the case says
local SCALE_ROUNDINGS = {even = true, floor = true, ceil = true, nearest = true}

-- The kind of dist that does an op. Of sequences the sharding says it.
local KINDS = {
  pooled_reduce_scatter = "rw_pooled", vbe_reduce_scatter = "rw_pooled",
  pooled_all_to_all = "tw_pooled", vbe_all_to_all = "tw_pooled",
  pooled_all_gather = "all_gather", sequence_all_to_all = "sequence",
}
local SHARDINGS = {rw = "rw_sequence", tw = "tw_sequence"}
-- What has no directions, and of formats, the cases that tests/codelets/group_formats knows.
local WITHOUT_DIRECTIONS = {codec = "codec", format = "format"}
local FORMATS = {fp8_e4m3 = true, fp8_e5m2 = true, mx4_elements = true}

local function fail(...)
  error({sentence = string.format(...)}, 0)
end

local function integer(value, least, what)
  if math.type(value) ~= "integer" or value < least or value > LARGEST then
    fail("%s is %s, expected an integer from %d to %d", what, tostring(value), least, LARGEST)
  end
  return value
end

local function list(value, count, what)
  if type(value) ~= "table" or #value ~= count then
    fail("%s is %s, expected a list of %d", what,
      type(value) == "table" and "a list of " .. #value or tostring(value), count)
  end
  return value
end

local function integers(value, count, least, what)
  for i, number in ipairs(list(value, count, what)) do
    integer(number, least, what .. "[" .. i .. "]")
  end
  return value
end

local function sum(numbers)
  local total = 0
  for _, number in ipairs(numbers) do
    total = total + number
  end
  return total
end

-- Runs the text with nothing in reach: no library, no string methods, a limit of steps. The memory
-- limit is tests/replay's (ulimit).
local function run_alone(text, path)
  local chunk, message = load(text, "@" .. path, "t", {})
  if not chunk then
    fail("it is no Lua table: %s", message)
  end
  local strings = getmetatable("")
  local methods = strings.__index
  strings.__index = nil
  debug.sethook(function() error("it runs too long", 0) end, "", STEPS)
  local good, result = pcall(chunk)
  debug.sethook()
  strings.__index = methods
  if not good then
    fail("running it failed: %s", tostring(result))
  elseif type(result) ~= "table" then
    fail("it returns a %s, expected a table", type(result))
  end
  return result
end

local function element_count(shape, limit, what)
  if type(shape) ~= "table" then
    fail("%s has no shape", what)
  end
  local count = 1
  for i, extent in ipairs(integers(shape, #shape, 0, what .. ": shape")) do
    if extent > 0 and count > limit // extent then
      fail("%s: shape[%d] makes it larger than the .bin", what, i)
    end
    count = count * extent
  end
  return count
end

-- tensors[rank][name] = { offset, count, dtype, shape }; each one lies inside the .bin.
local function read_tensors(case, world, bin_size)
  local tensors = {}
  for rank = 0, world - 1 do
    tensors[rank] = {}
  end
  if type(case.tensors) ~= "table" then
    fail("it has no list of tensors")
  end
  for i, tensor in ipairs(case.tensors) do
    local what = "tensors[" .. i .. "]"
    if type(tensor) ~= "table" or type(tensor.name) ~= "string" then
      fail("%s has no name", what)
    end
    what = what .. " (" .. tensor.name .. ")"
    local width = BYTES[tensor.dtype]
    if not width then
      fail("%s has dtype %s, expected one of f32, f16, bf16, u8, i32, i64", what,
        tostring(tensor.dtype))
    end
    local offset = integer(tensor.offset, 0, what .. ": offset")
    local count = element_count(tensor.shape, bin_size, what)
    if count > 0 and (offset > bin_size or count * width > bin_size - offset) then
      fail("%s ends %d bytes into the .bin, which has %d", what, offset + count * width, bin_size)
    end
    local of_rank = tensors[tensor.rank or 0]
    if not of_rank then
      fail("%s is of rank %s, expected one below %d", what, tostring(tensor.rank), world)
    end
    if of_rank[tensor.name] then
      fail("%s is there twice", what)
    end
    of_rank[tensor.name] =
      {offset = offset, count = count, dtype = tensor.dtype, shape = tensor.shape}
  end
  return tensors
end

-- A tensor of a rank that must be there with this dtype and shape.
local function need(tensors, rank, name, dtype, shape)
  local tensor = tensors[rank][name]
  if not tensor then
    fail("rank %d has no tensor %s", rank, name)
  end
  local expected, got = table.concat(shape, ", "), table.concat(tensor.shape, ", ")
  if tensor.dtype ~= dtype or expected ~= got then
    fail("%s of rank %d is %s {%s}, expected %s {%s}", name, rank, tensor.dtype, got, dtype,
      expected)
  end
  return tensor
end

-- The recorder's groups of one direction: `group` values of what a rank sends, which is one flat
-- list, but for `padded` ones, where every row is filled up with zeros.
local function fp8_of(case, direction)
  local forward = direction == "forward"
  local field = forward and "fp8_quantize_dim" or "fp8_quantize_dim_bwd"
  local short = forward or case.fp8_bwd_uses_143 == true
  local group = integer(case[field], 1, field)
  return {codec = short and "fp8_e4m3" or "fp8_e5m2", group = group},
    {format = short and "fp8_143" or "fp8_152", group = group, bytes = (group + 3) // 4 * 4 + 8}
end

local function mx4_of(case, direction)
  local group = integer(case.mx4_quantize_dim, 2, "mx4_quantize_dim")
  local rounding = case.mx4_rounding_mode
  if group % 2 ~= 0 then
    fail("mx4_quantize_dim is %d, expected an even number", group)
  elseif not SCALE_ROUNDINGS[rounding] then
    fail("mx4_rounding_mode is %s, expected one of even, floor, ceil, nearest", tostring(rounding))
  end
  return {codec = "mx4", group = group, scale_rounding = rounding},
    {format = "mx4", group = group, bytes = group // 2 + 1,
      padded = direction == "forward" and case.op == "pooled_all_to_all"}
end

-- The codec of a dist that does the case, and for codecs of groups, the recorder's groups.
local function codec(case, direction)
  local name = case[direction .. "_codec"]
  if not (WIRE[name] or GROUPS[name]) then
    fail("%s_codec is %s, expected one of fp32, fp16, bf16, int8, fp8, mx4", direction,
      tostring(name))
  end
  local scale = case[direction .. "_loss_scale"]
  if scale ~= nil and not (math.type(scale) and scale > 0 and scale < math.huge) then
    fail("%s_loss_scale is %s, expected a positive number", direction, tostring(scale))
  end
  if name == "int8" then
    return {codec = name, group = INT8_GROUP},
      {format = "int8", group = INT8_GROUP, bytes = INT8_GROUP + 8}
  elseif name == "fp8" then
    return fp8_of(case, direction)
  elseif name == "mx4" then
    return mx4_of(case, direction)
  end
  -- The peer ignores a loss scale where there is no codec.
  return {codec = name, loss_scale = name ~= "fp32" and scale or nil}
end

-- The features of all ranks, each with `counts[rank]` of its own, as a list of {rank, index}: the
-- first of every rank, then the second, so that those of a rank are not neighbours.
local function in_turn(counts)
  local features, index = {}, 0
  repeat
    index = index + 1
    local found = false
    for rank, count in ipairs(counts) do
      if index <= count then
        features[#features + 1] = {rank = rank, index = index}
        found = true
      end
    end
  until not found
  return features
end

local function owners_of(features)
  local owners = {}
  for i, feature in ipairs(features) do
    owners[i] = feature.rank - 1
  end
  return owners
end

-- What a rank was recorded to send: `count` values, `padded` where rows were filled up.
local function sent(tensors, rank, direction, result, count, padded)
  local name = direction == 1 and "fwd_send" or "bwd_send"
  local peer, shape = result.peer[direction], result.shape
  if not peer then
    local ours = direction == 1 and shape.forward or shape.backward
    return need(tensors, rank, name, WIRE[ours.codec], {count})
  end
  local values = peer.padded and padded or count
  if values % peer.group ~= 0 then
    fail("rank %d sends %d values, expected a multiple of the %d of a group", rank, values,
      peer.group)
  end
  return need(tensors, rank, name, "u8", {values // peer.group * peer.bytes})
end

-- One rank's tensors that every case has. `input`, `output` and `send` are for forward, backward.
-- `received`: values that it sends backward, where those are not as many as it is given; `padded`:
-- values that it sends forward, where rows are filled up.
local function common(tensors, rank, result, local_shape, out_shape, received, padded)
  local function of(name, expected)
    return need(tensors, rank, name, "f32", expected)
  end
  local ours = {
    input = {of("local_embs", local_shape), of("grad_output", out_shape)},
    output = {of("output", out_shape), of("grad_local_embs", local_shape)},
    send = {},
  }
  if result.world > 1 and not result.instead then
    ours.send[1] = sent(tensors, rank, 1, result, ours.input[1].count, padded)
    ours.send[2] = sent(tensors, rank, 2, result, received or ours.input[2].count)
  end
  return ours
end

-- The dims of every feature: a list, or one for all.
local function read_dims(case)
  local features = integer(case.features, 1, "features")
  local dims = case.embedding_dims
  local one_for_all = case.op == "sequence_all_to_all"
  if one_for_all and type(dims) == "table" and #dims == 1 then
    integers(dims, 1, 1, "embedding_dims")
    local all = {}
    for feature = 1, features do
      all[feature] = dims[1]
    end
    return all
  end
  for _, dim in ipairs(integers(dims, features, 1, "embedding_dims")) do
    if one_for_all and dim ~= dims[1] then
      fail("embedding_dims are unequal, a sequence needs one dim")
    end
  end
  return dims
end

local function pooled(case, tensors, result)
  local world, shape = result.world, result.shape
  result.mode, result.batch, result.ranks = "even_or_ragged", case.batch_size_per_rank, {}
  shape.dims = read_dims(case)
  local width = sum(shape.dims)
  integers(result.batch, world, 0, "batch_size_per_rank")
  for rank = 0, world - 1 do
    local all, own = {sum(result.batch), width}, {result.batch[rank + 1], width}
    if shape.kind == "all_gather" then
      all, own = own, all
    end
    result.ranks[rank + 1] = common(tensors, rank, result, all, own)
  end
end

-- A rank's columns are one feature of its; a rank without columns has none.
local function tables(case, tensors, result)
  local world, shape = result.world, result.shape
  result.mode, result.batch, result.ranks = "even_or_ragged", case.batch_size_per_rank, {}
  integers(result.batch, world, 0, "batch_size_per_rank")
  shape.dims, shape.owners = {}, {}
  for rank, width in ipairs(integers(case.dim_sum_per_rank, world, 0, "dim_sum_per_rank")) do
    if width > 0 then
      shape.dims[#shape.dims + 1] = width
      shape.owners[#shape.owners + 1] = rank - 1
    end
  end
  if #shape.dims == 0 then
    fail("dim_sum_per_rank is 0 for every rank")
  end
  for rank = 0, world - 1 do
    local width, samples = case.dim_sum_per_rank[rank + 1], sum(result.batch)
    local group = result.peer[1] and result.peer[1].group or 1
    result.ranks[rank + 1] = common(tensors, rank, result, {samples, width},
      {result.batch[rank + 1], sum(shape.dims)}, nil,
      samples * ((width + group - 1) // group * group))
  end
end

-- The dims of all ranks' features, and where each rank's begin in the recorder's order.
local function read_tables(case, world)
  local all, counts, first, before = case.emb_dim_per_rank_per_feature, {}, {}, 0
  for rank, dims in ipairs(list(all, world, "emb_dim_per_rank_per_feature")) do
    local what = "emb_dim_per_rank_per_feature[" .. rank .. "]"
    counts[rank] = type(dims) == "table" and #dims or 0
    integers(dims, counts[rank], 1, what)
    first[rank] = before
    before = before + counts[rank]
  end
  if before == 0 then
    fail("emb_dim_per_rank_per_feature has no feature")
  end
  return in_turn(counts), first, before
end

local function tables_per_feature(case, tensors, result, bin_size)
  local world, shape = result.world, result.shape
  local features, first, count = read_tables(case, world)
  local batch = list(case.batch_per_feature_per_dest, count, "batch_per_feature_per_dest")
  local held, given = {}, {}
  result.mode, result.batch, result.ranks = "per_feature", {}, {}
  shape.dims, shape.owners = {}, owners_of(features)
  for i, feature in ipairs(features) do
    shape.dims[i] = case.emb_dim_per_rank_per_feature[feature.rank][feature.index]
  end
  for number = 1, count do
    integers(batch[number], world, 0, "batch_per_feature_per_dest[" .. number .. "]")
  end
  for rank = 1, world do
    held[rank], given[rank] = held[rank] or 0, 0
    for i, feature in ipairs(features) do
      local rows = batch[first[feature.rank] + feature.index][rank]
      local elements = element_count({rows, shape.dims[i]}, bin_size, "rank " .. rank - 1)
      result.batch[#result.batch + 1] = rows
      given[rank] = given[rank] + elements
      held[feature.rank] = (held[feature.rank] or 0) + elements
    end
  end
  for rank = 0, world - 1 do
    result.ranks[rank + 1] = common(tensors, rank, result, {held[rank + 1]},
      {given[rank + 1]})
  end
end

local function per_feature(case, tensors, result, bin_size)
  local world, shape = result.world, result.shape
  local batch, pieces = case.batch_size_per_rank_per_feature, {}
  shape.dims = read_dims(case)
  result.mode, result.batch, result.ranks = "per_feature", {}, {}
  for rank, of_rank in ipairs(list(batch, world, "batch_size_per_rank_per_feature")) do
    pieces[rank] = 0
    integers(of_rank, #shape.dims, 0, "batch_size_per_rank_per_feature[" .. rank .. "]")
    for feature, count in ipairs(of_rank) do
      result.batch[#result.batch + 1] = count
      pieces[rank] = pieces[rank] + element_count({count, shape.dims[feature]}, bin_size,
        "rank " .. rank - 1)
    end
  end
  for rank = 0, world - 1 do
    result.ranks[rank + 1] = common(tensors, rank, result, {sum(pieces)},
      {pieces[rank + 1]})
  end
end

local function sequence(case, tensors, result)
  local world, shape = result.world, result.shape
  result.mode, result.batch, result.ranks = "sequence", case.batch_size_per_rank, {}
  integers(result.batch, world, 0, "batch_size_per_rank")
  shape.dims = read_dims(case)
  local dim, held = shape.dims[1], case.features_per_rank
  if shape.kind == "tw_sequence" then
    shape.owners = owners_of(in_turn(integers(held, world, 0, "features_per_rank")))
    if #shape.owners ~= #shape.dims then
      fail("features_per_rank add up to %d, expected the %d features", #shape.owners, #shape.dims)
    end
  end
  for rank = 0, world - 1 do
    local splits, what = case.ranks[rank + 1], "ranks[" .. rank + 1 .. "]."
    local send = integers(splits.output_splits, world, 0, what .. "output_splits")
    local receive = integers(splits.input_splits, world, 0, what .. "input_splits")
    for other = 1, world do
      local back = case.ranks[other].input_splits
      if type(back) ~= "table" or back[rank + 1] ~= send[other] then
        fail("rank %d sends %d rows to rank %d, which does not receive that many", rank,
          send[other], other - 1)
      end
    end
    local permute = shape.owners == nil and tensors[rank].unbucketize_permute or nil
    local received = sum(receive)
    if permute then
      need(tensors, rank, "unbucketize_permute", "i64", {permute.count})
    end
    local of_rank = common(tensors, rank, result, {sum(send), dim},
      {permute and permute.count or received, dim}, received * dim)
    of_rank.lengths = need(tensors, rank, "lengths_after_input_dist", "i32",
      {shape.owners and held[rank + 1] or #shape.dims, sum(result.batch)})
    of_rank.permute, of_rank.send_rows, of_rank.recv_rows = permute, send, receive
    result.ranks[rank + 1] = of_rank
  end
end

local READERS = {
  pooled_reduce_scatter = pooled, vbe_reduce_scatter = per_feature, pooled_all_gather = pooled,
  pooled_all_to_all = tables, vbe_all_to_all = tables_per_feature, sequence_all_to_all = sequence,
}

-- What a case is made into where its codecs are replaced (tests/replay --instead).
local function replace_codecs(result, instead)
  result.instead, result.peer = true, {}
  result.shape.forward, result.shape.backward = {codec = instead}, {codec = instead}
end

-- A case of a codec or format: other programs read it, and check it.
local function read_alone(case, result, path, instead)
  local base = path:match("([^/]*)%.lua$")
  if case.op == "format" and not FORMATS[base] then
    fail("it is of the format %s, expected one of fp8_e4m3, fp8_e5m2, mx4_elements", tostring(base))
  end
  result.base, result.path = base, path
  result.skip = instead and "it has no codecs that could be replaced" or nil
end

local function read(path, result, instead)
  local file, message = io.open(path, "rb")
  local text = file and file:read("a")
  if not text then
    fail("it cannot be read: %s", message or "not a file")
  end
  file:close()
  local case = run_alone(text, path)
  if type(case.op) ~= "string" or not (KINDS[case.op] or WITHOUT_DIRECTIONS[case.op]) then
    fail("op is %s, which is none that is known", tostring(case.op))
  end
  result.op, result.without_directions = case.op, WITHOUT_DIRECTIONS[case.op]
  local bin = io.open(result.bin, "rb")
  local bin_size = bin and bin:seek("end")
  if not bin_size then
    fail("%s cannot be read", result.bin)
  end
  bin:close()
  result.world = 1
  if not result.without_directions then
    result.world = integer(case.world, 1, "world")
    for rank, of_rank in ipairs(list(case.ranks, result.world, "ranks")) do
      if type(of_rank) ~= "table" then
        fail("ranks[%d] is %s, expected a table", rank, tostring(of_rank))
      end
    end
  end
  local tensors = read_tensors(case, result.world, bin_size)
  if result.without_directions then
    read_alone(case, result, path, instead)
    return
  end
  local shape = {}
  result.shape, result.peer = shape, {}
  for i, direction in ipairs({"forward", "backward"}) do
    shape[direction], result.peer[i] = codec(case, direction)
  end
  shape.kind = KINDS[case.op]
  if shape.kind == "sequence" then
    shape.kind = SHARDINGS[case.sharding]
      or fail("sharding is %s, expected rw or tw", tostring(case.sharding))
  end
  if instead then
    replace_codecs(result, instead)
  elseif (shape.kind == "rw_pooled" and result.peer[1]) or
    (shape.kind == "all_gather" and result.peer[2]) then
    fail("it sums rows with a codec of groups, which the recorder cannot")
  end
  if type(case.gradient_division) ~= "boolean" then
    fail("gradient_division is %s, expected true or false", tostring(case.gradient_division))
  end
  shape.gradient = case.gradient_division and "mean" or "sum"
  result.integers = case.data == "int"
  READERS[case.op](case, tensors, result, bin_size)
end

-- Until the op is known, the folder stands for it. `instead`: a codec for both directions, or nil.
function M.load(path, instead)
  local folder, base = ("/" .. path):match("([^/]*)/([^/]*)$")
  local result = {
    op = folder ~= "" and folder or ".", name = base:gsub("%.lua$", ""),
    bin = path:gsub("%.lua$", "") .. ".bin",
  }
  local good, message = pcall(read, path, result, instead)
  result.name = instead and result.name .. " as " .. instead or result.name
  if not good then
    result.skip, result.shape = nil, nil
    result.broken = type(message) == "table" and message.sentence or tostring(message)
  end
  return result
end

return M
