/*
 * URLs as typed: which the program takes, how they are shown, and what file
 * name they suggest.
 *
 * Memory: results are malloc'ed and the caller's. Threads: any.
 */
#ifndef TARN_CLI_URL_H
#define TARN_CLI_URL_H

#include <stdbool.h>

struct cli_why;

/*
 * Checks what was typed. *url is the URL to fetch: the word itself, or with
 * https:// in front, then *assumed is true. Returns 0, or the exit status with
 * *why filled: 64 for a scheme that is refused or no URL at all, 69 for one
 * that this version lacks, 70 without memory.
 */
int tarn_cli_url_check(const char *word, char **url, bool *assumed,
                       struct cli_why *why);

/* The URL without user information, query and fragment: all of it that may be
 * shown. NULL without memory. */
char *tarn_cli_url_shown(const char *url);

/*
 * The last part of the path, percent-decoded (RFC 3986, 2.1) where that gives
 * a name of one file. NULL when there is none, or without memory.
 */
char *tarn_cli_url_file_name(const char *url);

/* True when `word` begins with a scheme and "://": no local file is meant. */
bool tarn_cli_url_has_scheme(const char *word);

#endif
