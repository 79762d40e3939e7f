/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "insn/insn.h"

#include <elf.h>
#include <errno.h>

#include "base/macros.h"
#include "dso/arch/machine.h"
#include "dso/dso.h"
#include "insn/insn-internal.h"

/* The longest instruction of any machine: x86's. */
#define INSN_MAX 15
/* Bytes that are walked over to find out where an instruction begins. */
#define WALK_MAX (4U << 20)

static bool is_x86(const struct tfs_machine *machine)
{
	return machine->elf == EM_X86_64 || machine->elf == EM_386;
}

/* By the manuals: svc, svc, ecall, sc and scv, svc. On arm a condition of 1111 is another one. */
static const struct {
	unsigned int elf;
	unsigned int len;
	uint32_t mask;
	uint32_t value;
} syscalls[] = {
	{ EM_AARCH64, 4, 0xffe0001f, 0xd4000001 }, { EM_ARM, 4, 0x0f000000, 0x0f000000 },
	{ EM_RISCV, 4, 0xffffffff, 0x00000073 },   { EM_PPC64, 4, 0xfc000003, 0x44000002 },
	{ EM_PPC64, 4, 0xfc000003, 0x44000001 },   { EM_S390, 2, 0xff00, 0x0a00 },
};

bool tfs_insn_is_syscall(const struct tfs_machine *machine, const uint8_t *code, size_t n)
{
	struct tfs_insn insn;
	uint32_t word;

	if (is_x86(machine))
		return !tfs_insn_x86(machine->bits, code, n, 0, &insn) && insn.syscall;
	for (size_t i = 0; i < ARRAY_SIZE(syscalls); i++) {
		if (syscalls[i].elf != machine->elf || n < syscalls[i].len)
			continue;
		word = 0;
		for (unsigned int k = 0; k < syscalls[i].len; k++)
			word |= (uint32_t)code[k]
				<< 8 * (machine->big ? syscalls[i].len - 1 - k : k);
		if ((word & syscalls[i].mask) == syscalls[i].value)
			return machine->elf != EM_ARM || word >> 28 != 0xf;
	}
	return false;
}

int tfs_insn_decode(const struct tfs_machine *machine, const uint8_t *code, size_t n, uint64_t addr,
		    struct tfs_insn *out)
{
	int rc;

	switch (machine->elf) {
	case EM_X86_64:
	case EM_386:
		return tfs_insn_x86(machine->bits, code, n, addr, out);
	case EM_AARCH64:
	case EM_RISCV:
	case EM_S390:
	case EM_PPC64:
		rc = tfs_insn_risc(machine, code, n, addr, out);
		if (!rc && tfs_insn_is_syscall(machine, code, out->len))
			out->syscall = out->no_uprobe = true;
		return rc;
	default:
		return -EOPNOTSUPP;
	}
}

int tfs_insn_walk(const struct tfs_dso *dso, uint64_t from, uint64_t end,
		  struct tfs_insn_walk *walk)
{
	const struct tfs_machine *machine = tfs_dso_machine(dso);

	if (!machine)
		return -EOPNOTSUPP;
	*walk = (struct tfs_insn_walk){ .dso = dso, .machine = machine, .addr = from, .end = end };
	return 0;
}

int tfs_insn_next(struct tfs_insn_walk *walk, uint64_t *addr, struct tfs_insn *out)
{
	uint8_t code[INSN_MAX] = { 0 };
	size_t n = INSN_MAX;
	int rc;

	if (walk->addr >= walk->end)
		return 0;
	if (walk->end - walk->addr < n)
		n = (size_t)(walk->end - walk->addr);
	/* The rest of the section may be shorter than the longest instruction. */
	while (n && tfs_dso_read(walk->dso, walk->addr, code, n))
		n--;
	rc = tfs_insn_decode(walk->machine, code, n, walk->addr, out);
	if (rc)
		return rc;
	*addr = walk->addr;
	walk->addr += out->len;
	return 1;
}

int tfs_insn_at(const struct tfs_dso *dso, uint64_t from, uint64_t addr, uint64_t *begin,
		uint64_t *end)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	int rc;

	if (addr < from)
		return -EINVAL;
	if (addr - from > WALK_MAX)
		return -E2BIG;
	rc = tfs_insn_walk(dso, from, UINT64_MAX, &walk);
	if (rc)
		return rc;
	do {
		rc = tfs_insn_next(&walk, begin, &insn);
		if (rc <= 0)
			return rc ? rc : -ENODATA;
	} while (walk.addr <= addr);
	*end = walk.addr;
	return 0;
}

int tfs_insn_before(const struct tfs_dso *dso, uint64_t from, uint64_t addr, uint64_t *before)
{
	uint64_t begin, end;
	int rc;

	if (addr <= from)
		return -ENOENT;
	rc = tfs_insn_at(dso, from, addr - 1, &begin, &end);
	if (rc)
		return rc;
	if (end != addr)
		return -ENOENT;
	*before = begin;
	return 0;
}
