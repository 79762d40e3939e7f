/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_FUNC_H
#define TFS_DWARF_FUNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_die;
struct tfs_err;
struct tfs_debuginfo;
struct tfs_marker;
struct tfs_strvec;

enum tfs_point_flags {
	TFS_POINT_ENTRY = 1 << 0,   /* @addr is the entry of a function that was not inlined */
	TFS_POINT_INLINED = 1 << 1, /* an inlined copy, or an address in one */
	TFS_POINT_IFUNC = 1 << 2,   /* the symbol names a resolver */
	TFS_POINT_PLT = 1 << 3,     /* a linkage stub */
	TFS_POINT_PART = 1 << 4,    /* a compiler's part of a function: .cold, .part.N */
	TFS_POINT_BODY = 1 << 5, /* @addr is a line of the body: what was passed is in its place */
	TFS_POINT_GLOBAL = 1 << 6,     /* C: every unit means this function by its name */
	TFS_POINT_RET = 1 << 7,        /* an instruction that returns from the function */
	TFS_POINT_UNREAD = 1 << 8,     /* its line was not looked for: tfs_point_read_line() */
	TFS_POINT_UNDECLARED = 1 << 9, /* nor its declaration: tfs_point_read_decl() */
	TFS_POINT_LINE = 1 << 10,      /* @line was asked for, whatever else begins at @addr */
	TFS_POINT_PARTS = 1 << 11,     /* more code of it, taken for parts of one statement */
};

/**
 * struct tfs_point - a place in the code where a probe can be put
 * @addr: where
 * @entry: where the function, or the inlined copy, begins
 * @end: end of the range that begins at @entry, @entry if not known
 * @func: the function's name in the source, or the symbol's if there is no debug information;
 *        for an inlined copy the function that was inlined
 * @symbol: the symbol that begins at @entry, NULL if none does. For what was asked for by a
 *          symbol's name (an alias, a clone, a version), that one
 * @into: the function an inlined copy is in, NULL otherwise
 * @file: the source file @addr belongs to (for an entry: where the function is declared), NULL;
 *        with TFS_POINT_UNREAD not yet known
 * @line: line in @file, 0 if not known
 * @decl_file: where the function is declared, NULL if not known
 * @decl_line: 0 if not known (Go); with TFS_POINT_UNDECLARED neither is yet
 * @flags: enum tfs_point_flags
 * @scope: innermost function, copy or block that holds @addr, for probe/fetch.h; NULL without debug
 *         information
 * @marker: what probe/sdt.h found there, NULL for anything else; @marker_free releases it
 *
 * Strings are the dso's.
 */
struct tfs_point {
	uint64_t addr;
	uint64_t entry;
	uint64_t end;
	const char *func;
	const char *symbol;
	const char *into;
	const char *file;
	unsigned int line;
	const char *decl_file;
	unsigned int decl_line;
	unsigned int flags;
	struct tfs_die *scope;
	struct tfs_marker *marker;
	void (*marker_free)(struct tfs_marker *marker);
};

/**
 * struct tfs_points - what a look-up found, ordered by address; release with tfs_points_release()
 *
 * Must not outlive the dso.
 */
struct tfs_points {
	struct tfs_point *v;
	size_t n;
	size_t cap;
};

#define TFS_POINTS_INIT    \
	{                  \
		NULL, 0, 0 \
	}

void tfs_points_release(struct tfs_points *points);
/** tfs_points_drop_last() - without the last; the room of many comes free */
void tfs_points_drop_last(struct tfs_points *points);
/** tfs_points_reverse() - the first becomes the last */
void tfs_points_reverse(struct tfs_points *points);

/**
 * struct tfs_func_query - which functions
 * @name: a function's name: as in the source, qualified ("ns::Class::f", "crate::path::f"), with
 *        or without parameter list; mangled; a symbol, also with version; or a glob (* ? [a-z]
 *        [!x]) if nothing has that very name
 * @file: end of the path of the file that declares it; NULL for any
 * @no_inlines: leave inlined copies out
 * @no_dwarf: symbols suffice: nothing of the function's variables is asked for. Inlined copies
 *            are found all the same when debug information is there and they are wanted
 * @max: at most so many, 0 for no limit
 */
struct tfs_func_query {
	const char *name;
	const char *file;
	bool no_inlines;
	bool no_dwarf;
	size_t max;
};

/**
 * tfs_func_find() - where functions of a name begin: each copy and each inlined instance once
 * @out: points are appended
 *
 * Return: 0; -ENOENT with near names as the hint; -E2BIG if there are more than @max; -ENODATA if
 * only debug information has it and there is none; -ENOMEM.
 */
int tfs_func_find(struct tfs_debuginfo *dbg, const struct tfs_func_query *q, struct tfs_points *out,
		  struct tfs_err *err);

/**
 * tfs_func_list() - names of the functions a probe can be put on, sorted, each once
 * @filter: globs, a leading '!' leaves out; NULL for all
 */
int tfs_func_list(struct tfs_debuginfo *dbg, const char *filter, struct tfs_strvec *out,
		  struct tfs_err *err);

/**
 * tfs_func_is_stripped() - has a program neither a symbol table, but that of what it exports, nor
 * debug information? Go's functions are known all the same.
 */
bool tfs_func_is_stripped(struct tfs_debuginfo *dbg);

/** tfs_path_has_tail() - @path (may be NULL) ends in @tail, at the beginning of a component */
bool tfs_path_has_tail(const char *path, const char *tail);

/**
 * tfs_point_at() - the point for an address: its function, scope and line
 * Return: 0 (also when nothing but the address is known), -ENOENT if it is not code, -ENOMEM.
 */
int tfs_point_at(struct tfs_debuginfo *dbg, uint64_t addr, struct tfs_points *out,
		 struct tfs_err *err);

/**
 * tfs_point_may_be_inlined() - false if what begins at @point is known to be inlined nowhere
 * False as well without debug information. Cheap; tfs_func_find() looks for the copies.
 */
bool tfs_point_may_be_inlined(struct tfs_debuginfo *dbg, const struct tfs_point *point);

/**
 * tfs_point_returns() - each instruction that returns from the function at @func
 * @func: at its entry
 * @out: points are appended, with TFS_POINT_RET
 *
 * Return: 0; -ENOENT if it has none; -ENODATA if where it ends is not known; -EILSEQ if not all of
 * its instructions are; -EOPNOTSUPP for a machine whose are not; -ENOMEM.
 */
int tfs_point_returns(struct tfs_debuginfo *dbg, struct tfs_point *func, struct tfs_points *out,
		      struct tfs_err *err);

/**
 * tfs_point_read_decl() - @decl_file and @decl_line of a point, and TFS_POINT_GLOBAL
 *
 * Who looks up all functions seldom asks, and it is half of what there is to read.
 */
void tfs_point_read_decl(struct tfs_debuginfo *dbg, struct tfs_point *point);

/**
 * tfs_point_read_line() - @file and @line of a point
 *
 * To have them for all copies that a look-up finds is to run the line tables of all units.
 */
void tfs_point_read_line(struct tfs_debuginfo *dbg, struct tfs_point *point);

/** tfs_point_linkage() - what the linker calls the function, or NULL; the dso's */
const char *tfs_point_linkage(const struct tfs_point *point);

/**
 * tfs_point_move() - the same point at another address of the same function: scope and line follow
 */
void tfs_point_move(struct tfs_point *point, uint64_t addr);

/** tfs_points_move() - append all of @from, which is empty afterwards; 0 or -ENOMEM */
int tfs_points_move(struct tfs_points *to, struct tfs_points *from);

/**
 * tfs_func_filter_fits() - does a name match a filter: one of its words, or none if all of them
 * begin with '!', and none that begins with '!'
 */
bool tfs_func_filter_fits(const struct tfs_strvec *filter, const char *name);

#endif
