/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "insn/go-entry.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "dso/arch/machine.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "insn/insn.h"

/* The longest check, of a large frame on 32 bits, has eight instructions. */
#define CHECK_MAX 16
/* To save 16 integers and 16 floating-point numbers, call, and load them again. */
#define AGAIN_MAX 96
/* A larger function is not looked at. */
#define FUNC_MAX (4U << 20)

/**
 * struct scratch - registers that a check may change, by their DWARF numbers
 * @always: they never hold an argument
 * @on_stack: nor do these in a function whose arguments are all on the stack
 * @tls: prefix of the instruction by which such a function finds its goroutine; others have it in a
 *	register (cmd/internal/obj/x86/obj6.go of Go)
 */
static const struct scratch {
	unsigned int elf;
	uint32_t always;
	uint32_t on_stack;
	uint8_t tls;
} scratches[] = {
	{ EM_X86_64, 1U << 12 | 1U << 13, 1U << 0 | 1U << 2 | 1U << 4 | 1U << 14, 0x64 },
	{ EM_386, 0, 1U << 0 | 1U << 1 | 1U << 6, 0x65 },
};

/**
 * struct check - a check that is being read
 * @changed: registers so far
 * @tls: the goroutine was looked up
 * @again: where the code that calls morestack begins, 0 before it was seen
 */
struct check {
	const struct tfs_go_code *func;
	uint32_t changed;
	bool tls;
	uint64_t again;
};

static int decode(const struct tfs_go_code *f, uint64_t at, struct tfs_insn *insn)
{
	uint64_t off = at - f->addr;

	if (at < f->addr || off >= f->n)
		return -ENODATA;
	return tfs_insn_decode(f->machine, f->code + off, f->n - (size_t)off, at, insn);
}

static bool calls_morestack(const struct tfs_go_code *f, const struct tfs_insn *insn)
{
	return insn->kind == TFS_INSN_CALL && insn->has_target &&
	       f->is_morestack(f->ctx, insn->target);
}

/* Straight-line code at @at that calls morestack and jumps to the function's beginning. */
static bool begins_again(const struct tfs_go_code *f, uint64_t at)
{
	struct tfs_insn insn;
	bool called = false;

	for (unsigned int i = 0; i < AGAIN_MAX && !decode(f, at, &insn); i++) {
		if (insn.kind == TFS_INSN_JUMP)
			return called && insn.has_target && insn.target == f->addr;
		/* a panic is called just before it */
		if (insn.kind != TFS_INSN_OTHER && !calls_morestack(f, &insn))
			return false;
		called = called || insn.kind == TFS_INSN_CALL;
		at += insn.len;
	}
	return false;
}

static const struct scratch *find_scratch(const struct tfs_machine *machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(scratches); i++) {
		if (scratches[i].elf == machine->elf)
			return &scratches[i];
	}
	return NULL;
}

static bool x86_keeps(struct check *c, const struct scratch *s, uint8_t first,
		      const struct tfs_insn *insn)
{
	c->tls = c->tls || first == s->tls;
	c->changed |= insn->changes;
	return insn->effects && !(insn->mem.access & TFS_INSN_WRITES) &&
	       !(insn->changes & ~(s->always | s->on_stack));
}

/* Arm ARM, C4: what only reads, and sets a register that Go passes nothing in: x16, x17, x27. */
static bool aarch64_keeps(uint32_t w)
{
	uint32_t to = w & 31;
	bool loads = (w & 0xffc00000) == 0xf9400000;    /* ldr x, [x, #n] */
	bool moves = (w & 0x1f800000) == 0x12800000;    /* movz, movn, movk */
	bool by_const = (w & 0x1f800000) == 0x11000000; /* add, sub: number */
	bool by_reg = (w & 0x1f000000) == 0x0b000000;   /* add, sub: register */

	/* to register 31: a comparison if it sets the flags, else the stack pointer is set */
	if ((by_const || by_reg) && to == 31)
		return w >> 29 & 1;
	return (loads || moves || by_const || by_reg) && (to == 16 || to == 17 || to == 27);
}

static uint32_t little(const uint8_t *code)
{
	return code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

/* The instruction leaves arguments, stack and memory as they are, whatever it computes. */
static bool keeps(struct check *c, uint64_t at, const struct tfs_insn *insn)
{
	const struct tfs_machine *machine = c->func->machine;
	const struct scratch *s = find_scratch(machine);
	const uint8_t *code = c->func->code + (at - c->func->addr);

	if (s)
		return x86_keeps(c, s, *code, insn);
	return machine->elf == EM_AARCH64 && aarch64_keeps(little(code));
}

/* No register that was changed holds an argument. */
static bool has_kept(const struct check *c)
{
	const struct scratch *s = find_scratch(c->func->machine);

	return !s || s->elf == EM_386 || c->tls || !(c->changed & ~s->always);
}

static bool is_part(struct check *c, uint64_t at, const struct tfs_insn *insn)
{
	if (insn->kind == TFS_INSN_OTHER)
		return keeps(c, at, insn);
	if (insn->kind != TFS_INSN_BRANCH || !insn->has_target || !has_kept(c) ||
	    (c->again && c->again != insn->target) || !begins_again(c->func, insn->target))
		return false;
	c->again = insn->target;
	return true;
}

/*
 * Does the code at @at and after it lead back to the beginning, other than by the call of morestack
 * at @again? Code that is not understood may.
 */
static bool leads_back(const struct tfs_go_code *f, uint64_t at, uint64_t again)
{
	struct tfs_insn insn;
	unsigned int calls = 0;
	int rc = 0;

	while (at - f->addr < f->n && !(rc = decode(f, at, &insn))) {
		if (again && insn.kind != TFS_INSN_OTHER && insn.has_target && insn.target == again)
			return true;
		if (calls_morestack(f, &insn) && begins_again(f, at))
			calls++;
		at += insn.len;
	}
	return again ? calls > 1 : calls || rc;
}

int tfs_go_stack_check(const struct tfs_go_code *func, uint64_t *after)
{
	struct check c = { .func = func };
	uint64_t at = func->addr, end = at;
	struct tfs_insn insn;
	int rc;

	*after = func->addr;
	rc = decode(func, at, &insn);
	if (rc == -EOPNOTSUPP)
		return rc;
	for (unsigned int i = 0; i < CHECK_MAX && !rc && is_part(&c, at, &insn); i++) {
		at += insn.len;
		if (insn.kind == TFS_INSN_BRANCH)
			end = at;
		rc = decode(func, at, &insn);
	}
	if (leads_back(func, end, c.again))
		return -EILSEQ;
	*after = end;
	return 0;
}

bool tfs_go_is_morestack(struct tfs_dso *dso, uint64_t addr)
{
	static const char name[] = "runtime.morestack";
	const struct tfs_symbol *s = tfs_symbol_at(dso, addr);

	return s && s->addr == addr && !strncmp(s->name, name, strlen(name));
}

static bool is_morestack(void *ctx, uint64_t callee)
{
	return tfs_go_is_morestack(ctx, callee);
}

int tfs_go_entry(struct tfs_dso *dso, uint64_t addr, uint64_t *after)
{
	const struct tfs_symbol *sym = tfs_symbol_at(dso, addr);
	struct tfs_go_code func = { .machine = tfs_dso_machine(dso),
				    .is_morestack = is_morestack,
				    .ctx = dso };
	uint64_t end = addr;
	uint8_t *code;
	int rc;

	*after = addr;
	if (!sym || sym->type != TFS_SYMBOL_FUNC || addr - sym->addr >= sym->size)
		return 0;
	if (!func.machine || sym->size > FUNC_MAX)
		return addr == sym->addr ? -EOPNOTSUPP : 0;
	code = malloc(sym->size);
	if (!code)
		return -ENOMEM;
	func.addr = sym->addr;
	func.code = code;
	func.n = sym->size;
	rc = tfs_dso_read(dso, sym->addr, code, func.n) ? -EILSEQ : tfs_go_stack_check(&func, &end);
	free(code);
	/* no other instruction is known to be executed again */
	if (rc)
		return addr == func.addr ? rc : 0;
	if (end > addr)
		*after = end;
	return 0;
}
