/* reference.h: what a dist must give, said as directly as C allows.
 *
 * From the inputs of all ranks, in one address space, it computes what each rank receives: row by
 * row, without plan, codelet, transport or wire. fp32, fp16 and bf16 are arithmetic of its own
 * (doubles and rint, where the codelets use bits and vector instructions); the codecs of groups are
 * the scalar functions of their headers (reference_groups.c), which tests/codelets holds to the
 * formats. Layouts and the meaning of a batch are those of runtime/embdist.h; world 1 is the
 * identity, without codec and division.
 *
 * Nothing here checks its arguments: they are the tests' own. */
#ifndef EMBDIST_TESTS_REFERENCE_H
#define EMBDIST_TESTS_REFERENCE_H

#include <stdint.h>

typedef enum reference_format {
    REFERENCE_FP32 = 0,
    REFERENCE_FP16 = 1,
    REFERENCE_BF16 = 2,
    /* codecs of groups */
    REFERENCE_INT8 = 3,
    REFERENCE_FP8_E4M3 = 4,
    REFERENCE_FP8_E5M2 = 5,
    REFERENCE_MX4 = 6
} reference_format;

/* A codec with its options. {0} is fp32. */
typedef struct reference_codec {
    reference_format format;
    float loss_scale; /* 0 or 1: none; fp16 and bf16 only */
    int propagate;    /* 0: overflow and infinities become the largest finite value; 1: infinity */
    int64_t group;    /* values that share a scale; 0: all of a row. Codecs of groups only, as: */
    int stochastic;
    int scale_rounding;   /* mx4: of embdist_mx4_options */
    const uint64_t *seed; /* [world] of each rank's call, where it rounds stochastically */
} reference_codec;

/* Whether a format is that of values by themselves: what the next three functions know. */
int reference_is_element(reference_format format);

/* The value that the codec puts on the wire for x, as a float, which holds every one exactly. */
float reference_encode(const reference_codec *codec, float x);

/* What the receiver makes of a wire value: the fp32 quotient by the loss scale. */
float reference_decode(const reference_codec *codec, float wire);

/* decode(encode(x)) */
float reference_round_trip(const reference_codec *codec, float x);

/* Bytes of a row on the wire. */
int64_t reference_row_bytes(const reference_codec *codec, int64_t dim);

/* What the receiver makes of a row that rank `sender` encodes, `place` bytes from the start of its
 * wire. to and from may be the same. */
void reference_row(const reference_codec *codec, float *to, const float *from, int64_t dim,
                   int64_t sender, int64_t place);

/* The wire row of a codec of groups, to its bytes at `to`. */
void reference_wire_row(const reference_codec *codec, char *to, const float *from, int64_t dim,
                        int64_t sender, int64_t place);

/* The largest finite value of a format, its least positive one, and its unit roundoff. */
double reference_largest(reference_format format);
double reference_least(reference_format format);
double reference_roundoff(reference_format format);

/* A row-wise pooled dist. A rank's piece is what belongs to it of every rank's local_embs, and is
 * its whole output. The same for all_gather, which is this turned round: a piece is a rank's whole
 * local_embs. */
typedef struct reference_pooled {
    int64_t world;
    const int64_t *piece_count; /* [world] elements of each rank's piece; reference_pooled_piece */
    const int64_t *const *dims; /* [world] -> the dims of the rows of a piece, in order; NULL for a
                                   list where the codecs encode each value by itself */
    reference_codec forward;
    reference_codec backward;
    int mean; /* the gradient is divided by world */
} reference_pooled;

/* The elements of a piece: even and ragged, `batch` samples of sum(dims) elements each ... */
int64_t reference_pooled_piece(int64_t features, const int64_t *dims, int64_t batch);

/* ... and per feature, batch[f] rows of dims[f] elements. */
int64_t reference_pooled_piece_per_feature(int64_t features, const int64_t *dims,
                                           const int64_t *batch);

/* The dims of a piece's rows, stored at `to` where it is not NULL; returns how many. Where samples
 * are adjacent, batch[0] samples of all features; else batch[f] rows of each feature. */
int64_t reference_pooled_dims(int64_t features, const int64_t *dims, const int64_t *batch,
                              int adjacent, int64_t *to);

/* local_embs[s]: rank s's, the pieces of all ranks one after another. out[r]: receives rank r's
 * piece, summed over ranks in fp32, in rank order. */
void reference_pooled_forward(const reference_pooled *dist, const float *const *local_embs,
                              float *const *out);

/* grad_out[r]: the gradient of rank r's piece. grad_local_embs[s]: receives all pieces. */
void reference_pooled_backward(const reference_pooled *dist, const float *const *grad_out,
                               float *const *grad_local_embs);

/* local_embs[s]: rank s's piece. out[r]: receives all pieces, one after another. */
void reference_gather_forward(const reference_pooled *dist, const float *const *local_embs,
                              float *const *out);

/* grad_out[r]: of all pieces. grad_local_embs[s]: receives the sum over ranks, in fp32, in rank
 * order, of the gradients of rank s's piece. */
void reference_gather_backward(const reference_pooled *dist, const float *const *grad_out,
                               float *const *grad_local_embs);

/* A table-wise pooled dist. */
typedef struct reference_table {
    int64_t world;
    int64_t features;
    const int64_t *dims;   /* [features] */
    const int64_t *owners; /* [features] ranks */
    const int64_t *batch;  /* [world][features] samples; where they are adjacent, all of a rank's
                              features have the same */
    int adjacent; /* even and ragged: a sample's features are adjacent, not a feature's rows */
    reference_codec forward;
    reference_codec backward;
    int mean;
} reference_table;

/* Elements of a rank's local_embs, and of its out. */
int64_t reference_table_local(const reference_table *dist, int64_t rank);
int64_t reference_table_out(const reference_table *dist, int64_t rank);

void reference_table_forward(const reference_table *dist, const float *const *local_embs,
                             float *const *out);
void reference_table_backward(const reference_table *dist, const float *const *grad_out,
                              float *const *grad_local_embs);

/* A sequence dist. */
typedef struct reference_sequence {
    int64_t world;
    int64_t features;
    const int64_t *held; /* [world] features that each rank holds; NULL: all */
    int64_t dim;
    const int64_t *const *rows;    /* [world] -> [held][world]: rows of rank s's local_embs, by
                                      feature and by the rank they belong to */
    const int64_t *const *permute; /* [world] -> [output_rows], or NULL for a rank without; a NULL
                                      list: no rank has one */
    const int64_t *output_rows;    /* [world], read where there is a permute */
    reference_codec forward;
    reference_codec backward;
    int mean;
} reference_sequence;

/* rows[f][j] of rank s from lengths[features][sum(batch_per_rank)], samples in rank order. */
void reference_sequence_rows(int64_t world, int64_t features, const int32_t *lengths,
                             const int64_t *batch_per_rank, int64_t *rows);

/* The rows that rank r receives, before permute. */
int64_t reference_sequence_received(const reference_sequence *dist, int64_t rank);

/* out[r][i] = received[permute[i]], received in the order of (holder, feature, row). */
void reference_sequence_forward(const reference_sequence *dist, const float *const *local_embs,
                                float *const *out);

/* The gradients of the rows of out that name a received row are added in fp32, in order; the sum
 * passes the codec; a row that none names gets zeros. */
void reference_sequence_backward(const reference_sequence *dist, const float *const *grad_out,
                                 float *const *grad_local_embs);

#endif
