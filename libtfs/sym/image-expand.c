/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/image-internal.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inflate.h"
#include "base/io.h"

/* At what sections without an alignment begin; that of every type they may hold */
#define ALIGN 16

/*
 * struct expansion - a file and its copy in memory
 * @from, @to: both as they are mapped; @end: how much of the copy is laid out
 */
struct expansion {
	Elf *elf;
	const char *from;
	size_t size;
	char *to;
	size_t end;
	struct tfs_inflater *inflater;
};

static uint64_t aligned(uint64_t size)
{
	return (size + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
}

static bool has_bytes(const GElf_Shdr *sh)
{
	return sh->sh_type != SHT_NOBITS && sh->sh_type != SHT_NULL;
}

/* What zlib compressed, as SHF_COMPRESSED means it. */
static bool is_compressed(Elf_Scn *scn, const GElf_Shdr *sh, GElf_Chdr *ch)
{
	return has_bytes(sh) && sh->sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, ch) &&
	       ch->ch_type == ELFCOMPRESS_ZLIB && ch->ch_size;
}

/* Bytes that the copy has, 0 if nothing is compressed. */
static uint64_t expanded_size(const struct expansion *x)
{
	uint64_t size = aligned(x->size);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Chdr ch;
	bool any = false;

	while ((scn = elf_nextscn(x->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !is_compressed(scn, &sh, &ch))
			continue;
		if (ch.ch_size > SIZE_MAX / 2 - size)
			return 0;
		size += aligned(ch.ch_size);
		any = true;
	}
	return any ? size : 0;
}

static bool copy_part(struct expansion *x, uint64_t off, uint64_t len)
{
	if (off > x->size || len > x->size - off)
		return false;
	memcpy(x->to + off, x->from + off, len);
	return true;
}

/* The header that says a section is no longer compressed, as the file writes headers. */
static bool put_header(struct expansion *x, const GElf_Ehdr *eh, size_t index, const GElf_Shdr *sh)
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
	Elf_Data out = { .d_buf = x->to + eh->e_shoff + index * size,
			 .d_version = EV_CURRENT,
			 .d_size = size };

	if (!wide && (sh->sh_offset > UINT32_MAX || sh->sh_size > UINT32_MAX))
		return false;
	return gelf_xlatetof(x->elf, &out, &in, eh->e_ident[EI_DATA]) != NULL;
}

static bool expand_section(struct expansion *x, const GElf_Ehdr *eh, Elf_Scn *scn, GElf_Shdr *sh,
			   const GElf_Chdr *ch)
{
	size_t head = gelf_fsize(x->elf, ELF_T_CHDR, 1, EV_CURRENT);

	if (sh->sh_offset > x->size || sh->sh_size > x->size - sh->sh_offset || sh->sh_size < head)
		return false;
	if (tfs_inflate(x->inflater, x->from + sh->sh_offset + head, sh->sh_size - head,
			x->to + x->end, ch->ch_size))
		return false;
	sh->sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
	sh->sh_offset = x->end;
	sh->sh_size = ch->ch_size;
	sh->sh_addralign = ch->ch_addralign;
	x->end += aligned(ch->ch_size);
	return put_header(x, eh, elf_ndxscn(scn), sh);
}

/* All of it stays where it was, but what was compressed: that comes behind the others. */
static bool lay_out(struct expansion *x)
{
	Elf_Scn *scn = NULL;
	GElf_Ehdr eh;
	GElf_Shdr sh;
	GElf_Chdr ch;
	size_t n_sections, n_segments;

	if (!gelf_getehdr(x->elf, &eh) || elf_getshdrnum(x->elf, &n_sections) ||
	    elf_getphdrnum(x->elf, &n_segments) ||
	    eh.e_shentsize != gelf_fsize(x->elf, ELF_T_SHDR, 1, EV_CURRENT) ||
	    !copy_part(x, 0, eh.e_ehsize) ||
	    !copy_part(x, eh.e_phoff, n_segments * eh.e_phentsize) ||
	    !copy_part(x, eh.e_shoff, n_sections * eh.e_shentsize))
		return false;
	while ((scn = elf_nextscn(x->elf, scn))) {
		bool done = true;

		if (!gelf_getshdr(scn, &sh))
			return false;
		if (is_compressed(scn, &sh, &ch))
			done = expand_section(x, &eh, scn, &sh, &ch);
		else if (has_bytes(&sh))
			done = copy_part(x, sh.sh_offset, sh.sh_size);
		if (!done)
			return false;
	}
	return true;
}

/* Fill a file of @size bytes that is in memory only. */
static bool fill(struct expansion *x, int fd, size_t size)
{
	bool done = false;

	if (ftruncate(fd, (off_t)size))
		return false;
	x->to = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (x->to == MAP_FAILED)
		return false;
	x->end = aligned(x->size);
	x->inflater = tfs_inflater_new();
	if (x->inflater)
		done = lay_out(x);
	tfs_inflater_free(x->inflater);
	munmap(x->to, size);
	return done;
}

int tfs_image_expand(int fd)
{
	struct expansion x = { .elf = elf_begin(fd, ELF_C_READ_MMAP, NULL) };
	struct stat st;
	int copy = -1;
	uint64_t size;

	if (!x.elf || elf_kind(x.elf) != ELF_K_ELF || fstat(fd, &st) || st.st_size <= 0)
		goto out;
	x.size = (size_t)st.st_size;
	size = expanded_size(&x);
	if (!size)
		goto out;
	x.from = mmap(NULL, x.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (x.from == MAP_FAILED)
		goto out;
	copy = memfd_create("debug", MFD_CLOEXEC);
	if (copy >= 0 && !fill(&x, copy, size))
		tfs_close(&copy);
	munmap((void *)(uintptr_t)x.from, x.size);
out:
	elf_end(x.elf);
	return copy;
}
