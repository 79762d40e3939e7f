/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/line-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "dso/dso-go.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/func-internal.h"
#include "dwarf/go-lines.h"
#include "dwarf/line-table.h"
#include "dwarf/line.h"
#include "dwarf/unit.h"

/* No source file is longer; a line number beyond is damage. */
#define LINES_MAX 10000000u

void tfs_line_map_release(struct tfs_line_map *map)
{
	free(map->file);
	free(map->has);
	*map = (struct tfs_line_map){ 0 };
}

int tfs_line_map_add(struct tfs_line_map *map, unsigned int line)
{
	size_t at = line - map->first;

	if (line < map->first || line > LINES_MAX)
		return 0;
	if (at >= map->n) {
		bool *has = realloc(map->has, at + 1);

		if (!has)
			return -ENOMEM;
		memset(has + map->n, 0, at + 1 - map->n);
		map->has = has;
		map->n = at + 1;
	}
	map->has[at] = true;
	return 0;
}

/* A relative name counts from where the compiler was run. */
static char *absolute(Dwarf_Die *unit, const char *file)
{
	Dwarf_Attribute attr;
	const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	char *path;

	if (*file == '/' || !dir)
		return strdup(file);
	return asprintf(&path, "%s/%s", dir, file) < 0 ? NULL : path;
}

int tfs_line_map_func(struct tfs_debuginfo *dbg, struct tfs_point *func, struct tfs_line_map *out,
		      struct tfs_err *err)
{
	struct tfs_line_map map = { 0 };
	Dwarf_Lines *lines;
	Dwarf_Die unit;
	int rc = 0;
	size_t n;

	if (!tfs_debuginfo_available(dbg) && tfs_dso_go_table(dbg->dso))
		return tfs_go_line_map_func(dbg, func, out, err);
	if (!func->scope)
		return tfs_debuginfo_missing(dbg, err);
	tfs_point_read_decl(dbg, func);
	if (!func->decl_line || !func->decl_file ||
	    !dwarf_cu_die(func->scope->die.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    tfs_unit_lines(dbg, &unit, &lines, &n))
		return tfs_err_say(err, -ENODATA, "the debug information has no lines of '%s'",
				   func->func);
	map.first = func->decl_line;
	map.file = absolute(&unit, func->decl_file);
	if (!map.file)
		rc = -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		struct tfs_line_row row;

		if (tfs_line_row_get(lines, i, &row) &&
		    dwarf_haspc(&func->scope->die, row.addr) > 0 &&
		    tfs_same_source(row.file, func->decl_file))
			rc = tfs_line_map_add(&map, row.line);
	}
	if (rc) {
		tfs_line_map_release(&map);
		return tfs_err_set(err, rc, "cannot list the lines of '%s'", func->func);
	}
	*out = map;
	return 0;
}

struct map_search {
	struct tfs_debuginfo *dbg;
	struct tfs_line_map *map;
	const char *file;
	unsigned int last;
	bool saw;
	bool is_bare;
	Dwarf_Die bare;
};

static int map_unit(void *ctx, Dwarf_Die *unit)
{
	struct map_search *s = ctx;
	Dwarf_Lines *lines;
	size_t n;

	if (tfs_unit_lines(s->dbg, unit, &lines, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct tfs_line_row row;
		int rc;

		if (!tfs_line_row_get(lines, i, &row) || !tfs_path_has_tail(row.file, s->file))
			continue;
		s->saw = true;
		/* the functions that its lines are of are in a .dwo that is not here */
		if (tfs_unit_is_bare(unit)) {
			s->is_bare = true;
			s->bare = *unit;
			return 0;
		}
		if (!s->map->file && !(s->map->file = absolute(unit, row.file)))
			return -ENOMEM;
		rc = s->last && row.line > s->last ? 0 : tfs_line_map_add(s->map, row.line);
		if (rc)
			return rc;
	}
	return 0;
}

int tfs_line_map_file(struct tfs_debuginfo *dbg, const char *file, unsigned int first,
		      unsigned int last, struct tfs_line_map *out, struct tfs_err *err)
{
	struct tfs_line_map map = { .first = first ? first : 1 };
	struct map_search s = { .dbg = dbg, .map = &map, .file = file, .last = last };
	int rc;

	if (!tfs_debuginfo_available(dbg))
		return tfs_dso_go_table(dbg->dso) ?
			       tfs_go_line_map_file(dbg, file, first, last, out, err) :
			       tfs_debuginfo_missing(dbg, err);
	rc = tfs_units_of_file(dbg, file, &s.saw, map_unit, &s);
	if (rc) {
		tfs_err_set(err, rc, "cannot list the lines of '%s'", file);
	} else if (!map.file && s.is_bare) {
		tfs_debuginfo_note_split(dbg, &s.bare);
		rc = tfs_debuginfo_missing(dbg, err);
	} else if (!map.file) {
		rc = tfs_err_say(err, -ENOENT, "no code of a file '%s' in '%s'", file,
				 tfs_dso_path(dbg->dso));
	}
	if (rc) {
		tfs_line_map_release(&map);
		return rc;
	}
	*out = map;
	return 0;
}
