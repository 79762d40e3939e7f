/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_VALIDATE_H
#define TFS_PROBE_VALIDATE_H

#include "probe/type.h"

struct tfs_err;
struct tfs_probe_features;

/* Calls that a return probe of the kernel may follow at a time (KRETPROBE_MAXACTIVE_MAX). */
#define TFS_PROBE_MAXACTIVE_MAX 4096

/*
 * Limits of kernel/trace/trace_probe.h, found by trial on 6.1, 6.18 and 7.3. _EXPR_MAX is what each
 * kernel takes, _EXPR_MOST what some do.
 */
#define TFS_PROBE_ARGS_MAX 128
#define TFS_PROBE_EXPR_MAX 63
#define TFS_PROBE_EXPR_MOST 255
#define TFS_PROBE_LINE_MAX 4094

/**
 * tfs_probe_validate() - would the parser of every kernel refuse this definition?
 * @line: "p:group/event PLACE ARG...", or with r, f, t, e; no newline
 * @features: what the kernel offers
 *
 * Refuses what every kernel refuses, what @features are known to lack, and text that the kernel
 * accepts but reads differently: an offset of more than 31 bits, text after a closing bracket, a
 * '#'. The rest is the kernel's to judge: what newer ones have (casts, parameters by name, more
 * types and variables) and what depends on the machine (symbols, files, registers). Pure.
 *
 * Return: 0, or -EINVAL with the place in @err.
 */
int tfs_probe_validate(enum tfs_probe_type type, const char *line,
		       const struct tfs_probe_features *features, struct tfs_err *err);

#endif
