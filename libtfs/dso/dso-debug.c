/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "base/crc32.h"
#include "base/err.h"
#include "base/io.h"
#include "base/open-in.h"
#include "dso/debuginfod.h"
#include "dso/dso-elf.h"
#include "dso/dso.h"
#include "dso/section.h"

/* Where distributions install debug files. */
#define DEBUG_ROOT "/usr/lib/debug"

/* To read it takes seconds; larger debug files than this have a build-id. */
#define CRC_BYTES_MAX (2ull << 30)

#define UNSOUND "sections of '%s' are compressed out of all proportion"

/* The build-id a file itself has, as text; NULL if none. */
static char *build_id_of(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *bits = NULL;
	char *hex = NULL;
	ssize_t n;

	if (!elf)
		return NULL;
	n = dwelf_elf_gnu_build_id(elf, &bits);
	if (n > 0)
		hex = tfs_dso_hex(bits, (size_t)n);
	elf_end(elf);
	return hex;
}

/* The checksum that .gnu_debuglink has of the debug file. */
static uint32_t crc_of(int fd)
{
	unsigned char part[65536];
	uint32_t crc = 0;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, part, sizeof(part), at)) > 0) {
		crc = tfs_crc32(crc, part, (size_t)n);
		at += n;
	}
	return crc;
}

/* All of the file has to be read for it. */
static bool has_crc(struct tfs_dso *dso, const char *path, int fd, uint32_t crc)
{
	struct stat st;

	if (fstat(fd, &st) || (uint64_t)st.st_size > CRC_BYTES_MAX) {
		snprintf(dso->why_not, sizeof(dso->why_not),
			 "'%s' is too large to verify by checksum, and there is no build-id", path);
		return false;
	}
	if (crc_of(fd) == crc)
		return true;
	snprintf(dso->why_not, sizeof(dso->why_not),
		 "'%s' is not the file that was linked to (its checksum differs)", path);
	return false;
}

static bool is_sound(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool sound = elf && tfs_sections_are_sound(elf);

	elf_end(elf);
	return sound;
}

/* Is a debug file of the dso's build? By its build-id, else by the checksum of the link. */
static bool is_same_build(struct tfs_dso *dso, const char *path, int fd, const uint32_t *crc)
{
	char *id = NULL;
	bool same = true;

	if (!is_sound(fd)) {
		snprintf(dso->why_not, sizeof(dso->why_not), UNSOUND, path);
		return false;
	}
	if (dso->build_id) {
		id = build_id_of(fd);
		same = id && !strcmp(id, dso->build_id);
		if (!same)
			snprintf(dso->why_not, sizeof(dso->why_not),
				 "'%s' is of another build (%s)", path, id ? id : "no build-id");
	} else if (crc) {
		same = has_crc(dso, path, fd, *crc);
	}
	free(id);
	return same;
}

/*
 * Try one path; a file of another build is refused. Takes @path over.
 * @below: it is one below what stands for /
 * @crc: what the link says of it; NULL if it was found otherwise
 * @out: the path by which it can be opened here
 * Return: a descriptor, -1 if it will not do.
 */
static int try_path(struct tfs_dso *dso, bool below, char *path, const uint32_t *crc, char **out)
{
	char *shown = NULL;
	int fd = -1;

	below = below && dso->root != TFS_NO_ROOT;
	if (!path || !strcmp(path, below ? dso->inner : dso->file))
		goto out;
	if (asprintf(&shown, "%s%s", below ? dso->symfs : "", path) < 0) {
		shown = NULL;
		goto out;
	}
	if (tfs_strvec_has(&dso->tried, shown) || tfs_strvec_push(&dso->tried, shown))
		goto out;
	fd = tfs_open_in(below ? dso->root : TFS_NO_ROOT, path, TFS_NO_LIMIT);
	if (tfs_open_refused(fd))
		snprintf(dso->why_not, sizeof(dso->why_not), "'%s' is not used: %s", shown,
			 tfs_open_refused(fd));
	if (fd < 0) {
		fd = -1;
		goto out;
	}
	if (!is_same_build(dso, shown, fd, crc)) {
		tfs_close(&fd);
		goto out;
	}
	*out = shown;
	shown = NULL;
out:
	free(shown);
	free(path);
	return fd;
}

static char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static char *format(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return s;
}

static int try_build_id(struct tfs_dso *dso, char **out)
{
	const char *id = dso->build_id;
	int fd = -1;

	if (!id || strlen(id) < 4)
		return -1;
	for (int below = dso->root != TFS_NO_ROOT; below >= 0 && fd < 0; below--)
		fd = try_path(dso, below, format(DEBUG_ROOT "/.build-id/%.2s/%s.debug", id, id + 2),
			      NULL, out);
	return fd;
}

/* The places .gnu_debuglink is looked for in: beside the file, in .debug, below the debug root. */
static int try_debuglink(struct tfs_dso *dso, const char *link, uint32_t crc, char **out)
{
	const char *slash = strrchr(dso->inner, '/');
	int dir = slash ? (int)(slash - dso->inner) : 0;
	int fd;

	if (!link || strchr(link, '/'))
		return -1;
	fd = try_path(dso, true, format("%.*s/%s", dir, dso->inner, link), &crc, out);
	if (fd < 0)
		fd = try_path(dso, true, format("%.*s/.debug/%s", dir, dso->inner, link), &crc,
			      out);
	if (fd < 0)
		fd = try_path(dso, true, format(DEBUG_ROOT "%.*s/%s", dir, dso->inner, link), &crc,
			      out);
	return fd;
}

/* The paths where distributions install the debug files of kernels and modules. */
static int try_kernel(struct tfs_dso *dso, char **out)
{
	const char *base = strrchr(dso->inner, '/');

	if (dso->kind == TFS_DSO_MODULE)
		return try_path(dso, true, format(DEBUG_ROOT "%s", dso->inner), NULL, out);
	if (dso->kind != TFS_DSO_PROGRAM && base)
		return try_path(dso, true, format(DEBUG_ROOT "/boot%s", base), NULL, out);
	return -1;
}

static int search(struct tfs_dso *dso, const char *link, uint32_t crc, char **out)
{
	int fd;

	if (dso->debug)
		return try_path(dso, false, strdup(dso->debug), NULL, out);
	fd = try_build_id(dso, out);
	if (fd < 0)
		fd = try_debuglink(dso, link, crc, out);
	if (fd < 0)
		fd = try_kernel(dso, out);
	if (fd < 0 && dso->build_id) {
		fd = tfs_debuginfod_find(dso->build_id, NULL);
		if (fd >= 0 && !is_sound(fd))
			tfs_close(&fd);
	}
	return fd;
}

/* The debug file that was found, once more; *@out: its path, NULL if it has none. */
static int hand_over(struct tfs_dso *dso, char **out)
{
	if (dso->debug_found)
		*out = strdup(dso->debug_found);
	dso->debug_given = true;
	return fcntl(dso->debug_fd, F_DUPFD_CLOEXEC, 0);
}

/* Does the file have a section that makes libdw believe it has debug information? */
static bool has_debug_sections(Elf *elf)
{
	struct tfs_section_walk walk;

	if (!tfs_section_walk(&walk, elf))
		return true;
	while (tfs_section_next(&walk)) {
		if (walk.header.sh_type == SHT_NOBITS || walk.header.sh_flags & SHF_ALLOC)
			continue;
		if (!strncmp(walk.name, ".debug_", 7) || !strncmp(walk.name, ".zdebug_", 8) ||
		    !strcmp(walk.name, ".gnu.prelink_undo"))
			return true;
	}
	return false;
}

/*
 * Called for the debug file. libdwfl calls it once more for the file that this one refers to, which
 * is found later (dso-alt.c).
 */
/* NOLINTNEXTLINE(readability-function-size): libdwfl says what it is called with */
int tfs_dso_find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			   const char *file, const char *debuglink, GElf_Word crc, char **out)
{
	struct tfs_dso *dso = *userdata;
	int fd;

	(void)mod;
	(void)name;
	(void)base;
	(void)file;
	if (!dso || (dso->elf && has_debug_sections(dso->elf)))
		return -1;
	if (dso->debug_fd >= 0)
		return dso->debug_given ? -1 : hand_over(dso, out);
	fd = search(dso, debuglink, crc, out);
	if (fd >= 0) {
		dso->debug_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		dso->debug_found = *out ? strdup(*out) : NULL;
		dso->debug_given = true;
	}
	return fd;
}

int tfs_dso_debug_file(struct tfs_dso *dso)
{
	const char *name, *file, *link;
	char *found = NULL;
	void **userdata;
	Dwarf_Addr base;
	GElf_Word crc = 0;
	int fd;

	if (!dso->elf || has_debug_sections(dso->elf))
		return -1;
	if (dso->debug_fd >= 0)
		return dso->debug_fd;
	name = dwfl_module_info(dso->mod, &userdata, &base, NULL, NULL, NULL, &file, NULL);
	link = dwelf_elf_gnu_debuglink(dso->elf, &crc);
	fd = tfs_dso_find_debuginfo(dso->mod, userdata, name, base, file, link, crc, &found);
	dso->debug_given = false;
	free(found);
	tfs_close(&fd);
	return dso->debug_fd;
}

const char *tfs_dso_debug_path(const struct tfs_dso *dso)
{
	return dso->debug_found;
}

const char *tfs_dso_debug_refused(const struct tfs_dso *dso)
{
	return dso->why_not;
}
