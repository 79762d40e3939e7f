/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_LINE_H
#define TFS_DWARF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_debuginfo;
struct tfs_point;
struct tfs_points;

/**
 * tfs_line_is_known() - are lines of source files known: by debug information, or by the line table
 * that every Go program has
 */
bool tfs_line_is_known(struct tfs_debuginfo *dbg);

/**
 * tfs_line_find() - where the code of a line of a source file begins: one point for each function
 * instance that has some
 * @file: end of a path, whole components
 * @line: 1 is the first
 *
 * Return: 0; -ENOENT, no such file, or no code for that line (the hint names the next that has);
 * -ENODATA without debug information; -ENOMEM.
 */
int tfs_line_find(struct tfs_debuginfo *dbg, const char *file, unsigned int line,
		  struct tfs_points *out, struct tfs_err *err);

/**
 * tfs_points_enter() - find all places where control enters the inlined copies among @points
 *
 * An unrolled loop repeats a copy, and a copy may begin with padding: points are moved and added.
 * Where the entries cannot be determined, TFS_POINT_PARTS is set.
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_points_enter(struct tfs_debuginfo *dbg, struct tfs_points *points);

/**
 * tfs_line_in_func() - where a line of a function begins, in one copy of it
 * @func: what tfs_func_find() gave
 * @rel: lines after the one that declares it, 0 for that one itself
 *
 * Return: as tfs_line_find(); also -ENODATA if the line of the declaration is not known.
 */
int tfs_line_in_func(struct tfs_debuginfo *dbg, struct tfs_point *func, unsigned int rel,
		     struct tfs_points *out, struct tfs_err *err);

/**
 * tfs_line_prologue_end() - first address after a function's prologue, where its variables are in
 * their places
 *
 * Return: 0; -ENOENT if the line table does not say; -ENODATA without debug information.
 */
int tfs_line_prologue_end(struct tfs_debuginfo *dbg, const struct tfs_point *func, uint64_t *addr);

/**
 * tfs_line_body() - first row of an inlined copy whose line belongs to the function that was
 * inlined; for by-value aggregates, which are filled after the copy's entry
 */
int tfs_line_body(struct tfs_debuginfo *dbg, struct tfs_point *func, uint64_t *addr);

/** tfs_line_is_start() - an instruction that some row of the line table names begins at @addr */
bool tfs_line_is_start(struct tfs_debuginfo *dbg, uint64_t addr);

/**
 * struct tfs_line_map - which lines of a file have code that a probe can be put on
 * @file: path as the debug information has it, made absolute with the compilation directory
 * @first: first line asked for
 * @n: entries of @has
 * @has: whether line @first + i has code, at index i
 */
struct tfs_line_map {
	char *file;
	unsigned int first;
	size_t n;
	bool *has;
};

/**
 * tfs_line_map_func() - the lines of a function, from the declaration to its last
 * tfs_line_map_file() - those of a file, @first to @last (0: to the last that has code)
 *
 * Return: 0, -ENOENT, -ENODATA, -ENOMEM; release with tfs_line_map_release().
 */
int tfs_line_map_func(struct tfs_debuginfo *dbg, struct tfs_point *func, struct tfs_line_map *out,
		      struct tfs_err *err);
int tfs_line_map_file(struct tfs_debuginfo *dbg, const char *file, unsigned int first,
		      unsigned int last, struct tfs_line_map *out, struct tfs_err *err);
void tfs_line_map_release(struct tfs_line_map *map);

#endif
