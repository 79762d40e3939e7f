/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_INSN_INSN_INTERNAL_H
#define TFS_INSN_INSN_INTERNAL_H

#include "insn/insn.h"

/* The tables of opcodes an x86 instruction may be in. */
enum tfs_x86_map {
	TFS_X86_ONE = 1,  /* one byte */
	TFS_X86_0F = 2,   /* 0F */
	TFS_X86_0F38 = 3, /* 0F 38 */
	TFS_X86_0F3A = 4, /* 0F 3A */
	TFS_X86_ELSE = 5, /* XOP, EVEX 5 and 6: lengths only */
};

enum tfs_x86_coding {
	TFS_X86_LEGACY,
	TFS_X86_VEX,
	TFS_X86_EVEX,
};

/**
 * struct tfs_x86 - an x86 instruction taken apart
 * @at: bytes taken so far
 * @bits: of the mode: 64 or 32
 * @prefix: mandatory prefix in effect: 0, 0x66, 0xf3, 0xf2
 * @size16: operands of 16 bits (66)
 * @addr_short: addresses of half the size (67)
 * @rep: F2 or F3 is there
 * @odd: a prefix that uprobes do not take: es, cs, ss, ds, lock
 * @segment: based on fs or gs, whose beginning is not known
 * @rex: R, X, B extend the register numbers; W: 64 bits
 * @vvvv: the third register of VEX and EVEX
 * @length: vector bytes: 16, 32, 64
 * @masked: EVEX with a mask: only part of the operand is written
 * @has_modrm: @mod, @reg, @rm are set, @reg and @rm extended; @reg_field is not
 * @imm: the last immediate operand, sign extended
 */
struct tfs_x86 {
	const uint8_t *code;
	size_t n;
	size_t at;
	unsigned int bits;
	uint8_t prefix;
	bool size16;
	bool addr_short;
	bool rep;
	bool odd;
	bool segment;
	bool rex_w, rex_r, rex_x, rex_b;
	bool has_rex;
	uint8_t vvvv;
	unsigned int length;
	bool masked;
	enum tfs_x86_coding coding;
	enum tfs_x86_map map;
	uint8_t op;
	bool has_modrm;
	uint8_t mod, reg_field;
	unsigned int reg, rm;
	struct tfs_insn_mem mem;
	bool disp8;
	int64_t imm;
};

/** tfs_insn_x86() - tfs_insn_decode() for x86 */
int tfs_insn_x86(unsigned int bits, const uint8_t *code, size_t n, uint64_t addr,
		 struct tfs_insn *out);

/** tfs_insn_x86_effects() - set @out's changes and mem */
void tfs_insn_x86_effects(const struct tfs_x86 *x, struct tfs_insn *out);

/** tfs_x86_dwarf() - DWARF number of a general register */
unsigned int tfs_x86_dwarf(unsigned int bits, unsigned int reg);

/** tfs_insn_risc() - tfs_insn_decode() for arm64, riscv64, s390x and ppc64le: lengths and kinds */
int tfs_insn_risc(const struct tfs_machine *machine, const uint8_t *code, size_t n, uint64_t addr,
		  struct tfs_insn *out);

#endif
