/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_SHOW_H
#define TC_SESSION_SHOW_H

#include <stdbool.h>
#include <stddef.h>

struct session_exclusion;
struct session_instance;
struct session_instances;
struct tfs_err;

/*
 * Control files of a buffer, or with @cpu, a number as typed, those of one CPU of it.
 */

/** session_check_cpu() - 0, or -EINVAL if @cpu is not a number; NULL is fine */
int session_check_cpu(const char *cpu, struct tfs_err *err);
/** session_path() - path of @file below the root of tracefs; 0 or -ENAMETOOLONG */
int session_path(const struct session_instance *p, const char *cpu, const char *file, char *buf,
		 size_t size, struct tfs_err *err);
/**
 * struct session_view - what is shown of a buffer, and how
 * @cpu: of this CPU alone; NULL: of all
 * @exclusion: where it is seen that a signal came which ends the program; may be NULL
 * @raw: control characters as they are, on a terminal too
 */
struct session_view {
	const struct session_instances *instances;
	const struct session_instance *place;
	const char *cpu;
	const struct session_exclusion *exclusion;
	bool raw;
};

/**
 * session_copy() - copy @file to stdout
 *
 * Return: 0, also when stdout cannot be written, which main() finds; -errno if it cannot be read.
 */
int session_copy(const struct session_view *view, const char *file, struct tfs_err *err);

#endif
