/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "insn/insn-internal.h"

#include <elf.h>
#include <errno.h>

#include "dso/arch/machine.h"

/* @bits bits from bit @from on, the highest being a sign. */
static int64_t signed_field(uint64_t v, unsigned int from, unsigned int bits)
{
	return (int64_t)(v << (64 - from - bits)) >> (64 - bits);
}

static uint64_t field(uint64_t v, unsigned int from, unsigned int bits)
{
	return v >> from & ((1ULL << bits) - 1);
}

static void go(struct tfs_insn *out, enum tfs_insn_kind kind, uint64_t addr, int64_t by)
{
	out->kind = kind;
	out->has_target = true;
	out->target = addr + (uint64_t)by;
}

static uint64_t little(const uint8_t *code, unsigned int n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | code[n];
	return v;
}

static uint64_t big(const uint8_t *code, unsigned int n)
{
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		v = v << 8 | code[i];
	return v;
}

/* Arm ARM, C4: branches, exceptions, system. */
static int aarch64(const uint8_t *code, size_t n, uint64_t addr, struct tfs_insn *out)
{
	uint64_t w;

	if (n < 4)
		return -ENODATA;
	w = little(code, 4);
	out->len = 4;
	if (field(w, 26, 5) == 5) { /* b, bl */
		go(out, w >> 31 ? TFS_INSN_CALL : TFS_INSN_JUMP, addr, signed_field(w, 0, 26) * 4);
	} else if (field(w, 24, 8) == 0x54 || field(w, 25, 6) == 0x1a) { /* b.cond, cbz, cbnz */
		go(out, TFS_INSN_BRANCH, addr, signed_field(w, 5, 19) * 4);
	} else if (field(w, 25, 6) == 0x1b) { /* tbz, tbnz */
		go(out, TFS_INSN_BRANCH, addr, signed_field(w, 5, 14) * 4);
	} else if (field(w, 25, 7) == 0x6b) { /* br, blr, ret, eret and those with a key */
		static const enum tfs_insn_kind kind[] = { TFS_INSN_JUMP, TFS_INSN_CALL,
							   TFS_INSN_RET, TFS_INSN_STOP };

		out->kind = field(w, 23, 1) ? TFS_INSN_JUMP : kind[field(w, 21, 2)];
	} else if (field(w, 21, 11) == 0x6a1 || !(w >> 16)) { /* brk, udf */
		out->kind = TFS_INSN_STOP;
	}
	return 0;
}

static int64_t riscv_jal(uint64_t w)
{
	return signed_field(w, 31, 1) * (1 << 20) + (int64_t)(field(w, 12, 8) << 12) +
	       (int64_t)(field(w, 20, 1) << 11) + (int64_t)(field(w, 21, 10) << 1);
}

static int64_t riscv_branch(uint64_t w)
{
	return signed_field(w, 31, 1) * (1 << 12) + (int64_t)(field(w, 7, 1) << 11) +
	       (int64_t)(field(w, 25, 6) << 5) + (int64_t)(field(w, 8, 4) << 1);
}

/* x1 and x5 hold where to return to. */
static enum tfs_insn_kind riscv_jalr(uint64_t to, uint64_t from)
{
	if (to)
		return TFS_INSN_CALL;
	return from == 1 || from == 5 ? TFS_INSN_RET : TFS_INSN_JUMP;
}

static int64_t riscv_c_jump(uint64_t w)
{
	return signed_field(w, 12, 1) * (1 << 11) + (int64_t)(field(w, 8, 1) << 10) +
	       (int64_t)(field(w, 9, 2) << 8) + (int64_t)(field(w, 6, 1) << 7) +
	       (int64_t)(field(w, 7, 1) << 6) + (int64_t)(field(w, 2, 1) << 5) +
	       (int64_t)(field(w, 11, 1) << 4) + (int64_t)(field(w, 3, 3) << 1);
}

static int64_t riscv_c_branch(uint64_t w)
{
	return signed_field(w, 12, 1) * (1 << 8) + (int64_t)(field(w, 5, 2) << 6) +
	       (int64_t)(field(w, 2, 1) << 5) + (int64_t)(field(w, 10, 2) << 3) +
	       (int64_t)(field(w, 3, 2) << 1);
}

static void riscv_short(uint64_t w, uint64_t addr, struct tfs_insn *out)
{
	uint64_t group = field(w, 13, 3) << 2 | field(w, 0, 2);

	out->len = 2;
	switch (group) {
	case 0x15: /* c.j */
		go(out, TFS_INSN_JUMP, addr, riscv_c_jump(w));
		break;
	case 0x19:
	case 0x1d: /* c.beqz, c.bnez */
		go(out, TFS_INSN_BRANCH, addr, riscv_c_branch(w));
		break;
	case 0x12: /* c.jr, c.jalr, c.ebreak; c.mv and c.add have a second register */
		if (field(w, 2, 5))
			break;
		out->kind = field(w, 7, 5) ? riscv_jalr(field(w, 12, 1), field(w, 7, 5)) :
					     TFS_INSN_STOP;
		break;
	default:
		if (!w)
			out->kind = TFS_INSN_STOP;
	}
}

static int riscv(const uint8_t *code, size_t n, uint64_t addr, struct tfs_insn *out)
{
	uint64_t w;

	if (n < 2)
		return -ENODATA;
	if ((code[0] & 3) != 3) {
		riscv_short(little(code, 2), addr, out);
		return 0;
	}
	if ((code[0] & 0x1f) == 0x1f)
		return -EILSEQ;
	if (n < 4)
		return -ENODATA;
	w = little(code, 4);
	out->len = 4;
	switch (field(w, 0, 7)) {
	case 0x6f:
		go(out, field(w, 7, 5) ? TFS_INSN_CALL : TFS_INSN_JUMP, addr, riscv_jal(w));
		break;
	case 0x67:
		out->kind = riscv_jalr(field(w, 7, 5), field(w, 15, 5));
		break;
	case 0x63:
		go(out, TFS_INSN_BRANCH, addr, riscv_branch(w));
		break;
	case 0x73:
		if (w == 0x00100073 || w == 0x10200073 || w == 0x30200073) /* ebreak, sret, mret */
			out->kind = TFS_INSN_STOP;
		break;
	default:
		break;
	}
	return 0;
}

/* bcr and bc: the mask 15 always goes, 0 never. */
static enum tfs_insn_kind s390_mask(unsigned int mask)
{
	return mask == 15 ? TFS_INSN_JUMP : mask ? TFS_INSN_BRANCH : TFS_INSN_OTHER;
}

static void s390_masked(struct tfs_insn *out, unsigned int mask, uint64_t addr, int64_t by)
{
	if (mask)
		go(out, s390_mask(mask), addr, by);
}

static void s390_two(const uint8_t *code, struct tfs_insn *out)
{
	unsigned int first = code[1] >> 4, second = code[1] & 15;

	switch (code[0]) {
	case 0x07: /* bcr */
		out->kind = second ? s390_mask(first) : TFS_INSN_OTHER;
		if (code[1] == 0xfe)
			out->kind = TFS_INSN_RET;
		break;
	case 0x05:
	case 0x0d: /* balr, basr */
		out->kind = second ? TFS_INSN_CALL : TFS_INSN_OTHER;
		break;
	case 0x06: /* bctr */
		out->kind = second ? TFS_INSN_BRANCH : TFS_INSN_OTHER;
		break;
	default:
		if (!code[0])
			out->kind = TFS_INSN_STOP;
	}
}

static void s390_four(const uint8_t *code, uint64_t addr, struct tfs_insn *out)
{
	int64_t by = signed_field(big(code + 2, 2), 0, 16) * 2;
	unsigned int first = code[1] >> 4;

	switch (code[0]) {
	case 0x45:
	case 0x4d: /* bal, bas */
		out->kind = TFS_INSN_CALL;
		break;
	case 0x47: /* bc */
		out->kind = s390_mask(first);
		break;
	case 0x46:
	case 0x86:
	case 0x87: /* bct, bxh, bxle */
		out->kind = TFS_INSN_BRANCH;
		break;
	case 0x84:
	case 0x85: /* brxh, brxle */
		go(out, TFS_INSN_BRANCH, addr, by);
		break;
	case 0xa7:
		if ((code[1] & 15) == 4) /* brc */
			s390_masked(out, first, addr, by);
		else if ((code[1] & 15) == 5) /* bras */
			go(out, TFS_INSN_CALL, addr, by);
		else if ((code[1] & 15) == 6 || (code[1] & 15) == 7) /* brct, brctg */
			go(out, TFS_INSN_BRANCH, addr, by);
		break;
	case 0xb2:
		if (code[1] == 0xb2) /* lpswe */
			out->kind = TFS_INSN_JUMP;
		break;
	default:
		break;
	}
}

static void s390_six(const uint8_t *code, uint64_t addr, struct tfs_insn *out)
{
	int64_t by = signed_field(big(code + 2, 4), 0, 32) * 2;
	int64_t by16 = signed_field(big(code + 2, 2), 0, 16) * 2;
	unsigned int sub = code[1] & 15;

	if (code[0] == 0xc0 && sub == 4) { /* brcl */
		s390_masked(out, code[1] >> 4, addr, by);
	} else if (code[0] == 0xc0 && sub == 5) { /* brasl */
		go(out, TFS_INSN_CALL, addr, by);
	} else if (code[0] == 0xcc && sub == 6) { /* brcth */
		go(out, TFS_INSN_BRANCH, addr, by);
	} else if (code[0] == 0xec) { /* compare and branch, branch on index */
		static const uint8_t relative[] = { 0x44, 0x45, 0x64, 0x65, 0x76,
						    0x77, 0x7c, 0x7d, 0x7e, 0x7f };
		size_t i;

		for (i = 0; i < sizeof(relative); i++) {
			if (code[5] == relative[i])
				go(out, TFS_INSN_BRANCH, addr, by16);
		}
		if ((code[5] & 0xee) == 0xe4 || code[5] >= 0xfc || (code[5] & 0xfe) == 0xf6)
			out->kind = TFS_INSN_BRANCH;
	}
}

/* z/Architecture: the first two bits are the length; big-endian. */
static int s390x(const uint8_t *code, size_t n, uint64_t addr, struct tfs_insn *out)
{
	static const uint8_t len[] = { 2, 4, 4, 6 };

	if (!n || n < len[code[0] >> 6])
		return -ENODATA;
	out->len = len[code[0] >> 6];
	if (out->len == 2)
		s390_two(code, out);
	else if (out->len == 4)
		s390_four(code, addr, out);
	else
		s390_six(code, addr, out);
	return 0;
}

/* To the link, count or target register. */
static void ppc64_to_register(uint64_t w, struct tfs_insn *out)
{
	uint64_t op = field(w, 1, 10);
	bool always = (field(w, 21, 5) & 0x14) == 0x14;

	if (op == 18) { /* rfid */
		out->kind = TFS_INSN_STOP;
		return;
	}
	if (op != 16 && op != 528 && op != 560)
		return;
	out->kind = w & 1 ? TFS_INSN_CALL : TFS_INSN_BRANCH;
	if (always && !(w & 1))
		out->kind = op == 16 ? TFS_INSN_RET : TFS_INSN_JUMP;
}

static int ppc64le(const uint8_t *code, size_t n, uint64_t addr, struct tfs_insn *out)
{
	uint64_t w;
	bool always;

	if (n < 4)
		return -ENODATA;
	w = little(code, 4);
	out->len = 4;
	always = (field(w, 21, 5) & 0x14) == 0x14;
	switch (w >> 26) {
	case 1: /* a prefix, and an instruction */
		if (n < 8)
			return -ENODATA;
		out->len = 8;
		break;
	case 16:
		go(out,
		   w & 1  ? TFS_INSN_CALL :
		   always ? TFS_INSN_JUMP :
			    TFS_INSN_BRANCH,
		   w & 2 ? 0 : addr, signed_field(w, 2, 14) * 4);
		break;
	case 18:
		go(out, w & 1 ? TFS_INSN_CALL : TFS_INSN_JUMP, w & 2 ? 0 : addr,
		   signed_field(w, 2, 24) * 4);
		break;
	case 19:
		ppc64_to_register(w, out);
		break;
	default:
		if (w == 0x7fe00008) /* trap */
			out->kind = TFS_INSN_STOP;
	}
	return 0;
}

int tfs_insn_risc(const struct tfs_machine *machine, const uint8_t *code, size_t n, uint64_t addr,
		  struct tfs_insn *out)
{
	struct tfs_insn insn = { 0 };
	int rc;

	switch (machine->elf) {
	case EM_AARCH64:
		rc = aarch64(code, n, addr, &insn);
		break;
	case EM_RISCV:
		rc = riscv(code, n, addr, &insn);
		break;
	case EM_S390:
		rc = s390x(code, n, addr, &insn);
		break;
	case EM_PPC64:
		rc = ppc64le(code, n, addr, &insn);
		break;
	default:
		rc = -EOPNOTSUPP;
	}
	if (!rc)
		*out = insn;
	return rc;
}
