/* recorded.h: the recorded cases as C tables. tables.lua writes them (cases.c) once case.lua has
 * checked that every tensor lies inside its file and has the shape of its op. recorded.c loads
 * them. */
#ifndef EMBDIST_TESTS_RECORDED_H
#define EMBDIST_TESTS_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#include "reference.h"

/* Arrays of two are indexed by direction. */
enum { FORWARD = 0, BACKWARD = 1, DIRECTIONS = 2 };

/* Where a tensor starts in the file, in bytes, and its elements; -1 elements: the case has none. */
typedef struct recorded_tensor {
    int64_t offset;
    int64_t count;
} recorded_tensor;

/* Whether rows of several ranks are added. */
typedef enum recorded_kind {
    RECORDED_MOVED = 0,   /* never */
    RECORDED_REDUCED = 1, /* forward, and gathered backward */
    RECORDED_GATHERED = 2 /* the other way round */
} recorded_kind;

/* What a dist is made from. */
typedef struct recorded_shape {
    int64_t number; /* of its dist in replay_dists */
    recorded_kind kind;
    int64_t features;
    const int64_t *dims;   /* [features] */
    const int64_t *owners; /* [features] ranks of table-wise features, else NULL */
    reference_codec codec[DIRECTIONS];
    int mean; /* the gradient is divided by world */
} recorded_shape;

typedef enum recorded_mode {
    RECORDED_RAGGED = 0, /* batch[world]; where all are equal, even too */
    RECORDED_PER_FEATURE = 1,
    RECORDED_SEQUENCE = 2
} recorded_mode;

typedef struct recorded_rank {
    recorded_tensor input[DIRECTIONS];  /* local_embs, grad_output */
    recorded_tensor output[DIRECTIONS]; /* output, grad_local_embs */
    recorded_tensor send[DIRECTIONS];   /* fwd_send, bwd_send: wire rows; none in world 1 */
    /* sequences */
    recorded_tensor lengths;  /* lengths_after_input_dist */
    recorded_tensor permute;  /* unbucketize_permute, or none */
    const int64_t *send_rows; /* [world] */
    const int64_t *recv_rows; /* [world] */
} recorded_rank;

/* How the recorder encoded groups. What a rank sends is one flat list of values, cut into groups, but
 * for padded ones: there every row is filled up with zeros to whole groups. */
typedef enum peer_format {
    PEER_NONE = 0,
    PEER_INT8 = 1,    /* codes, scale, bias */
    PEER_FP8_143 = 2, /* FBGEMM's own formats */
    PEER_FP8_152 = 3,
    PEER_MX4 = 4 /* elements, exponent */
} peer_format;

typedef struct recorded_peer {
    peer_format format;
    int64_t group; /* values */
    int64_t bytes; /* of a group on the wire */
    int padded;
} recorded_peer;

typedef struct recorded_case {
    const char *name;       /* OP/CASE */
    const char *skip;       /* why embdist does not do it yet, or NULL */
    const char *broken;     /* why the case is malformed, or NULL */
    int without_directions; /* of a codec or a format by itself: one TAP line */
    const char *alone;      /* the name under which another program did that one */
    /* From here on only where there is neither skip nor broken. */
    const char *bin;
    int64_t world;
    recorded_mode mode;
    const int64_t *batch; /* [world], or [world][features] for RECORDED_PER_FEATURE */
    int integers;         /* every sum is exact in every wire type */
    const recorded_shape *shape;
    const recorded_rank *ranks; /* [world] */
    int instead;                /* the codecs are not those that were recorded */
    recorded_peer peer[DIRECTIONS];
} recorded_case;

extern const recorded_case recorded_cases[];
extern const int64_t recorded_case_count;

/* A rank of a loaded case. Counts are in elements. */
typedef struct loaded_rank {
    float *input[DIRECTIONS];
    float *output[DIRECTIONS];
    float *send[DIRECTIONS]; /* the values on the wire, before decode; NULL in world 1 */
    unsigned char *send_bytes[DIRECTIONS]; /* instead of those, for codecs of groups */
    int64_t input_count[DIRECTIONS];
    int64_t output_count[DIRECTIONS];
    int64_t send_count[DIRECTIONS];
    int64_t piece_count; /* reduced and gathered: elements of what belongs to this rank */
    /* sequences */
    int32_t *lengths;
    int64_t *rows;    /* [held][world], from lengths */
    int64_t *permute; /* or NULL */
    int64_t out_rows;
    int64_t received; /* rows, before permute */
    int bijection;    /* permute names every received row once */
} loaded_rank;

typedef struct loaded_case {
    const recorded_case *recorded;
    loaded_rank *ranks; /* [world] */
} loaded_case;

/* Loads the tensors. 0, or -1 with a sentence in error. Freed by unload_case in either case. */
int load_case(loaded_case *loaded, const recorded_case *recorded, char *error, size_t error_size);
void unload_case(loaded_case *loaded);

/* The features that a rank holds. */
int64_t held_features(const recorded_case *recorded, int64_t rank);

/* Bytes of an element on the wire, and the values of `count` of them; freed by the caller. */
int64_t wire_width(reference_format format);
float *wire_values(reference_format format, const unsigned char *bytes, int64_t count);

/* Memory for `count` elements of `size` bytes, zeroed; ends the program where there is none. */
void *allocate(int64_t count, size_t size);

#endif
