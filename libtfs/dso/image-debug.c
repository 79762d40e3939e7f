/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/image-internal.h"

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
#include "dso/section.h"

/* Where distributions put debug information, besides beside the file itself. */
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
		hex = tfs_image_hex(bits, (size_t)n);
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
static bool has_crc(struct tfs_image *img, const char *path, int fd, uint32_t crc)
{
	struct stat st;

	if (fstat(fd, &st) || (uint64_t)st.st_size > CRC_BYTES_MAX) {
		snprintf(img->why_not, sizeof(img->why_not),
			 "'%s' is too large to be told by a checksum, and there is no build-id",
			 path);
		return false;
	}
	if (crc_of(fd) == crc)
		return true;
	snprintf(img->why_not, sizeof(img->why_not),
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
	} else if (crc) {
		same = has_crc(img, path, fd, *crc);
	}
	free(id);
	return same;
}

/*
 * Try one path; a file of another build is no better than none. Takes @path over.
 * @below: it is one below what stands for /
 * @crc: what the link says of it; NULL if it was found otherwise
 * @out: the path by which it can be opened here
 * Return: a descriptor, -1 if it will not do.
 */
static int try_path(struct tfs_image *img, bool below, char *path, const uint32_t *crc, char **out)
{
	char *shown = NULL;
	int fd = -1;

	below = below && img->root != TFS_NO_ROOT;
	if (!path || !strcmp(path, below ? img->inner : img->file))
		goto out;
	if (asprintf(&shown, "%s%s", below ? img->symfs : "", path) < 0) {
		shown = NULL;
		goto out;
	}
	if (tfs_strvec_has(&img->tried, shown) || tfs_strvec_push(&img->tried, shown))
		goto out;
	fd = tfs_open_in(below ? img->root : TFS_NO_ROOT, path, TFS_NO_LIMIT);
	if (tfs_open_refused(fd))
		snprintf(img->why_not, sizeof(img->why_not), "'%s' is not used: %s", shown,
			 tfs_open_refused(fd));
	if (fd < 0) {
		fd = -1;
		goto out;
	}
	if (!is_same_build(img, shown, fd, crc)) {
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

static int try_build_id(struct tfs_image *img, char **out)
{
	const char *id = img->build_id;
	int fd = -1;

	if (!id || strlen(id) < 4)
		return -1;
	for (int below = img->root != TFS_NO_ROOT; below >= 0 && fd < 0; below--)
		fd = try_path(img, below, format(DEBUG_ROOT "/.build-id/%.2s/%s.debug", id, id + 2),
			      NULL, out);
	return fd;
}

/* The places .gnu_debuglink is looked for in: beside the file, in .debug, below the debug root. */
static int try_debuglink(struct tfs_image *img, const char *link, uint32_t crc, char **out)
{
	const char *slash = strrchr(img->inner, '/');
	int dir = slash ? (int)(slash - img->inner) : 0;
	int fd;

	if (!link || strchr(link, '/'))
		return -1;
	fd = try_path(img, true, format("%.*s/%s", dir, img->inner, link), &crc, out);
	if (fd < 0)
		fd = try_path(img, true, format("%.*s/.debug/%s", dir, img->inner, link), &crc,
			      out);
	if (fd < 0)
		fd = try_path(img, true, format(DEBUG_ROOT "%.*s/%s", dir, img->inner, link), &crc,
			      out);
	return fd;
}

/* What distributions name a kernel's or module's file with debug information. */
static int try_kernel(struct tfs_image *img, char **out)
{
	const char *base = strrchr(img->inner, '/');

	if (img->kind == TFS_IMAGE_MODULE)
		return try_path(img, true, format(DEBUG_ROOT "%s", img->inner), NULL, out);
	if (img->kind != TFS_IMAGE_PROGRAM && base)
		return try_path(img, true, format(DEBUG_ROOT "/boot%s", base), NULL, out);
	return -1;
}

static int search(struct tfs_image *img, const char *link, uint32_t crc, char **out)
{
	int fd;

	if (img->debug)
		return try_path(img, false, strdup(img->debug), NULL, out);
	fd = try_build_id(img, out);
	if (fd < 0)
		fd = try_debuglink(img, link, crc, out);
	if (fd < 0)
		fd = try_kernel(img, out);
	if (fd < 0 && img->build_id) {
		fd = tfs_debuginfod_find(img->build_id, NULL);
		if (fd >= 0 && !is_sound(fd))
			tfs_close(&fd);
	}
	return fd;
}

/* The debug file that was found, once more; *@out: its path, NULL if it has none. */
static int hand_over(struct tfs_image *img, char **out)
{
	if (img->debug_found)
		*out = strdup(img->debug_found);
	img->debug_given = true;
	return fcntl(img->debug_fd, F_DUPFD_CLOEXEC, 0);
}

/* Has the file itself what libdw takes for debug information, if only a part of it? */
static bool has_debug_sections(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return true;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name = NULL;

		if (gelf_getshdr(scn, &sh) && sh.sh_type != SHT_NOBITS &&
		    !(sh.sh_flags & SHF_ALLOC))
			name = elf_strptr(elf, strings, sh.sh_name);
		if (name && (!strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8) ||
			     !strcmp(name, ".gnu.prelink_undo")))
			return true;
	}
	return false;
}

/*
 * Called for the debug file. libdwfl calls it once more for the file that this one refers to, which
 * is found later (image-alt.c).
 */
/* NOLINTNEXTLINE(readability-function-size): libdwfl says what it is called with */
int tfs_image_find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			     const char *file, const char *debuglink, GElf_Word crc, char **out)
{
	struct tfs_image *img = *userdata;
	int fd;

	(void)mod;
	(void)name;
	(void)base;
	(void)file;
	if (!img || (img->elf && has_debug_sections(img->elf)))
		return -1;
	if (img->debug_fd >= 0)
		return img->debug_given ? -1 : hand_over(img, out);
	fd = search(img, debuglink, crc, out);
	if (fd >= 0) {
		img->debug_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		img->debug_found = *out ? strdup(*out) : NULL;
		img->debug_given = true;
	}
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

static bool first_segment(Elf *elf, GElf_Phdr *ph)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, ph) && ph->p_type == PT_LOAD)
			return true;
	return false;
}

/* Are addresses in the debug file the image's own? libdwfl can tell where this cannot. */
static bool has_addresses_of(struct tfs_image *img, Elf *elf)
{
	GElf_Phdr own, other;
	GElf_Ehdr eh;

	if (img->rel)
		return gelf_getehdr(elf, &eh) && eh.e_type == ET_REL;
	return first_segment(img->elf, &own) && first_segment(elf, &other) &&
	       own.p_vaddr == other.p_vaddr && own.p_memsz == other.p_memsz &&
	       own.p_align == other.p_align;
}

/* Find the debug file, and take what is in it from a copy; false where libdwfl is to do it. */
static bool load_copy(struct tfs_image *img)
{
	const char *name, *file, *link;
	char *found = NULL;
	void **userdata;
	Dwarf_Addr base;
	GElf_Word crc = 0;
	Elf *elf;
	int fd;

	if (!img->elf || has_debug_sections(img->elf))
		return false;
	if (img->debug_fd < 0) {
		name = dwfl_module_info(img->mod, &userdata, &base, NULL, NULL, NULL, &file, NULL);
		link = dwelf_elf_gnu_debuglink(img->elf, &crc);
		fd = tfs_image_find_debuginfo(img->mod, userdata, name, base, file, link, crc,
					      &found);
		img->debug_given = false;
		free(found);
		tfs_close(&fd);
	}
	if (img->debug_fd >= 0)
		img->copy = tfs_debug_copy_new(img->debug_fd, img->rel ? img->elf : NULL);
	if (!img->copy)
		return false;
	elf = tfs_debug_copy_elf(img->copy);
	img->dw = has_addresses_of(img, elf) ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (img->dw)
		return true;
	tfs_debug_copy_free(img->copy);
	img->copy = NULL;
	return false;
}

/* The same by libdwfl, of the file itself or of its debug file; *@path: NULL if it is not known. */
static void load_module(struct tfs_image *img, const char **path)
{
	const char *main_file, *debug_file;
	Dwarf_Addr bias;

	img->dw = dwfl_module_getdwarf(img->mod, &bias);
	if (!img->dw)
		return;
	dwfl_module_info(img->mod, NULL, NULL, NULL, NULL, NULL, &main_file, &debug_file);
	*path = debug_file;
	if (!img->rel && bias) {
		snprintf(img->why_not, sizeof(img->why_not), "addresses in '%s' are others",
			 debug_file ? debug_file : main_file);
		img->dw = NULL;
	}
}

static void load_dwarf(struct tfs_image *img)
{
	const char *path = NULL;

	img->dw_state = -1;
	if (!img->mod)
		return;
	if (img->elf && !tfs_sections_are_sound(img->elf)) {
		snprintf(img->why_not, sizeof(img->why_not), UNSOUND, img->file);
		return;
	}
	if (load_copy(img))
		path = img->debug_found;
	else
		load_module(img, &path);
	if (!img->dw)
		return;
	tfs_image_find_alt(img);
	if (!tfs_image_link_split(img)) {
		snprintf(img->why_not, sizeof(img->why_not),
			 "'%s' names .dwo files in a way that is not understood", img->file);
		if (img->copy)
			dwarf_end(img->dw);
		tfs_debug_copy_free(img->copy);
		img->copy = NULL;
		img->dw = NULL;
		return;
	}
	img->debug_path = strdup(path ? path : img->file);
	img->dw_state = 1;
	tfs_image_find_pages(img);
	know_units(img);
}

bool tfs_image_expand(struct tfs_image *img, enum tfs_debug_part part)
{
	return !img->copy || tfs_debug_copy_expand(img->copy, part);
}

Dwarf_CFI *tfs_image_debug_frames(struct tfs_image *img)
{
	Dwarf_Addr bias;

	if (!img->copy)
		return dwfl_module_dwarf_cfi(img->mod, &bias);
	return tfs_image_expand(img, TFS_DEBUG_FRAMES) ? dwarf_getcfi(img->dw) : NULL;
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
