/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/code-start.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "dso/arch/machine.h"
#include "dso/dso-elf.h"
#include "dso/dso.h"
#include "dso/symbol.h"

/* Unwinding information of @addr; yours, NULL if there is none. */
static Dwarf_Frame *frame_at(struct tfs_dso *dso, uint64_t addr, Dwarf_Addr *bias)
{
	Dwfl_Module *mod = tfs_dso_dwfl(dso);
	Dwarf_CFI *cfi = mod ? dwfl_module_eh_cfi(mod, bias) : NULL;
	Dwarf_Frame *frame = NULL;

	if (!cfi || dwarf_cfi_addrframe(cfi, addr - *bias, &frame))
		return NULL;
	return frame;
}

static bool is_of_code(const struct tfs_symbol *sym)
{
	return sym->type == TFS_SYMBOL_FUNC || sym->type == TFS_SYMBOL_IFUNC ||
	       sym->type == TFS_SYMBOL_PLT || sym->type == TFS_SYMBOL_OTHER;
}

/* A symbol without a size is taken to reach to the next one, though nothing guarantees that. */
static bool holds(const struct tfs_symbol *sym, uint64_t addr)
{
	return is_of_code(sym) && addr >= sym->addr &&
	       (addr - sym->addr < sym->size || addr == sym->addr || !sym->size);
}

int tfs_code_start(struct tfs_dso *dso, uint64_t addr, uint64_t *start)
{
	const struct tfs_symbol *sym = tfs_symbol_at(dso, addr);
	Dwarf_Addr bias = 0, from, to;
	Dwarf_Frame *frame = frame_at(dso, addr, &bias);
	int rc = -ENOENT;

	if (sym && holds(sym, addr)) {
		*start = sym->addr;
		rc = 0;
	}
	if (frame && dwarf_frame_info(frame, &from, &to, NULL) != -1 && from + bias <= addr &&
	    (rc || from + bias > *start)) {
		*start = from + bias;
		rc = 0;
	}
	free(frame);
	return rc;
}

/* Is the canonical frame address @distance above the stack pointer? */
static bool is_frame_of_call(const struct tfs_machine *machine, Dwarf_Frame *frame)
{
	static const struct {
		unsigned int elf;
		unsigned int sp;
		unsigned int distance;
	} calls[] = {
		{ EM_X86_64, 7, 8 }, { EM_386, 4, 4 },     { EM_AARCH64, 31, 0 }, { EM_ARM, 13, 0 },
		{ EM_RISCV, 2, 0 },  { EM_S390, 15, 160 }, { EM_PPC64, 1, 0 },
	};
	Dwarf_Op *op = NULL;
	size_t n = 0;

	if (dwarf_frame_cfa(frame, &op, &n) || n != 1)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (calls[i].elf != machine->elf)
			continue;
		if (op->atom == DW_OP_bregx)
			return op->number == calls[i].sp && op->number2 == calls[i].distance;
		return op->atom == DW_OP_breg0 + calls[i].sp && op->number == calls[i].distance;
	}
	return false;
}

bool tfs_code_is_entry(struct tfs_dso *dso, uint64_t addr)
{
	const struct tfs_machine *machine = tfs_dso_machine(dso);
	const struct tfs_symbol *sym = tfs_symbol_at(dso, addr);
	Dwarf_Frame *frame;
	Dwarf_Addr bias = 0;
	bool is = false;

	if (sym && holds(sym, addr) && sym->size)
		return addr == sym->addr || addr == sym->addr + sym->skip;
	frame = frame_at(dso, addr, &bias);
	if (frame && machine)
		is = is_frame_of_call(machine, frame);
	free(frame);
	return is;
}
