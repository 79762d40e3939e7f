/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/image-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>

#include "base/err.h"
#include "base/io.h"
#include "sym/section.h"

/* Where distributions put debug information, besides beside the file itself. */
#define DEBUG_ROOT "/usr/lib/debug"

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
		hex = tfs_image_hex(bits, (size_t)n);
	elf_end(elf);
	return hex;
}

/* The checksum that .gnu_debuglink has of the debug file: CRC-32 as in zlib, bit by bit. */
static uint32_t crc_of(int fd)
{
	unsigned char part[65536];
	uint32_t crc = ~(uint32_t)0;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, part, sizeof(part), at)) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			crc ^= part[i];
			for (int bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
		}
		at += n;
	}
	return ~crc;
}

static bool is_sound(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool sound = elf && tfs_sections_are_sound(elf);

	elf_end(elf);
	return sound;
}

/* Is a debug file of the image's build? By its build-id, else by the checksum of the link. */
static bool is_same_build(struct tfs_image *img, const char *path, int fd, const uint32_t *crc)
{
	char *id = NULL;
	bool same = true;

	if (!is_sound(fd)) {
		snprintf(img->why_not, sizeof(img->why_not), UNSOUND, path);
		return false;
	}
	if (img->build_id) {
		id = build_id_of(fd);
		same = id && !strcmp(id, img->build_id);
		if (!same)
			snprintf(img->why_not, sizeof(img->why_not),
				 "'%s' is of another build (%s)", path, id ? id : "no build-id");
	} else if (crc && crc_of(fd) != *crc) {
		same = false;
		snprintf(img->why_not, sizeof(img->why_not),
			 "'%s' is not the file that was linked to (its checksum differs)", path);
	}
	free(id);
	return same;
}

/*
 * Try one path; a file of another build is no better than none. Takes @path over.
 * @crc: what the link says of it; NULL if it was found otherwise
 * Return: a descriptor, -1 if it will not do.
 */
static int try_path(struct tfs_image *img, char *path, const uint32_t *crc, char **out)
{
	int fd = -1, expanded;

	if (!path)
		return -1;
	if (!strcmp(path, img->file) || tfs_strvec_has(&img->tried, path))
		goto out;
	if (tfs_strvec_push(&img->tried, path))
		goto out;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		goto out;
	if (!is_same_build(img, path, fd, crc)) {
		tfs_close(&fd);
		goto out;
	}
	*out = path;
	path = NULL;
	/* for symbols alone that would take longer than all else */
	expanded = img->dw_state ? tfs_image_expand(fd) : -1;
	if (expanded >= 0) {
		tfs_close(&fd);
		fd = expanded;
	}
out:
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

static int try_build_id(struct tfs_image *img, char **out)
{
	const char *id = img->build_id;
	int fd = -1;

	if (!id || strlen(id) < 4)
		return -1;
	if (img->symfs)
		fd = try_path(img,
			      format("%s" DEBUG_ROOT "/.build-id/%.2s/%s.debug", img->symfs, id,
				     id + 2),
			      NULL, out);
	if (fd < 0)
		fd = try_path(img, format(DEBUG_ROOT "/.build-id/%.2s/%s.debug", id, id + 2), NULL,
			      out);
	return fd;
}

/* The file's path as it is below symfs. */
static const char *inner_path(const struct tfs_image *img)
{
	size_t len = img->symfs ? strlen(img->symfs) : 0;

	return len && !strncmp(img->path, img->symfs, len) ? img->path + len : img->path;
}

/* The places .gnu_debuglink is looked for in: beside the file, in .debug, below the debug root. */
static int try_debuglink(struct tfs_image *img, const char *link, uint32_t crc, char **out)
{
	const char *root = img->symfs ? img->symfs : "", *path;
	const char *slash = strrchr(img->file, '/');
	int dir = slash ? (int)(slash - img->file) : 0;
	int fd;

	if (!link || strchr(link, '/'))
		return -1;
	fd = try_path(img, format("%.*s/%s", dir, img->file, link), &crc, out);
	if (fd < 0)
		fd = try_path(img, format("%.*s/.debug/%s", dir, img->file, link), &crc, out);
	path = inner_path(img);
	slash = strrchr(path, '/');
	dir = slash ? (int)(slash - path) : 0;
	if (fd < 0)
		fd = try_path(img, format("%s" DEBUG_ROOT "%.*s/%s", root, dir, path, link), &crc,
			      out);
	return fd;
}

/* What distributions name a kernel's or module's file with debug information. */
static int try_kernel(struct tfs_image *img, char **out)
{
	const char *base = strrchr(img->path, '/');
	int fd = -1;

	if (img->kind == TFS_IMAGE_PROGRAM)
		return -1;
	if (img->kind == TFS_IMAGE_MODULE)
		fd = try_path(img,
			      format("%s" DEBUG_ROOT "%s", img->symfs ? img->symfs : "", img->path),
			      NULL, out);
	else if (base)
		fd = try_path(img,
			      format("%s" DEBUG_ROOT "/boot%s", img->symfs ? img->symfs : "", base),
			      NULL, out);
	return fd;
}

/* NOLINTNEXTLINE(readability-function-size): libdwfl says what it is called with */
int tfs_image_find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			     const char *file, const char *debuglink, GElf_Word crc, char **out)
{
	struct tfs_image *img = *userdata;
	int fd = -1;

	if (!img)
		return -1;
	if (img->debug)
		return try_path(img, strdup(img->debug), NULL, out);
	fd = try_build_id(img, out);
	if (fd < 0)
		fd = try_debuglink(img, debuglink, crc, out);
	if (fd < 0)
		fd = try_kernel(img, out);
	/* libdwfl also asks debuginfod; without its variable there is nothing more to find. */
	if (fd < 0 && getenv("DEBUGINFOD_URLS"))
		fd = dwfl_standard_find_debuginfo(mod, userdata, name, base, file, debuglink, crc,
						  out);
	return fd;
}

/*
 * To find any unit libdw reads the headers of all before it, and with each the kernel maps what is
 * around it: in the end most of the section.
 */
static void know_units(struct tfs_image *img)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	if (!img->pages.from)
		return;
	while (!dwarf_get_units(img->dw, cu, &cu, NULL, NULL, &unit, NULL))
		tfs_image_read_on(img, unit.addr);
	tfs_image_forget(img);
}

static void load_dwarf(struct tfs_image *img)
{
	const char *main_file, *debug_file;
	Dwarf_Addr bias;

	img->dw_state = -1;
	if (!img->mod)
		return;
	if (img->elf && !tfs_sections_are_sound(img->elf)) {
		snprintf(img->why_not, sizeof(img->why_not), UNSOUND, img->file);
		return;
	}
	img->dw = dwfl_module_getdwarf(img->mod, &bias);
	if (!img->dw)
		return;
	dwfl_module_info(img->mod, NULL, NULL, NULL, NULL, NULL, &main_file, &debug_file);
	if (!img->rel && bias) {
		snprintf(img->why_not, sizeof(img->why_not), "addresses in '%s' are others",
			 debug_file ? debug_file : main_file);
		img->dw = NULL;
		return;
	}
	img->debug_path = strdup(debug_file ? debug_file : img->file);
	img->dw_state = 1;
	tfs_image_find_pages(img);
	know_units(img);
}

Dwarf *tfs_image_dwarf(struct tfs_image *img)
{
	if (!img->dw_state)
		load_dwarf(img);
	return img->dw;
}

bool tfs_image_has_dwarf(struct tfs_image *img)
{
	return tfs_image_dwarf(img) != NULL;
}

const char *tfs_image_debug_path(struct tfs_image *img)
{
	return tfs_image_dwarf(img) ? img->debug_path : NULL;
}

const struct tfs_strvec *tfs_image_debug_tried(struct tfs_image *img)
{
	tfs_image_dwarf(img);
	return &img->tried;
}

const char *tfs_image_debug_refused(const struct tfs_image *img)
{
	return img->why_not;
}

/* A unit of which only the skeleton is here: where its .dwo was. */
void tfs_image_note_split(struct tfs_image *img, Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *name, *dir;

	if (img->split_missing)
		return;
	name = dwarf_formstring(dwarf_attr(unit, DW_AT_dwo_name, &attr));
	if (!name)
		name = dwarf_formstring(dwarf_attr(unit, DW_AT_GNU_dwo_name, &attr));
	dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	if (!name)
		name = "a .dwo file";
	img->split_missing = *name == '/' || !dir ? strdup(name) : format("%s/%s", dir, name);
}

int tfs_units_next(struct tfs_image *img, struct tfs_units *it, Dwarf_Die *unit)
{
	Dwarf *dw = tfs_image_dwarf(img);
	uint8_t type = 0;
	Dwarf_Die split;

	if (!dw)
		return -ENODATA;
	do {
		int rc = dwarf_get_units(dw, it->cu, &it->cu, NULL, &type, unit, &split);

		if (rc)
			return rc == 1 ? 0 : -EBADMSG;
	} while (type == DW_UT_type || type == DW_UT_split_type);
	tfs_image_read_on(img, unit->addr);
	if (type == DW_UT_skeleton && split.addr)
		*unit = split;
	else if (type == DW_UT_skeleton)
		tfs_image_note_split(img, unit);
	return 1;
}
