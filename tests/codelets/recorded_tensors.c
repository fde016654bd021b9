/* recorded_tensors.c: see recorded_tensors.h. */
#define _DEFAULT_SOURCE
#include "recorded_tensors.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noreturn, format(printf, 1, 2))) static void give_up(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("Bail out! ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    exit(1);
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size + 1);
    if (memory == NULL) {
        give_up("no memory for %zu bytes", size);
    }
    return memory;
}

static unsigned char *read_file(const char *path, int64_t *size)
{
    FILE *file = fopen(path, "rb");
    long end = 0;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0) {
        give_up("cannot read %s: %s", path, strerror(errno));
    }
    rewind(file);
    unsigned char *bytes = allocate((size_t)end);
    if (fread(bytes, 1, (size_t)end, file) != (size_t)end) {
        give_up("cannot read the %ld bytes of %s", end, path);
    }
    fclose(file);
    *size = end;
    return bytes;
}

static int64_t width_of(const char *dtype)
{
    return strcmp(dtype, "f32") == 0 ? 4 : strcmp(dtype, "u8") == 0 ? 1 : 2;
}

/* { offset = 0, name = "special.input", dtype = "f32", shape = {16, 8} }, */
static int take_tensor(struct recorded *recorded, const char *line, int64_t size)
{
    struct tensor *tensor = &recorded->tensor[recorded->tensor_count];
    int64_t offset, number;
    int at = 0;
    if (recorded->tensor_count == TENSORS_MOST ||
        sscanf(line,
               " { offset = %" SCNd64 ", name = \"%47[^\"]\", dtype = \"%7[^\"]\", shape = {%n",
               &offset, tensor->name, tensor->dtype, &at) != 3 ||
        at == 0) {
        return 0;
    }
    tensor->count = 1;
    for (const char *rest = line + at; *rest != '}'; rest += *rest == ',') {
        if (sscanf(rest, "%" SCNd64 "%n", &number, &at) != 1 || number < 0 || number > size) {
            return 0;
        }
        tensor->count *= number;
        tensor->columns = number;
        rest += at;
    }
    if (offset < 0 || offset + tensor->count * width_of(tensor->dtype) > size) {
        give_up("tensor %s of %s reaches beyond its %" PRId64 " bytes", tensor->name,
                recorded->name, size);
    }
    tensor->bytes = recorded->bytes + offset;
    ++recorded->tensor_count;
    return 1;
}

/* The lines between, as the recorder writes them: name = value, */
static int take_field(struct recorded *recorded, const char *line)
{
    char(*field)[NAME_MOST] = recorded->field[recorded->field_count];
    if (recorded->field_count == FIELDS_MOST ||
        (sscanf(line, " %47[a-z0-9_] = \"%47[^\"]\"", field[0], field[1]) != 2 &&
         sscanf(line, " %47[a-z0-9_] = %47[^,{ ]", field[0], field[1]) != 2)) {
        return 0;
    }
    ++recorded->field_count;
    return 1;
}

struct recorded *recorded_load(const char *folder, const char *name)
{
    char path[4096];
    int64_t size;
    struct recorded *recorded = allocate(sizeof *recorded);
    snprintf(recorded->name, sizeof recorded->name, "%s", name);
    snprintf(path, sizeof path, "%s/%s.bin", folder, name);
    recorded->bytes = read_file(path, &size);
    snprintf(path, sizeof path, "%s/%s.lua", folder, name);
    int64_t text_size;
    char *text = (char *)read_file(path, &text_size), *place = NULL;
    for (char *line = strtok_r(text, "\n", &place); line; line = strtok_r(NULL, "\n", &place)) {
        const int frame = strcmp(line, "return {") == 0 || strcmp(line, "  tensors = {") == 0 ||
                          strcmp(line, "  },") == 0 || strcmp(line, "}") == 0;
        if (!frame && !take_tensor(recorded, line, size) && !take_field(recorded, line)) {
            give_up("%s: a line that is no field and no tensor: %s", path, line);
        }
    }
    free(text);
    return recorded;
}

void recorded_free(struct recorded *recorded)
{
    free(recorded->bytes);
    free(recorded);
}

const char *recorded_field(const struct recorded *recorded, const char *name)
{
    for (int i = 0; i < recorded->field_count; ++i) {
        if (strcmp(recorded->field[i][0], name) == 0) {
            return recorded->field[i][1];
        }
    }
    return NULL;
}

double recorded_number(const struct recorded *recorded, const char *name, double otherwise)
{
    const char *value = recorded_field(recorded, name);
    return value ? strtod(value, NULL) : otherwise;
}

const struct tensor *recorded_tensor(const struct recorded *recorded, const char *set,
                                     const char *part)
{
    char name[2 * NAME_MOST];
    snprintf(name, sizeof name, "%s%s%s", set ? set : "", set ? "." : "", part);
    for (int i = 0; i < recorded->tensor_count; ++i) {
        if (strcmp(recorded->tensor[i].name, name) == 0) {
            return &recorded->tensor[i];
        }
    }
    return NULL;
}

float recorded_float(const struct tensor *tensor, int64_t i)
{
    const unsigned char *at = tensor->bytes + 4 * i;
    const uint32_t bits =
        (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint16_t recorded_half(const struct tensor *tensor, int64_t i)
{
    const unsigned char *at = tensor->bytes + 2 * i;
    return (uint16_t)(at[0] | at[1] << 8);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((const char *)a, (const char *)b);
}

char (*recorded_names(const char *folder, int *count))[NAME_MOST]
{
    enum { MOST = 1024 };
    char(*names)[NAME_MOST] = allocate(MOST * NAME_MOST);
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    if (directory == NULL) {
        give_up("cannot open %s: %s", folder, strerror(errno));
    }
    *count = 0;
    while ((entry = readdir(directory)) != NULL) {
        const size_t length = strlen(entry->d_name);
        if (length > 4 && length - 4 < NAME_MOST && *count < MOST &&
            strcmp(entry->d_name + length - 4, ".lua") == 0) {
            memcpy(names[(*count)++], entry->d_name, length - 4);
        }
    }
    closedir(directory);
    qsort(names, (size_t)*count, sizeof *names, by_name);
    return names;
}
