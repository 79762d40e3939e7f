/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/line-files.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strmap.h"
#include "dso/dso-elf.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/die-reader-leb.h"
#include "dwarf/line-head.h"
#include "dwarf/line-table.h"

/* Attributes of a directory or file. DWARF 5 has five: name, directory, time, size, checksum. */
#define FORMATS_MAX 8

static void release(struct tfs_debuginfo *dbg)
{
	free(dbg->files->v);
	free(dbg->files);
	dbg->files = NULL;
}

/* The cache in @dbg, allocated at first use; NULL without memory. */
static struct tfs_line_files *files_of(struct tfs_debuginfo *dbg)
{
	if (!dbg->files) {
		dbg->files = calloc(1, sizeof(*dbg->files));
		if (dbg->files)
			tfs_debuginfo_on_free(dbg, release);
	}
	return dbg->files;
}

/**
 * struct reader - a head that is being read
 * @dirs: by their numbers
 */
struct reader {
	struct tfs_line_head head;
	const char **dirs;
	size_t n_dirs;
	size_t dirs_cap;
	struct tfs_line_files *files;
};

static int add_dir(struct reader *r, const char *dir)
{
	if (tfs_grow(&r->dirs, &r->dirs_cap, r->n_dirs + 1))
		return -ENOMEM;
	r->dirs[r->n_dirs++] = dir;
	return 0;
}

/* -ENOTSUP for what libdw should judge. */
static int add_file(struct reader *r, const char *name, uint64_t dir)
{
	struct tfs_line_files *files = r->files;

	if (!name || dir >= r->n_dirs)
		return -ENOTSUP;
	if (tfs_grow(&files->v, &files->cap, files->n + 1))
		return -ENOMEM;
	files->v[files->n++] =
		(struct tfs_line_file){ .dir = *name == '/' ? NULL : r->dirs[dir], .name = name };
	return 0;
}

static bool read_uleb(struct tfs_cursor *c, uint64_t *out)
{
	const unsigned char *at = c->base + c->off;

	if (!tfs_read_uleb128(&at, c->base + c->size, out))
		return false;
	c->off = (size_t)(at - c->base);
	return true;
}

static const char *compiled_in(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
}

/* Before DWARF 5: strings up to an empty one; in the file table, three numbers follow each. */
static int read_old(struct reader *r, Dwarf_Die *unit)
{
	struct tfs_cursor *c = &r->head.c;
	int rc = add_dir(r, compiled_in(unit));
	uint64_t dir, skipped;
	const char *s;

	while (!rc && !(rc = tfs_cursor_strz(c, &s)) && *s)
		rc = add_dir(r, s);
	r->files->base = 1;
	while (!rc && !(rc = tfs_cursor_strz(c, &s)) && *s)
		rc = read_uleb(c, &dir) && read_uleb(c, &skipped) && read_uleb(c, &skipped) ?
			     add_file(r, s, dir) :
			     -ENOTSUP;
	return rc;
}

static int read_offset_string(struct reader *r, const char **out)
{
	const struct tfs_section *strings = &r->files->sections.strings;
	struct tfs_cursor *c = &r->head.c;
	uint64_t off = 0;
	uint32_t word = 0;
	int rc = r->head.dwarf64 ? tfs_cursor_u64(c, &off) : tfs_cursor_u32(c, &word);

	if (!r->head.dwarf64)
		off = word;
	if (rc || off >= strings->len || !memchr(strings->s + off, 0, strings->len - off))
		return -ENOTSUP;
	*out = (const char *)strings->s + off;
	return 0;
}

/* A name, or a number that may be a directory's. */
static int read_value(struct reader *r, uint64_t form, const char **s, uint64_t *number)
{
	struct tfs_cursor *c = &r->head.c;
	const void *skipped;
	uint16_t half;
	uint8_t byte;

	switch (form) {
	case DW_FORM_string:
		return tfs_cursor_strz(c, s);
	case DW_FORM_line_strp:
		return read_offset_string(r, s);
	case DW_FORM_udata:
		return read_uleb(c, number) ? 0 : -ENOTSUP;
	case DW_FORM_data1:
		if (tfs_cursor_u8(c, &byte))
			return -ENOTSUP;
		*number = byte;
		return 0;
	case DW_FORM_data2:
		if (tfs_cursor_u16(c, &half))
			return -ENOTSUP;
		*number = half;
		return 0;
	case DW_FORM_data16:
		return tfs_cursor_bytes(c, 16, &skipped);
	default:
		return -ENOTSUP;
	}
}

/* DWARF 5: what each entry has, how many there are, and they; files if @dirs is false. */
static int read_entries(struct reader *r, bool dirs)
{
	uint64_t type[FORMATS_MAX], form[FORMATS_MAX], count = 0;
	struct tfs_cursor *c = &r->head.c;
	uint8_t formats;
	int rc = tfs_cursor_u8(c, &formats);

	/* an entry of nothing would take no room, and there could be any number of them */
	if (rc || !formats || formats > FORMATS_MAX)
		return -ENOTSUP;
	for (unsigned int i = 0; i < formats; i++)
		if (!read_uleb(c, &type[i]) || !read_uleb(c, &form[i]))
			return -ENOTSUP;
	if (!read_uleb(c, &count))
		return -ENOTSUP;
	for (uint64_t n = 0; n < count && !rc; n++) {
		const char *name = NULL;
		uint64_t dir = 0;

		for (unsigned int i = 0; i < formats && !rc; i++) {
			const char *s = NULL;
			uint64_t number = 0;

			rc = read_value(r, form[i], &s, &number);
			if (type[i] == DW_LNCT_path)
				name = s;
			else if (type[i] == DW_LNCT_directory_index)
				dir = number;
		}
		if (!rc)
			rc = dirs ? add_dir(r, name) : add_file(r, name, dir);
	}
	return rc;
}

static int read_new(struct reader *r)
{
	int rc = read_entries(r, true);

	return rc ? rc : read_entries(r, false);
}

/* 0; -ENOTSUP if this takes libdw, -ENOMEM. */
static int read_files(struct tfs_debuginfo *dbg, Dwarf_Die *unit)
{
	struct reader r = { .files = dbg->files };
	uint8_t type = 0;
	int rc;

	/* a split unit has its own table, or that of another; sections of a module are moved */
	if (tfs_dso_is_relocatable(dbg->dso) ||
	    dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) ||
	    (type != DW_UT_compile && type != DW_UT_partial) ||
	    !tfs_line_head_find(dbg, unit, &dbg->files->sections, &r.head) ||
	    !tfs_line_head_read(&r.head))
		return -ENOTSUP;
	r.head.c.off = r.head.files;
	r.head.c.size = r.head.program;
	switch (r.head.version) {
	case 2:
	case 3:
	case 4:
		rc = read_old(&r, unit);
		break;
	case 5:
		rc = read_new(&r);
		break;
	default:
		rc = -ENOTSUP;
	}
	free(r.dirs);
	return rc;
}

/* As libdw puts them together; the same path is kept once. */
static const char *path_of(struct tfs_debuginfo *dbg, struct tfs_line_file *file)
{
	char *path;

	if (file->path)
		return file->path;
	if (!file->dir)
		return file->name;
	if (asprintf(&path, "%s/%s", file->dir, file->name) < 0)
		return NULL;
	file->path = tfs_strmap_keep(&dbg->texts, path);
	free(path);
	return file->path;
}

const char *tfs_unit_file(struct tfs_debuginfo *dbg, Dwarf_Die *unit, size_t number)
{
	struct tfs_line_files *files = files_of(dbg);
	Dwarf_Files *all;
	size_t n;

	if (files && files->unit != unit->cu) {
		files->unit = unit->cu;
		files->n = 0;
		files->base = 0;
		if (read_files(dbg, unit))
			files->n = 0;
	}
	if (files && number >= files->base && number - files->base < files->n)
		return path_of(dbg, &files->v[number - files->base]);
	/* a program may add to them, and what looks damaged need not be to libdw */
	return tfs_unit_files(dbg, unit, &all, &n) || number >= n ?
		       NULL :
		       dwarf_filesrc(all, number, NULL, NULL);
}
