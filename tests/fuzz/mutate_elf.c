/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fuzz_elf's inputs are mutated. Tables of small numbers give bytes their meaning: changing one
 * of these, and leaving the rest as it is, gets further than random bytes.
 */
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SECTIONS_MAX 64

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);

struct part {
	uint8_t *bytes;
	size_t size;
	bool abbrev;
};

struct parts {
	struct part v[SECTIONS_MAX];
	unsigned int n;
};

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static bool is_wanted(const char *name)
{
	static const char *const starts[] = { ".debug_", ".eh_frame",    ".note.", ".symtab",
					      ".dynsym", ".gnu.version", ".rela",  ".zdebug" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* The sections of one 64-bit little-endian file, which is what the seeds are. */
static void find_parts(uint8_t *data, size_t size, struct parts *parts)
{
	Elf64_Ehdr eh;
	Elf64_Shdr strings, sh;

	if (size < sizeof(eh) || memcmp(data, ELFMAG, SELFMAG) != 0)
		return;
	memcpy(&eh, data, sizeof(eh));
	if (eh.e_shoff > size || eh.e_shentsize != sizeof(sh) || eh.e_shstrndx >= eh.e_shnum ||
	    eh.e_shnum > (size - eh.e_shoff) / sizeof(sh))
		return;
	memcpy(&strings, data + eh.e_shoff + eh.e_shstrndx * sizeof(sh), sizeof(sh));
	if (strings.sh_offset > size || strings.sh_size > size - strings.sh_offset ||
	    !strings.sh_size || data[strings.sh_offset + strings.sh_size - 1])
		return;
	for (size_t i = 1; i < eh.e_shnum && parts->n < SECTIONS_MAX; i++) {
		const char *name;

		memcpy(&sh, data + eh.e_shoff + i * sizeof(sh), sizeof(sh));
		if (sh.sh_type == SHT_NOBITS || !sh.sh_size || sh.sh_offset > size ||
		    sh.sh_size > size - sh.sh_offset || sh.sh_name >= strings.sh_size)
			continue;
		name = (const char *)data + strings.sh_offset + sh.sh_name;
		if (is_wanted(name))
			parts->v[parts->n++] = (struct part){ data + sh.sh_offset, sh.sh_size,
							      strstr(name, "abbrev") != NULL };
	}
}

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t odd_number(uint32_t *state, size_t size)
{
	static const uint64_t odd[] = {
		0,
		1,
		2,
		8,
		0x7f,
		0x80,
		0xff,
		0x7fff,
		0xffff,
		0x7fffffff,
		0x80000000,
		0xfffffff0,
		0xffffffff,
		0x7fffffffffffffff,
		0xffffffffffffffff,
	};
	uint32_t what = next(state);

	switch (what % 4) {
	case 0:
		return odd[what / 4 % (sizeof(odd) / sizeof(odd[0]))];
	case 1:
		return size - what / 4 % 8;
	default: /* a place in the section, what references and lists go by */
		return what / 4 % (size + 1);
	}
}

/* Attributes and forms are a byte each; those that there are. */
static uint8_t attribute_or_form(uint32_t *state)
{
	uint32_t what = next(state);

	return (uint8_t)(what & 1 ? 1 + (what >> 1) % 0x2c : 1 + (what >> 1) % 0x8c);
}

static void change(const struct part *p, uint32_t *state)
{
	size_t at = next(state) % p->size, from, n;

	switch (next(state) % 8) {
	case 0:
		p->bytes[at] = (uint8_t)next(state);
		break;
	case 1:
		p->bytes[at] += (uint8_t)(next(state) % 9 - 4);
		break;
	case 2:
		p->bytes[at] ^= (uint8_t)(1u << next(state) % 8);
		break;
	case 3:
		n = (size_t)1 << next(state) % 4;
		if (n <= p->size)
			put(p->bytes + at % (p->size - n + 1), odd_number(state, p->size), n);
		break;
	case 4:
		/* what every number of the format can end in: more bytes follow */
		for (n = 1 + next(state) % 12; n && at < p->size; n--, at++)
			p->bytes[at] |= 0x80;
		break;
	case 5:
		from = next(state) % p->size;
		n = 1 + next(state) % 16;
		if (n <= p->size - at && n <= p->size - from)
			memmove(p->bytes + at, p->bytes + from, n);
		break;
	default:
		p->bytes[at] = p->abbrev ? attribute_or_form(state) :
					   (uint8_t)odd_number(state, p->size);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	uint32_t state = seed * 2654435761u + 1;
	struct parts parts = { .n = 0 };
	size_t off = 0;

	find_parts(data, size, &parts);
	/* a second file, after the header that fuzz_elf.c describes and the first file */
	while (off + 64 < size && memcmp(data, "ELF2", 4) == 0 && parts.n < SECTIONS_MAX / 2) {
		uint8_t *elf = memmem(data + off + 4, size - off - 4, ELFMAG, SELFMAG);

		if (!elf)
			break;
		off = (size_t)(elf - data);
		find_parts(elf, size - off, &parts);
	}
	if (!parts.n || next(&state) % 16 == 0)
		return LLVMFuzzerMutate(data, size, max);
	for (uint32_t n = 1 + next(&state) % 4; n; n--)
		change(&parts.v[next(&state) % parts.n], &state);
	return size;
}
