/* group.h: what the codecs of groups share. `group` neighbouring values of a row have a scale of
 * their own; the last group of a row may be short. A wire row is the codes of all its values, then
 * the scales of its groups.
 *
 * A codec header P gives, for the templates (int8.h is an example):
 *
 *   P_options                           the options that change code; has `int stochastic`
 *   P_seen                              what a look at a group's values has found so far
 *   P_group                             the scale of a group: enough to encode and to decode
 *   P_nothing()                         a P_seen before the first value
 *   P_see(seen, value)                  one value more
 *   P_settle(seen, options)             the group's scale
 *   P_put_group(at, group, options)     the scale, to the wire
 *   P_get_group(at, options)            a scale from the wire: enough to decode
 *   P_read_wire(row, i, group, options) element i of a wire row, decoded
 *   P_write_wire(row, i, value, group, random, options)
 *                                       value, encoded, to element i of a wire row; elements are
 *                                       written in order
 *   P_round(value, group, random, options)
 *                                       decode(encode(value))
 *   P_saturates(value, group, options)  whether the code of a value that is no NaN is the nearest
 *                                       only because there is no larger one; infinities too
 *
 * and, for each instruction set I (see vector.h for the words), sharing no code with those but
 * P_settle, P_put_group and P_get_group:
 *
 *   P_seen_I, P_nothing_I()
 *   P_see_I(seen, value)                LANES values
 *   P_see_part_I(seen, value, count)    the first `count` of them
 *   P_reduce_I(seen)                    the lanes brought together: a P_seen
 *   P_read_wire_I(from, group, options)
 *   P_read_wire_part_I(from, count, group, options)
 *   P_write_wire_I(to, value, group, random, options)
 *   P_write_wire_part_I(to, value, count, group, random, options)
 *   P_round_I(value, group, random, options)
 *
 * `random` is 32 bits for each value, used where options.stochastic. `from` and `to` are where the
 * code of the first of the values lies. Codes of fewer bits than a byte: an even element is the
 * lower half of its byte, vectors begin with even elements, and a byte's unused half is 0. */
#ifndef EMBDIST_INLINE_GROUP_H
#define EMBDIST_INLINE_GROUP_H

#include "random.h"

#endif
