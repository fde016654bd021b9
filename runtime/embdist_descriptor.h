/* embdist_descriptor.h: what generated code and the runtime know of each other.
 *
 * The generator emits, for each dist, an embdist_descriptor and thin functions that fill an
 * embdist_call; the runtime walks the descriptor. Nothing else crosses. The enums here are emitted
 * by name, so their values are the compiler's business. */
#ifndef EMBDIST_DESCRIPTOR_H
#define EMBDIST_DESCRIPTOR_H

#include "embdist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with every change of this header that older generated code would misread. */
#define EMBDIST_DESCRIPTOR_VERSION 2

/* The instruction sets that a codelet may be written for; the runtime picks one by cpuid when a
 * dist is opened. */
typedef enum embdist_isa {
    EMBDIST_ISA_PLAIN = 0,
    EMBDIST_ISA_AVX2 = 1,
    EMBDIST_ISA_AVX512 = 2,
    EMBDIST_ISA_COUNT = 3
} embdist_isa;

/* One codelet: see inline/common.h for embdist_work and what each op reads from it. */
struct embdist_work;
typedef void (*embdist_codelet)(const struct embdist_work *work);

/* A codelet's versions, [EMBDIST_ISA_COUNT]; NULL where there is none for that instruction set on
 * this target (plain is always there). */
typedef const embdist_codelet *embdist_codelet_versions;

/* The codelets of one dim and one codec, by op. NULL: this kind and direction does not use the op.
 * "wire" reads wire rows, "rows" reads the caller's rows in a peer's memory and gives the bits that
 * the wire would have given; "inspect" looks for values that the codec cannot represent. */
typedef struct embdist_codelets {
    int64_t row_bytes;                  /* bytes of one row on the wire */
    int64_t scratch_bytes;              /* of the memory at embdist_work's scratch; 0: none */
    embdist_codelet_versions pack_runs; /* rows, in order, to the wire */
    embdist_codelet_versions pack_runs_inspect;
    embdist_codelet_versions
        pack_transposed; /* sums of named rows to the wire: the transpose of a gather */
    embdist_codelet_versions pack_transposed_inspect;
    embdist_codelet_versions unpack_runs_wire; /* rows in order, divided */
    embdist_codelet_versions unpack_runs_rows;
    embdist_codelet_versions unpack_gather_wire; /* target[i] = source[index[i]] */
    embdist_codelet_versions unpack_gather_rows;
    embdist_codelet_versions unpack_sum_wire; /* sum over ranks, in rank order */
    embdist_codelet_versions unpack_sum_rows;
    embdist_codelet_versions
        unpack_transposed_rows; /* pack_transposed and unpack_runs in one, in place */
} embdist_codelets;

/* Neighbouring features of equal dim. */
typedef struct embdist_group {
    int64_t dim;
    int64_t features;                /* how many; groups follow one another */
    const embdist_codelets *forward; /* with the spec's codecs */
    const embdist_codelets *backward;
    const embdist_codelets *forward_alone; /* world 1: fp32 */
    const embdist_codelets *backward_alone;
} embdist_group;

/* How the rows of one side of a dist lie in the caller's buffer. On the local side, where features
 * have owners, features are those that this rank owns. */
typedef enum embdist_layout {
    EMBDIST_LAYOUT_RANKS =
        0, /* rank after rank: [rank][sample][feature], per_feature [rank][feature][row] */
    EMBDIST_LAYOUT_OWN = 1,      /* the part of EMBDIST_LAYOUT_RANKS that belongs to this rank */
    EMBDIST_LAYOUT_FEATURES = 2, /* feature after feature: [feature][rank][row] */
    EMBDIST_LAYOUT_RECEIVED = 3, /* [sender][feature][row], then permuted */
    EMBDIST_LAYOUT_OWNERS = 4 /* this rank's samples, features by owner: [sample][owner][feature],
                                    per_feature [owner][feature][row] */
} embdist_layout;

typedef enum embdist_exchange {
    EMBDIST_EXCHANGE_ALLTOALLV = 0, /* a piece for each rank */
    EMBDIST_EXCHANGE_ALL_GATHER = 1 /* the same piece for every rank */
} embdist_exchange;

typedef enum embdist_unpack {
    EMBDIST_UNPACK_RUNS = 0,   /* place rows where they belong */
    EMBDIST_UNPACK_GATHER = 1, /* place rows by permute (runs where there is none) */
    EMBDIST_UNPACK_SUM = 2     /* sum the pieces of all ranks */
} embdist_unpack;

typedef enum embdist_pack {
    EMBDIST_PACK_RUNS = 0, /* rows in order */
    EMBDIST_PACK_TRANSPOSED =
        1 /* the transpose of a gather by permute (runs where there is none) */
} embdist_pack;

/* One direction of a dist: pack, exchange, unpack. */
typedef struct embdist_stage {
    embdist_pack pack;
    embdist_exchange exchange;
    embdist_unpack unpack;
    int divide;       /* non-zero: results are divided by world, in fp32, after decode */
    int stochastic;   /* non-zero: the codec rounds stochastically; calls take a seed */
    float fail_above; /* 0, or for nonfinite = "fail": the call is refused where |x| > fail_above or
                         x is NaN */
} embdist_stage;

/* A line of the canonical description that ranks compare, in declared order. */
typedef struct embdist_field {
    const char *name;
    const char *value;
} embdist_field;

#define EMBDIST_MODE_BIT(mode) (1U << (unsigned)(mode))

struct embdist_descriptor {
    uint32_t descriptor_version; /* EMBDIST_DESCRIPTOR_VERSION */
    const char *generator;       /* the generator's version */
    const char *spec;            /* name of the spec */
    const char *name;            /* name of the dist */
    const char *kind;
    unsigned modes; /* EMBDIST_MODE_BIT of each batch mode that was generated */
    int64_t features;
    const char *const *feature_names; /* [features] */
    int64_t groups;
    const embdist_group *group;  /* [groups] */
    int owned;                   /* non-zero: each feature is held by one rank, its owner, which
                                    embdist_open is told; 0: every rank holds every feature */
    int64_t element_bytes;       /* of the callers' rows: 4 (fp32) or 2 (fp16, bf16) */
    int64_t index_bytes;         /* 4 or 8, the size of permute's elements; 0: takes no permute */
    embdist_layout local_layout; /* of local_embs */
    embdist_layout out_layout;   /* of out */
    embdist_stage forward;       /* from local_embs to out */
    embdist_stage backward;      /* from out's gradient to that of local_embs */
    int64_t field_count;
    const embdist_field
        *fields; /* [field_count] kind, codecs and their options, gradient, sum, index, dtype, … */
};

/* One call, as a generated function hands it over. */
typedef struct embdist_call {
    const embdist_descriptor *descriptor; /* the dist must have been opened with this one */
    embdist_direction direction;
    embdist_batch batch;
    uint64_t seed;     /* of stochastic rounding; else 0 */
    const void *input; /* forward: local_embs, backward: out's gradient */
    int64_t input_count;
    void *output; /* forward: out, backward: local_embs' gradient */
    int64_t output_count;
    void *stream;
} embdist_call;

/* Starts a call; with request NULL, completes it. Errors are those of the generated functions. */
embdist_status embdist_start(embdist_dist *dist, const embdist_call *call,
                             embdist_request **request);

/* For tests and tools: the wire rows that this rank has packed for a started staged request, all
 * destinations in rank order (all_gather: once). Valid until the request is waited for. In place
 * there are none: NULL and 0. */
void embdist_request_wire(const embdist_request *request, const void **bytes, int64_t *length);

#ifdef __cplusplus
}
#endif

#endif
