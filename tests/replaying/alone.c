#include "alone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorded.h"

alone_results alone_load(const char *path)
{
    alone_results results = {0};
    FILE *file = path != NULL ? fopen(path, "r") : NULL;
    FILE *copy = open_memstream(&results.text, &results.length);
    int c;
    while (file != NULL && copy != NULL && (c = getc(file)) != EOF)
        putc(c, copy);
    if (file != NULL)
        fclose(file);
    if (copy == NULL || fclose(copy) != 0) {
        printf("Bail out! no memory for the results of other programs\n");
        exit(2);
    }
    return results;
}

void alone_free(alone_results *results)
{
    free(results->text);
}

/* What follows `start` and the name on a line, or NULL where the line begins otherwise. */
static const char *after(const char *line, const char *start, const char *name)
{
    size_t length = strlen(start);
    if (strncmp(line, start, length) != 0 || strncmp(line + length, name, strlen(name)) != 0)
        return NULL;
    return line + length + strlen(name);
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end != NULL ? end + 1 : line + strlen(line);
}

static int count_lines(const alone_results *results, const char *start, const char *name)
{
    const char *line;
    int count = 0;
    for (line = results->text; *line != '\0'; line = next_line(line)) {
        const char *rest = after(line, start, name);
        count += rest != NULL && *rest == '\n';
    }
    return count;
}

int alone_is_told(const alone_results *results, const char *name)
{
    return count_lines(results, "ok - ", name) + count_lines(results, "not ok - ", name) > 0;
}

int alone_is_right(const alone_results *results, const char *name)
{
    return alone_is_told(results, name) && count_lines(results, "not ok - ", name) == 0;
}

void alone_print(const alone_results *results, const char *name)
{
    const char *line;
    int told = 0;
    for (line = results->text; *line != '\0'; line = next_line(line)) {
        const char *rest = after(line, "# ", name);
        if (rest != NULL && *rest == ':' && told++ < 8)
            printf("#%.*s", (int)(next_line(line) - rest - 1), rest + 1);
    }
}
