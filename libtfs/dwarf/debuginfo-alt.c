/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/debuginfo-internal.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/open-in.h"
#include "dso/debuginfod.h"
#include "dso/dso-elf.h"
#include "dso/section.h"

/*
 * dwz(1) moves debug information that several debug files share to a file of its own
 * (.gnu_debugaltlink). libdw opens whatever file is named there at the first reference to it, so it
 * is given the file that was opened here or, if there is none, an empty one.
 */

#define BUILD_ID_DIR "/usr/lib/debug/.build-id"

/* A frame table that is empty: libdw wants one section that it knows. */
struct nothing {
	Elf64_Ehdr head;
	char names[32];
	char frames[8];
	Elf64_Shdr section[3];
};

static const struct nothing nothing = {
	.head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
#if __BYTE_ORDER == __LITTLE_ENDIAN
			     ELFDATA2LSB,
#else
			     ELFDATA2MSB,
#endif
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_version = EV_CURRENT,
		.e_shoff = offsetof(struct nothing, section),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 1,
	},
	.names = "\0.shstrtab\0.debug_frame",
	.section = {
		{ .sh_type = SHT_NULL },
		{ .sh_name = 1,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = offsetof(struct nothing, names),
		  .sh_size = sizeof(nothing.names) },
		{ .sh_name = 11,
		  .sh_type = SHT_PROGBITS,
		  .sh_offset = offsetof(struct nothing, frames),
		  .sh_size = sizeof(nothing.frames) },
	},
};

static bool is_the_one(Elf *elf, const void *id, size_t len)
{
	const void *its = NULL;

	return elf && dwelf_elf_gnu_build_id(elf, &its) == (ssize_t)len && !memcmp(its, id, len) &&
	       tfs_sections_are_sound(elf);
}

/* Takes @fd over. */
static bool take_alt(struct tfs_debuginfo *dbg, int fd, const void *id, size_t len)
{
	if (fd < 0)
		return false;
	dbg->alt_elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (is_the_one(dbg->alt_elf, id, len))
		dbg->alt = dwarf_begin_elf(dbg->alt_elf, DWARF_C_READ, NULL);
	if (dbg->alt) {
		dbg->alt_fd = fd;
		return true;
	}
	elf_end(dbg->alt_elf);
	dbg->alt_elf = NULL;
	tfs_close(&fd);
	return false;
}

/* Takes @path over. */
static bool try_alt(struct tfs_debuginfo *dbg, bool below, char *path, const void *id, size_t len)
{
	int fd = -1;

	if (path)
		fd = tfs_open_in(below ? tfs_dso_root(dbg->dso) : TFS_NO_ROOT, path, TFS_NO_LIMIT);
	free(path);
	return take_alt(dbg, fd, id, len);
}

/* The servers know it by its build-id, as the file that refers to it. */
static bool fetch_alt(struct tfs_debuginfo *dbg, const void *id, size_t len)
{
	char *hex = tfs_dso_hex(id, len);
	bool found = hex && take_alt(dbg, tfs_debuginfod_find(hex, NULL), id, len);

	free(hex);
	return found;
}

static char *path_of_id(const void *id, size_t len)
{
	char *hex = tfs_dso_hex(id, len), *path = NULL;

	if (!hex || len < 2 || asprintf(&path, BUILD_ID_DIR "/%.2s/%s.debug", hex, hex + 2) < 0)
		path = NULL;
	free(hex);
	return path;
}

/* Relative names are so to the file that has them. */
static char *path_of_name(const char *from, const char *name)
{
	const char *slash = strrchr(from, '/');
	char *path = NULL;

	if (*name == '/')
		return strdup(name);
	return asprintf(&path, "%.*s/%s", slash ? (int)(slash - from) : 0, from, name) < 0 ? NULL :
											     path;
}

static const char *named_from(const struct tfs_debuginfo *dbg)
{
	return tfs_dso_debug_path(dbg->dso) ? tfs_dso_debug_path(dbg->dso) : tfs_dso_file(dbg->dso);
}

static bool find_alt(struct tfs_debuginfo *dbg, const char *name, const void *id, size_t len)
{
	bool other = tfs_dso_root(dbg->dso) != TFS_NO_ROOT;
	size_t root = other ? strlen(tfs_dso_symfs(dbg->dso)) : 0;
	const char *from = named_from(dbg);

	if (other && !strncmp(from, tfs_dso_symfs(dbg->dso), root) &&
	    (try_alt(dbg, true, path_of_name(from + root, name), id, len) ||
	     try_alt(dbg, true, path_of_id(id, len), id, len)))
		return true;
	if (try_alt(dbg, false, path_of_id(id, len), id, len))
		return true;
	if (!tfs_dso_is_in_namespace(dbg->dso) &&
	    try_alt(dbg, false, path_of_name(from, name), id, len))
		return true;
	return fetch_alt(dbg, id, len);
}

static void note_missing(struct tfs_debuginfo *dbg, const char *name, const void *id, size_t len)
{
	char *hex = tfs_dso_hex(id, len), *by_id = path_of_id(id, len);
	char *by_name = path_of_name(named_from(dbg), name);

	if (asprintf(&dbg->alt_missing.name, "'%s' (build-id %s)", name, hex ? hex : "?") < 0)
		dbg->alt_missing.name = NULL;
	if (asprintf(&dbg->alt_missing.tried, "%s, %s", by_id ? by_id : "?",
		     by_name ? by_name : name) < 0)
		dbg->alt_missing.tried = NULL;
	free(hex);
	free(by_id);
	free(by_name);
}

void tfs_debuginfo_find_alt(struct tfs_debuginfo *dbg)
{
	const void *id = NULL;
	const char *name = NULL;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(dbg->dw, &name, &id);

	if (len <= 0)
		return;
	if (!dbg->alt && !find_alt(dbg, name, id, (size_t)len)) {
		note_missing(dbg, name, id, (size_t)len);
		dbg->alt_elf = elf_memory((char *)(uintptr_t)&nothing, sizeof(nothing));
		if (dbg->alt_elf)
			dbg->alt = dwarf_begin_elf(dbg->alt_elf, DWARF_C_READ, NULL);
	}
	if (dbg->alt)
		dwarf_setalt(dbg->dw, dbg->alt);
}

void tfs_debuginfo_release_alt(struct tfs_debuginfo *dbg)
{
	if (dbg->alt)
		dwarf_end(dbg->alt);
	elf_end(dbg->alt_elf);
	tfs_close(&dbg->alt_fd);
}
