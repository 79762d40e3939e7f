/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/debug-copy.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inflate.h"
#include "base/io.h"
#include "base/macros.h"
#include "dso/dso-relocate.h"

/* At what sections without an alignment begin; that of every type they may hold */
#define ALIGN 16
/* A file has one section a part, or two where units of two versions are linked together. */
#define LATER_MAX 8

/*
 * struct later - a section that is expanded when its part is asked for
 * @from: its bytes in the file
 * @at, @size: in the copy, all pages of its own
 */
struct later {
	enum tfs_debug_part part;
	const char *from;
	size_t from_size;
	size_t at;
	size_t size;
	bool asked;
	bool damaged;
};

/*
 * @file: Elf of the file, while the copy is made
 * @from, @to: both as they are mapped; they are one if only addresses are written
 * @end: how much of the copy is laid out
 */
struct tfs_debug_copy {
	Elf *file;
	char *from;
	size_t from_size;
	char *to;
	size_t to_size;
	size_t end;
	size_t page;
	struct tfs_inflater *inflater;
	struct later later[LATER_MAX];
	size_t n_later;
	Elf *elf;
};

static const struct {
	const char *name;
	enum tfs_debug_part part;
} parts[] = {
	{ ".debug_line", TFS_DEBUG_LINES },
	{ ".debug_loclists", TFS_DEBUG_PLACES },
	{ ".debug_loc", TFS_DEBUG_PLACES },
	{ ".debug_frame", TFS_DEBUG_FRAMES },
};

static uint64_t aligned(uint64_t size, uint64_t to)
{
	return (size + to - 1) & ~(to - 1);
}

static bool has_bytes(const GElf_Shdr *sh)
{
	return sh->sh_type != SHT_NOBITS && sh->sh_type != SHT_NULL;
}

/* SHF_COMPRESSED with zlib only: zstd and .zdebug are left to libdw. */
static bool is_compressed(Elf_Scn *scn, const GElf_Shdr *sh, GElf_Chdr *ch)
{
	return has_bytes(sh) && sh->sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, ch) &&
	       ch->ch_type == ELFCOMPRESS_ZLIB && ch->ch_size;
}

/* Bytes that the copy has, 0 if nothing is compressed. */
static uint64_t expanded_size(const struct tfs_debug_copy *c)
{
	uint64_t size = aligned(c->from_size, ALIGN) + LATER_MAX * 2 * c->page;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Chdr ch;
	bool any = false;

	while ((scn = elf_nextscn(c->file, scn))) {
		if (!gelf_getshdr(scn, &sh) || !is_compressed(scn, &sh, &ch))
			continue;
		if (ch.ch_size > SIZE_MAX / 2 - size)
			return 0;
		size += aligned(ch.ch_size, ALIGN);
		any = true;
	}
	return any ? size : 0;
}

static bool copy_part(struct tfs_debug_copy *c, uint64_t off, uint64_t len)
{
	if (off > c->from_size || len > c->from_size - off)
		return false;
	memcpy(c->to + off, c->from + off, len);
	return true;
}

/* Write a section's header, which no longer says that it is compressed. */
static bool write_header(struct tfs_debug_copy *c, const GElf_Ehdr *eh, size_t index,
			 const GElf_Shdr *sh)
{
	bool wide = eh->e_ident[EI_CLASS] == ELFCLASS64;
	size_t size = wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	Elf32_Shdr narrow = {
		.sh_name = sh->sh_name,
		.sh_type = sh->sh_type,
		.sh_flags = (Elf32_Word)sh->sh_flags,
		.sh_addr = (Elf32_Addr)sh->sh_addr,
		.sh_offset = (Elf32_Off)sh->sh_offset,
		.sh_size = (Elf32_Word)sh->sh_size,
		.sh_link = sh->sh_link,
		.sh_info = sh->sh_info,
		.sh_addralign = (Elf32_Word)sh->sh_addralign,
		.sh_entsize = (Elf32_Word)sh->sh_entsize,
	};
	Elf_Data in = { .d_buf = wide ? (void *)(uintptr_t)sh : &narrow,
			.d_type = ELF_T_SHDR,
			.d_version = EV_CURRENT,
			.d_size = size };
	Elf_Data out = { .d_buf = c->to + eh->e_shoff + index * size,
			 .d_version = EV_CURRENT,
			 .d_size = size };

	if (!wide && (sh->sh_offset > UINT32_MAX || sh->sh_size > UINT32_MAX))
		return false;
	return gelf_xlatetof(c->file, &out, &in, eh->e_ident[EI_DATA]) != NULL;
}

/*
 * The part that a section belongs to, 0 if it is expanded at once: libdw looks at others when it
 * opens a file, and at strings; all of a relocatable file gets its addresses.
 */
static unsigned int part_of(const struct tfs_debug_copy *c, const GElf_Ehdr *eh,
			    const GElf_Shdr *sh)
{
	const char *name = elf_strptr(c->file, eh->e_shstrndx, sh->sh_name);

	if (!name || sh->sh_type != SHT_PROGBITS || eh->e_type == ET_REL)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!strcmp(name, parts[i].name))
			return parts[i].part;
	return 0;
}

/* The section header already gets its final offset. */
static bool expand_later(struct tfs_debug_copy *c, unsigned int part, const struct later *what)
{
	if (c->n_later == LATER_MAX)
		return false;
	c->end = aligned(c->end, c->page);
	c->later[c->n_later] = *what;
	c->later[c->n_later].part = part;
	c->later[c->n_later].at = c->end;
	c->n_later++;
	return true;
}

static bool expand_section(struct tfs_debug_copy *c, const GElf_Ehdr *eh, Elf_Scn *scn,
			   GElf_Shdr *sh, unsigned int part)
{
	size_t head = gelf_fsize(c->file, ELF_T_CHDR, 1, EV_CURRENT);
	GElf_Chdr ch;
	struct later what;
	bool done;

	if (!gelf_getchdr(scn, &ch) || sh->sh_offset > c->from_size ||
	    sh->sh_size > c->from_size - sh->sh_offset || sh->sh_size < head)
		return false;
	what = (struct later){ .from = c->from + sh->sh_offset + head,
			       .from_size = sh->sh_size - head,
			       .size = ch.ch_size };
	if (part)
		done = expand_later(c, part, &what);
	else
		done = !tfs_inflate(c->inflater, what.from, what.from_size, c->to + c->end,
				    what.size);
	if (!done)
		return false;
	sh->sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
	sh->sh_offset = c->end;
	sh->sh_size = ch.ch_size;
	sh->sh_addralign = ch.ch_addralign;
	c->end += aligned(ch.ch_size, part ? c->page : ALIGN);
	return write_header(c, eh, elf_ndxscn(scn), sh);
}

/* Those that are expanded at once and all that are not compressed, or those that are not. */
static bool lay_out_sections(struct tfs_debug_copy *c, const GElf_Ehdr *eh, bool later)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Chdr ch;

	while ((scn = elf_nextscn(c->file, scn))) {
		bool done = true;

		if (!gelf_getshdr(scn, &sh))
			return false;
		if (is_compressed(scn, &sh, &ch)) {
			unsigned int part = part_of(c, eh, &sh);

			if (!part == !later)
				done = expand_section(c, eh, scn, &sh, part);
		} else if (has_bytes(&sh) && !later) {
			done = copy_part(c, sh.sh_offset, sh.sh_size);
		}
		if (!done)
			return false;
	}
	return true;
}

/* All bytes stay where they were, except compressed sections: those come after the others. */
static bool lay_out(struct tfs_debug_copy *c)
{
	GElf_Ehdr eh;
	size_t n_sections, n_segments;

	if (!gelf_getehdr(c->file, &eh) || elf_getshdrnum(c->file, &n_sections) ||
	    elf_getphdrnum(c->file, &n_segments) ||
	    eh.e_shentsize != gelf_fsize(c->file, ELF_T_SHDR, 1, EV_CURRENT) ||
	    !copy_part(c, 0, eh.e_ehsize) ||
	    !copy_part(c, eh.e_phoff, n_segments * eh.e_phentsize) ||
	    !copy_part(c, eh.e_shoff, n_sections * eh.e_shentsize))
		return false;
	return lay_out_sections(c, &eh, false) && lay_out_sections(c, &eh, true);
}

/* A read of bytes that are not expanded yet must fault, not return zeros. */
static bool close_later(const struct tfs_debug_copy *c)
{
	for (size_t i = 0; i < c->n_later; i++)
		if (mprotect(c->to + c->later[i].at, aligned(c->later[i].size, c->page), PROT_NONE))
			return false;
	return true;
}

/* A file that is in memory only: its pages can be given back, and are still there. */
static char *map_memory(size_t size)
{
	int fd = memfd_create("debug", MFD_CLOEXEC);
	char *to = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)size))
		to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	tfs_close(&fd);
	return to == MAP_FAILED ? NULL : to;
}

/* Pages of what was expanded, and of what it was expanded from: not all is read again. */
static void give_back(const struct tfs_debug_copy *c, size_t at, size_t size)
{
	madvise(c->from, c->from_size, MADV_DONTNEED);
	madvise(c->to + at, size, MADV_DONTNEED);
}

static bool expand(struct tfs_debug_copy *c, uint64_t size)
{
	bool done = false;

	c->to = map_memory(size);
	if (!c->to)
		return false;
	c->to_size = size;
	c->end = aligned(c->from_size, ALIGN);
	c->inflater = tfs_inflater_new();
	if (c->inflater)
		done = lay_out(c) && close_later(c);
	give_back(c, 0, c->to_size);
	return done;
}

static bool read_file(struct tfs_debug_copy *c, Elf *module)
{
	uint64_t size = expanded_size(c);

	if (size) {
		if (!expand(c, size))
			return false;
	} else if (module) {
		c->to = c->from;
		c->to_size = c->from_size;
	} else {
		return false;
	}
	c->elf = elf_memory(c->to, c->to_size);
	return c->elf && (!module || tfs_relocate_debug(c->elf, module));
}

struct tfs_debug_copy *tfs_debug_copy_new(int fd, Elf *module)
{
	struct tfs_debug_copy *c = calloc(1, sizeof(*c));
	bool done = false;
	struct stat st;

	if (!c)
		return NULL;
	c->page = (size_t)sysconf(_SC_PAGESIZE);
	c->file = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!c->file || elf_kind(c->file) != ELF_K_ELF || fstat(fd, &st) || st.st_size <= 0)
		goto out;
	c->from = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (c->from == MAP_FAILED) {
		c->from = NULL;
		goto out;
	}
	c->from_size = (size_t)st.st_size;
	done = read_file(c, module);
out:
	elf_end(c->file);
	c->file = NULL;
	if (!done) {
		tfs_debug_copy_free(c);
		c = NULL;
	}
	return c;
}

Elf *tfs_debug_copy_elf(const struct tfs_debug_copy *copy)
{
	return copy->elf;
}

static bool expand_now(struct tfs_debug_copy *c, struct later *l)
{
	char *to = c->to + l->at;
	size_t pages = aligned(l->size, c->page);
	bool done;

	l->asked = true;
	if (mprotect(to, pages, PROT_READ | PROT_WRITE))
		return false;
	done = !tfs_inflate(c->inflater, l->from, l->from_size, to, l->size);
	if (!done)
		memset(to, 0, l->size);
	give_back(c, l->at, pages);
	return done;
}

bool tfs_debug_copy_expand(struct tfs_debug_copy *copy, enum tfs_debug_part part)
{
	bool done = true;

	for (size_t i = 0; i < copy->n_later; i++) {
		struct later *l = &copy->later[i];

		if (l->part != part)
			continue;
		if (!l->asked)
			l->damaged = !expand_now(copy, l);
		if (l->damaged)
			done = false;
	}
	return done;
}

void tfs_debug_copy_free(struct tfs_debug_copy *copy)
{
	if (!copy)
		return;
	elf_end(copy->elf);
	tfs_inflater_free(copy->inflater);
	if (copy->to && copy->to != copy->from)
		munmap(copy->to, copy->to_size);
	if (copy->from)
		munmap(copy->from, copy->from_size);
	free(copy);
}
