/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/elf_walk.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/debuginfo.h"
#include "dwarf/func.h"
#include "dwarf/line.h"
#include "dwarf/scope.h"
#include "probe/define.h"
#include "probe/features.h"
#include "probe/parse.h"
#include "probe/path.h"
#include "probe/resolve.h"
#include "probe/sdt.h"
#include "probe/spec.h"
#include "probe/validate.h"
#include "probe/var.h"

#define MAGIC "ELF2"
#define HEAD 12
/* Enough to see each kind of thing once, few enough for many inputs a second. */
#define FUNCS_MAX 16
#define POINTS_MAX 8
#define VARS_MAX 12

static void must(bool holds)
{
	if (!holds)
		abort();
}

static bool write_file(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool good = fd >= 0 && !tfs_write_all(fd, data, size);

	tfs_close(&fd);
	return good;
}

/* Where the files are: in memory, one directory for each process. */
static void enter_dir(char *dir, size_t size)
{
	snprintf(dir, size, "%s/fuzz_elf.XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	must(mkdtemp(dir) && !chdir(dir));
}

static void leave_dir(const char *dir, int back)
{
	unlink("input");
	unlink("second.dwo");
	unlink("stripped");
	must(!fchdir(back) && !rmdir(dir));
}

/* Length of the first file; 0 if the input is one file. */
static size_t first_size(const uint8_t *data, size_t size)
{
	char digits[9] = "";
	unsigned long n;
	char *end;

	if (size < HEAD || memcmp(data, MAGIC, 4) != 0)
		return 0;
	memcpy(digits, data + 4, 8);
	n = strtoul(digits, &end, 16);
	return *end || n > size - HEAD ? 0 : n;
}

static void define(struct tfs_debuginfo *dbg, const char *text)
{
	const struct tfs_probe_features features = { ~0U };
	struct tfs_strvec notices = TFS_STRVEC_INIT;
	const struct tfs_probe_resolve_opts opts = { .features = &features,
						     .max = 128,
						     .notices = &notices };
	struct tfs_probe_spec spec = { 0 };
	struct tfs_probe_defs defs = { 0 };
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	int rc = tfs_probe_parse(text, &spec, &err);

	if (!rc) {
		rc = tfs_probe_resolve(dbg, &spec, &opts, &defs, &err);
		must(rc <= 0 && (!rc || (err.code && err.msg[0])) && (!rc || !defs.n));
	}
	for (size_t i = 0; i < defs.n; i++) {
		tfs_strbuf_reset(&line);
		must(!tfs_probe_def_line(&defs.v[i], &line));
		must(!tfs_probe_validate(defs.v[i].type, line.s, &features, NULL));
	}
	tfs_probe_defs_release(&defs);
	tfs_probe_spec_release(&spec);
	tfs_strvec_release(&notices);
	tfs_strbuf_release(&line);
}

/* Each thing that can be typed with a function in it. */
static void define_all(struct tfs_debuginfo *dbg, const char *name)
{
	static const char *const forms[] = {
		"%s $vars",
		"%s:1 $vars",
		"%s%%return ret ret->next->name",
		"%s n->next->flags.high",
	};
	struct tfs_strbuf escaped = TFS_STRBUF_INIT;

	for (const char *c = name; *c; c++) {
		if (strchr("\\=@+:;%# \t", *c))
			must(!tfs_strbuf_addc(&escaped, '\\'));
		must(!tfs_strbuf_addc(&escaped, *c));
	}
	for (size_t i = 0; escaped.len && i < sizeof(forms) / sizeof(forms[0]); i++) {
		char *text;

		must(asprintf(&text, "%s%s", escaped.s, forms[i]) >= 0);
		define(dbg, text);
		free(text);
	}
	tfs_strbuf_release(&escaped);
}

static void explain(const struct tfs_scope *scope, const char *name)
{
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_path path = { 0 };
	int rc = tfs_path_parse(name, &path, &err);

	if (!rc) {
		rc = tfs_var_explain(scope, &path, &out, &err);
		must(rc <= 0 && (!rc || err.msg[0]));
	}
	tfs_path_release(&path);
	tfs_strbuf_release(&out);
}

static void look_at(struct tfs_debuginfo *dbg, struct tfs_point *p)
{
	struct tfs_var_list list = { 0 };
	struct tfs_line_map map = { 0 };
	struct tfs_scope *scope = NULL;
	uint64_t addr;

	if (!tfs_line_map_func(dbg, p, &map, NULL))
		tfs_line_map_release(&map);
	(void)tfs_line_prologue_end(dbg, p, &addr);
	if (p->scope)
		(void)tfs_line_body(dbg, p, &addr);
	if (tfs_scope_new(dbg, p, 0, &scope, NULL))
		return;
	if (!tfs_vars_list(scope, TFS_VARS_EXTERNS | TFS_VARS_RANGE, &list, NULL))
		for (size_t i = 0; i < list.n && i < VARS_MAX; i++)
			explain(scope, list.var[i].name);
	tfs_var_list_release(&list);
	tfs_scope_free(scope);
}

static void walk_function(struct tfs_debuginfo *dbg, const char *name)
{
	const struct tfs_func_query q = { .name = name };
	struct tfs_points points = TFS_POINTS_INIT;
	struct tfs_err err = TFS_ERR_INIT;

	if (tfs_func_find(dbg, &q, &points, &err))
		must(err.msg[0]);
	for (size_t i = 0; i < points.n && i < POINTS_MAX; i++)
		look_at(dbg, &points.v[i]);
	tfs_points_release(&points);
	define_all(dbg, name);
}

static void walk_lines(struct tfs_debuginfo *dbg, const char *file)
{
	struct tfs_points points = TFS_POINTS_INIT;
	struct tfs_line_map map = { 0 };

	if (!tfs_line_map_file(dbg, file, 1, 0, &map, NULL)) {
		for (size_t i = 0, n = 0; i < map.n && n < POINTS_MAX; i++) {
			if (!map.has[i])
				continue;
			n++;
			(void)tfs_line_find(dbg, file, (unsigned int)i + 1, &points, NULL);
		}
		tfs_line_map_release(&map);
	}
	tfs_points_release(&points);
}

static void walk_symbols(struct tfs_debuginfo *dbg)
{
	const struct tfs_symbol *syms;
	struct tfs_points points = TFS_POINTS_INIT;
	uint64_t off;
	size_t n;

	if (tfs_symbols(tfs_debuginfo_dso(dbg), &syms, &n, NULL))
		return;
	for (size_t i = 0; i < n && i < FUNCS_MAX; i++) {
		(void)tfs_symbol_at(tfs_debuginfo_dso(dbg), syms[i].addr + 1);
		if (!tfs_dso_file_offset(tfs_debuginfo_dso(dbg), syms[i].addr, &off))
			(void)tfs_point_at(dbg, syms[i].addr, &points, NULL);
	}
	tfs_points_release(&points);
}

static void walk(struct tfs_debuginfo *dbg)
{
	static const char *const names[] = { "enter", "walk", "twice", "ns::run" };
	struct tfs_strvec funcs = TFS_STRVEC_INIT;

	/* first, so that nothing is known of any unit yet */
	walk_function(dbg, "*");
	if (!tfs_func_list(dbg, NULL, &funcs, NULL))
		for (size_t i = 0; i < funcs.n && i < FUNCS_MAX; i++)
			walk_function(dbg, funcs.v[i]);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		walk_function(dbg, names[i]);
	walk_lines(dbg, "sample.c");
	walk_lines(dbg, "sample.cc");
	walk_lines(dbg, "main.go");
	walk_lines(dbg, "pkg.go");
	walk_symbols(dbg);
	define(dbg, "%sdt_sample:mark");
	define(dbg, "%mark");
	tfs_strvec_release(&funcs);
}

static void walk_file(const char *path, const char *debug)
{
	const struct tfs_dso_options opt = { .debug = debug };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_debuginfo *dbg;
	struct tfs_dso *dso = NULL;

	if (tfs_dso_open(path, &opt, &dso, &err)) {
		must(err.code && err.msg[0]);
		return;
	}
	dbg = tfs_debuginfo_new(dso);
	if (dbg)
		walk(dbg);
	tfs_debuginfo_free(dbg);
	tfs_dso_free(dso);
}

/* Whether it is read otherwise where it is the debug information of another file. */
static bool is_copied(Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Ehdr eh;
	GElf_Shdr sh;

	if (gelf_getehdr(elf, &eh) && eh.e_type == ET_REL)
		return true;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_COMPRESSED)
			return true;
	return false;
}

/* Say in the headers that a file has nothing of what is in its debug sections. */
static bool strip(Elf *elf, char *bytes, size_t size)
{
	size_t strings, type = offsetof(Elf64_Shdr, sh_type);
	Elf_Scn *scn = NULL;
	bool any = false;
	GElf_Ehdr eh;

	if (!gelf_getehdr(elf, &eh) || elf_getshdrstrndx(elf, &strings))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		uint64_t at = eh.e_shoff + elf_ndxscn(scn) * eh.e_shentsize + type;
		const char *name = NULL;
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh))
			name = elf_strptr(elf, strings, sh.sh_name);
		if (!name || (strncmp(name, ".debug_", 7) && strncmp(name, ".zdebug_", 8)) ||
		    at > size || size - at < 4)
			continue;
		memset(bytes + at, 0, 4);
		bytes[at + (eh.e_ident[EI_DATA] == ELFDATA2MSB ? 3 : 0)] = SHT_NOBITS;
		any = true;
	}
	return any;
}

/* The file that another one would be the debug information of. */
static bool strip_file(const char *from, const char *to)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool done = elf && is_copied(elf) && !tfs_read_path(from, &sb) && strip(elf, sb.s, sb.len);

	elf_end(elf);
	tfs_close(&fd);
	if (done)
		must(write_file(to, (const uint8_t *)sb.s, sb.len));
	tfs_strbuf_release(&sb);
	return done;
}

void elf_walk_bytes(const void *bytes, size_t size)
{
	const uint8_t *data = bytes;
	size_t first = first_size(data, size);
	int back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char dir[64];

	must(back >= 0);
	enter_dir(dir, sizeof(dir));
	if (first) {
		must(write_file("input", data + HEAD, first));
		must(write_file("second.dwo", data + HEAD + first, size - HEAD - first));
	} else {
		must(write_file("input", data, size));
	}
	walk_file("input", NULL);
	if (strip_file("input", "stripped"))
		walk_file("stripped", "input");
	leave_dir(dir, back);
	tfs_close(&back);
}
