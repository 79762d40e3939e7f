/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_GO_LINES_H
#define TFS_DWARF_GO_LINES_H

#include "dwarf/line.h"

/*
 * Lines of Go programs without debug information, by the table that Go's runtime prints stack
 * traces with (dso/gopclntab.h). strip leaves it in.
 *
 * The functions are those of dwarf/line.h for a dso that has tfs_dso_go_table(). Inlined
 * copies have no names here: a point in one has the name of the function around it.
 */

int tfs_go_line_find(struct tfs_debuginfo *dbg, const char *file, unsigned int line,
		     struct tfs_points *out, struct tfs_err *err);
int tfs_go_line_in_func(struct tfs_debuginfo *dbg, const struct tfs_point *func, unsigned int rel,
			struct tfs_points *out, struct tfs_err *err);
int tfs_go_line_map_func(struct tfs_debuginfo *dbg, struct tfs_point *func,
			 struct tfs_line_map *out, struct tfs_err *err);
int tfs_go_line_map_file(struct tfs_debuginfo *dbg, const char *file, unsigned int first,
			 unsigned int last, struct tfs_line_map *out, struct tfs_err *err);

#endif
