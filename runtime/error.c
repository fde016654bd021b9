#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char sentence[EMBDIST_SENTENCE];

embdist_status embdist_fail(embdist_status status, const char *format, ...)
{
    /* An argument may be the old sentence itself. */
    char text[EMBDIST_SENTENCE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(sentence, sizeof sentence, "%s", text);
    return status;
}

embdist_status embdist_name_error(const char *function, embdist_status status)
{
    const size_t length = strlen(function);
    if (!status || (strncmp(sentence, function, length) == 0 && sentence[length] == ':'))
        return status;
    return embdist_fail(status, "%s: %s", function, sentence);
}

const char *embdist_last_error(void)
{
    return sentence;
}

const char *embdist_status_name(embdist_status status)
{
    switch (status) {
    case EMBDIST_OK:
        return "EMBDIST_OK";
    case EMBDIST_INVALID_ARGUMENT:
        return "EMBDIST_INVALID_ARGUMENT";
    case EMBDIST_MISMATCH:
        return "EMBDIST_MISMATCH";
    case EMBDIST_REFUSED:
        return "EMBDIST_REFUSED";
    case EMBDIST_NONFINITE:
        return "EMBDIST_NONFINITE";
    case EMBDIST_TIMED_OUT:
        return "EMBDIST_TIMED_OUT";
    case EMBDIST_BROKEN:
        return "EMBDIST_BROKEN";
    case EMBDIST_UNSUPPORTED:
        return "EMBDIST_UNSUPPORTED";
    case EMBDIST_NO_MEMORY:
        return "EMBDIST_NO_MEMORY";
    }
    return "unknown status";
}

const char *embdist_version(void)
{
    return EMBDIST_VERSION;
}
