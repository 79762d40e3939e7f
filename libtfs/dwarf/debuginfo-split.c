/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/debuginfo-internal.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/macros.h"
#include "base/open-in.h"
#include "dso/dso-elf.h"
#include "dso/section.h"

/*
 * Units whose debug information is in a .dwo file. libdw looks for that file once, when the unit is
 * first used, and opens whatever has the name. It does not take a descriptor, but it can be given
 * another name: while it looks, the name in its memory is that of a descriptor opened here, or one
 * that does not exist if no .dwo file was opened for the unit.
 */

/* "/proc/self/fd/" and a number; the shorter one is a link to it */
#define FD_DIR "/proc/self/fd/"
#define FD_DIR_SHORT "/dev/fd/"
/* of a descriptor of three digits */
#define NAME_MAX_BYTES 20
#define FD_MAX 999

/* struct lent - bytes of a section that are something else for a while */
struct lent {
	char *at;
	size_t len;
	char saved[NAME_MAX_BYTES];
};

/* Sections that libdw reads while it looks for the file; it only takes the address of others. */
static bool is_read_meanwhile(const char *name)
{
	static const char *const read[] = { ".debug_info", ".debug_abbrev", ".debug_str_offsets" };

	for (size_t i = 0; i < ARRAY_SIZE(read); i++)
		if (!strcmp(name, read[i]))
			return true;
	return false;
}

/* May the bytes of the file from @from to @to be others for a while? */
static bool may_be_lent(Elf *elf, uint64_t from, uint64_t to)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name;

		if (!gelf_getshdr(scn, &sh))
			return false;
		name = elf_strptr(elf, strings, sh.sh_name);
		if (sh.sh_type != SHT_NOBITS && sh.sh_offset < to && sh.sh_size &&
		    from < sh.sh_offset + sh.sh_size && (!name || is_read_meanwhile(name)))
			return false;
	}
	return true;
}

/* Bytes from @s on that may be written to: to the end of its section, 0 if it is in none. */
static size_t room_in_section(Elf *elf, const char *s)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data[] = { elf_rawdata(scn, NULL), elf_getdata(scn, NULL) };

		for (size_t i = 0; i < 2; i++) {
			const char *from = data[i] ? data[i]->d_buf : NULL;

			if (from && s >= from && s < from + data[i]->d_size)
				return (size_t)(from + data[i]->d_size - s);
		}
	}
	return 0;
}

/*
 * The same; the last string of a section may go on into the next one, if all is in the file's
 * memory.
 */
static size_t room_at(Elf *elf, const char *s)
{
	size_t room = room_in_section(elf, s), size = 0;
	const char *raw = room && room < NAME_MAX_BYTES ? elf_rawfile(elf, &size) : NULL;
	uint64_t at;

	if (!raw || s < raw || s >= raw + size)
		return room;
	at = (uint64_t)(s - raw);
	if (size - at < NAME_MAX_BYTES || !may_be_lent(elf, at + room, at + NAME_MAX_BYTES))
		return room;
	return NAME_MAX_BYTES;
}

/* Put @name in place of what begins at @s and may be overwritten for @room bytes. */
static bool lend(const char *s, size_t room, const char *name, struct lent *l)
{
	l->len = strlen(name) + 1;
	if (l->len > room)
		return false;
	l->at = (char *)(uintptr_t)s;
	memcpy(l->saved, s, l->len);
	memcpy(l->at, name, l->len);
	return true;
}

/* A name for @fd; without one or without room, that of a directory, where libdw finds nothing. */
static bool lend_file(const char *s, size_t room, int fd, struct lent *l)
{
	char name[32];

	if (fd >= 0 && fd <= FD_MAX) {
		snprintf(name, sizeof(name), FD_DIR "%d", fd);
		if (lend(s, room, name, l))
			return true;
		snprintf(name, sizeof(name), FD_DIR_SHORT "%d", fd);
		if (lend(s, room, name, l))
			return true;
	}
	return lend(s, room, "/", l);
}

static void take_back(const struct lent *l)
{
	memcpy(l->at, l->saved, l->len);
}

/* Sound, and of the unit with @id if others are there that might be. */
static bool is_wanted(int fd, const uint64_t *id)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool wanted = elf && tfs_sections_are_sound(elf);
	Dwarf *dw = wanted && id ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	Dwarf_CU *cu = NULL;

	if (wanted && id) {
		wanted = false;
		while (dw && !wanted && !dwarf_get_units(dw, cu, &cu, NULL, NULL, NULL, NULL)) {
			uint64_t its = 0;

			wanted = !dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &its, NULL, NULL) &&
				 its == *id;
		}
	}
	if (dw)
		dwarf_end(dw);
	elf_end(elf);
	return wanted;
}

/* Takes @path over. */
static int try_dwo(const struct tfs_debuginfo *dbg, bool below, char *path, const uint64_t *id)
{
	int fd = -1;

	if (path)
		fd = tfs_open_in(below ? tfs_dso_root(dbg->dso) : TFS_NO_ROOT, path, TFS_NO_LIMIT);
	free(path);
	if (fd >= 0 && !is_wanted(fd, id))
		tfs_close(&fd);
	return fd;
}

static char *joined(const char *dir, size_t len, const char *name)
{
	char *path = NULL;

	if (*name == '/')
		return strdup(name);
	return asprintf(&path, "%.*s/%s", (int)len, dir, name) < 0 ? NULL : path;
}

/* Beside the file, then where it was compiled: below what stands for /, and here. */
static int open_dwo(const struct tfs_debuginfo *dbg, const char *name, const char *dir,
		    const uint64_t *id)
{
	const char *from = tfs_dso_debug_path(dbg->dso) ? tfs_dso_debug_path(dbg->dso) :
							  tfs_dso_file(dbg->dso);
	const char *symfs = tfs_dso_symfs(dbg->dso) ? tfs_dso_symfs(dbg->dso) : "";
	size_t root = strlen(symfs);
	bool other = tfs_dso_root(dbg->dso) != TFS_NO_ROOT && !strncmp(from, symfs, root);
	int fd = -1;

	for (int below = other; below >= 0 && fd < 0; below--) {
		const char *base = below ? from + root : from;
		const char *slash = strrchr(base, '/');

		/* what a container names is a file of the container */
		if (!below && tfs_dso_is_in_namespace(dbg->dso))
			break;
		fd = try_dwo(dbg, below, joined(base, slash ? (size_t)(slash - base) : 0, name),
			     id);
		if (fd < 0 && dir && *dir == '/' && *name != '/')
			fd = try_dwo(dbg, below, joined(dir, strlen(dir), name), id);
	}
	return fd;
}

static const char *dwo_name(Dwarf_Die *unit, bool *inside)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr(unit, DW_AT_dwo_name, &attr) &&
	    !dwarf_attr(unit, DW_AT_GNU_dwo_name, &attr))
		return NULL;
	*inside = dwarf_whatform(&attr) == DW_FORM_string;
	return dwarf_formstring(&attr);
}

/* False if libdw could not be kept from opening what is named. */
static bool link_unit(struct tfs_debuginfo *dbg, Dwarf_CU *cu, Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	Dwarf_Die split;
	const char *name, *dir;
	struct lent lent;
	size_t room;
	uint64_t id = 0;
	bool inside = false, done;
	int fd;

	name = dwo_name(unit, &inside);
	if (!name || !*name || dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &id, NULL, NULL))
		return true;
	/* what follows a name that is in the unit is another attribute, which libdw will read */
	room = room_at(dwarf_getelf(dbg->dw), name);
	if (room && inside)
		room = strlen(name) + 1;
	dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	fd = open_dwo(dbg, name, dir, &id);
	done = lend_file(name, room, fd, &lent);
	if (done) {
		dwarf_cu_info(cu, NULL, NULL, NULL, &split, NULL, NULL, NULL);
		take_back(&lent);
	}
	tfs_close(&fd);
	return done;
}

bool tfs_debuginfo_link_split(struct tfs_debuginfo *dbg)
{
	Dwarf_CU *cu = NULL;
	uint8_t type = 0;
	Dwarf_Die unit;

	while (!dwarf_get_units(dbg->dw, cu, &cu, NULL, &type, &unit, NULL))
		if (type == DW_UT_skeleton && !link_unit(dbg, cu, &unit))
			return false;
	return true;
}
