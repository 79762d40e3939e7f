/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_NAME_H
#define TFS_PROBE_NAME_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_probe_spec;
struct tfs_strmap;
struct tfs_strvec;

/* Limits of the kernel (MAX_EVENT_NAME_LEN, MAX_ARG_NAME_LEN of kernel/trace/trace_probe.h). */
#define TFS_PROBE_NAME_MAX 63
#define TFS_PROBE_ARG_NAME_MAX 32

/* All of this is pure. */

/** tfs_probe_is_identifier() - a C identifier of at most @max characters? */
bool tfs_probe_is_identifier(const char *name, size_t max);
/** tfs_probe_is_group() - as an identifier, dashes too */
bool tfs_probe_is_group(const char *name);

/**
 * tfs_probe_sanitise() - a name that the kernel takes for an event, from any function's
 * @name: as in C, C++, Rust or Go. A compiler's suffix, a parameter list and the directories of a
 *	Go package are left out, other characters become '_'
 * @out: at most TFS_PROBE_NAME_MAX characters; of a longer name the beginning and six digits that
 *	depend on all of it
 */
void tfs_probe_sanitise(const char *name, char out[TFS_PROBE_NAME_MAX + 1]);

/**
 * tfs_probe_name_group() - the group of the probes of a program
 * @path: of the program; NULL for the kernel
 */
void tfs_probe_name_group(const char *path, char out[TFS_PROBE_NAME_MAX + 1]);

/**
 * enum tfs_probe_naming - what an event is named after
 * @TFS_PROBE_AS_TYPED: what was typed
 * @TFS_PROBE_AS_FOUND: the function that was found, as what was typed stands for several
 */
enum tfs_probe_naming { TFS_PROBE_AS_TYPED, TFS_PROBE_AS_FOUND };

/**
 * tfs_probe_name_event() - the event of a probe that no name was typed for
 * @func: the function that was found, or the name of the marker; NULL where there is none
 */
void tfs_probe_name_event(const struct tfs_probe_spec *spec, const char *func,
			  enum tfs_probe_naming naming, char out[TFS_PROBE_NAME_MAX + 1]);

/** tfs_probe_name_numbered() - BASE_N, its beginning and a hash if that is too long */
void tfs_probe_name_numbered(const char *base, unsigned int n, char out[TFS_PROBE_NAME_MAX + 1]);

/**
 * tfs_probe_name_next() - the first of BASE_1, BASE_2 ... that is not taken
 * @taken: GROUP/EVENT each
 *
 * Return: 0, or -EEXIST if thousands are.
 */
int tfs_probe_name_next(const char *group, const char *base, const struct tfs_strmap *taken,
			char out[TFS_PROBE_NAME_MAX + 1]);

/**
 * tfs_probe_name_arg() - a name for an argument that no other of the event has
 * @wish: what it should be called, "" or NULL for argN
 * @taken: names of the arguments before it
 */
void tfs_probe_name_arg(const char *wish, const struct tfs_strvec *taken,
			char out[TFS_PROBE_ARG_NAME_MAX + 1]);
/** tfs_probe_is_reserved() - names of fields that every event has */
bool tfs_probe_is_reserved(const char *name);

#endif
