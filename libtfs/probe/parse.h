/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_PARSE_H
#define TFS_PROBE_PARSE_H

#include <stdbool.h>

struct tfs_err;
struct tfs_probe_spec;

/**
 * tfs_probe_parse() - take "[[GROUP:]EVENT=]POINT [ARG...]" apart
 * @text: as typed. A backslash takes the next character for itself; blanks inside the brackets of a
 *	function's name (C++: f(int, char)) belong to the name
 * @spec: empty; set on success only
 *
 * A point with a colon or semicolon is in a file when what is before it ends with the suffix of a
 * source file (main.c:10), else in a function (Go's main.add:2). Pure.
 *
 * Return: 0; -EINVAL with the fault's place in @err; -ENOMEM.
 */
int tfs_probe_parse(const char *text, struct tfs_probe_spec *spec, struct tfs_err *err);

/** tfs_probe_parse_point() - parse a point alone; an event name or arguments are errors */
int tfs_probe_parse_point(const char *text, struct tfs_probe_spec *spec, struct tfs_err *err);

/** tfs_probe_is_source() - does @name end like the name of a source file? */
bool tfs_probe_is_source(const char *name);

#endif
