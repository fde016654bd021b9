/* recorded_tensors.h: recorded cases of codecs and formats (tests/vectors/codec, format): the
 * numbers that a case's .lua names, and the tensors of its .bin. */
#ifndef EMBDIST_TESTS_RECORDED_TENSORS_H
#define EMBDIST_TESTS_RECORDED_TENSORS_H

#include <stdint.h>

enum { TENSORS_MOST = 32, FIELDS_MOST = 16, NAME_MOST = 48 };

struct tensor {
    char name[NAME_MOST];
    char dtype[8];
    int64_t count;
    int64_t columns;            /* the last number of its shape */
    const unsigned char *bytes; /* count values, little-endian */
};

struct recorded {
    char name[NAME_MOST];
    int field_count;
    char field[FIELDS_MOST][2][NAME_MOST]; /* name and value; strings without quotes */
    int tensor_count;
    struct tensor tensor[TENSORS_MOST];
    unsigned char *bytes;
};

/* Reads FOLDER/NAME.lua and FOLDER/NAME.bin; ends the program with a sentence where they cannot be
 * read. */
struct recorded *recorded_load(const char *folder, const char *name);
void recorded_free(struct recorded *recorded);

/* A field's value; NULL where the case has none. */
const char *recorded_field(const struct recorded *recorded, const char *name);
/* The same as a number; `otherwise` where the case has none. */
double recorded_number(const struct recorded *recorded, const char *name, double otherwise);
/* Tensor SET.PART, or PART where set is NULL; NULL where the case has none. */
const struct tensor *recorded_tensor(const struct recorded *recorded, const char *set,
                                     const char *part);
float recorded_float(const struct tensor *tensor, int64_t i); /* of dtype f32 */
uint16_t recorded_half(const struct tensor *tensor, int64_t i);

/* The names of a folder's cases in order; `*count` of them. */
char (*recorded_names(const char *folder, int *count))[NAME_MOST];

#endif
