/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "insn/insn-internal.h"

#include <string.h>

#include "base/macros.h"

#define R TFS_INSN_READS
#define W TFS_INSN_WRITES
#define RW (TFS_INSN_READS | TFS_INSN_WRITES)
#define ADDRESS TFS_INSN_ADDRESS

/* Mandatory prefixes a row is for. */
enum {
	PP_ANY,
	PP_NONE,
	PP_66,
	PP_F3,
	PP_F2,
	PP_NOT_F2,
};

/* Widths that depend on the instruction; what is below 100 is a number of bytes. */
enum {
	UNKNOWN = 0,
	VECTOR = 100, /* as long as a vector */
	HALF,         /* half a vector */
	OPERAND,      /* 2, 4 or 8 by 66 and REX.W */
	WORD,         /* 4, 8 with W */
	PAIR,         /* 8, 16 with W */
	STACK,        /* what push takes */
};

/* Registers that are changed. */
enum {
	NOTHING = 0,
	REG = 1 << 0, /* the one that ModRM's reg says */
	RM = 1 << 1,  /* the one that ModRM's rm says, if it is one */
	OPC = 1 << 2, /* the one in the opcode's last bits */
	AX = 1 << 3,  /* ax, */
	DX = 1 << 4,  /* dx, */
	CX = 1 << 5,  /* and so on */
	BX = 1 << 6,
	SP = 1 << 7,
	BP = 1 << 8,
	SI = 1 << 9,
	DI = 1 << 10,
	R11 = 1 << 11,
	THIRD = 1 << 12, /* the one that VEX says */
	ALL = 1 << 13,
};

/* Bits of the opcode that count, opcode, prefix, bit set of ModRM's reg (0: all), what it does. */
struct row {
	uint8_t mask;
	uint8_t op;
	uint8_t pp;
	uint8_t regs;
	uint8_t access;
	uint8_t width;
	uint16_t changes;
};

#define GROUP(n) (uint8_t)(1U << (n))

/* The first that fits counts. */
static const struct row one_byte[] = {
	{ 0xff, 0x38, PP_ANY, 0, R, 1, NOTHING }, /* cmp */
	{ 0xff, 0x39, PP_ANY, 0, R, OPERAND, NOTHING },
	{ 0xfe, 0x3a, PP_ANY, 0, R, OPERAND, NOTHING },
	{ 0xfe, 0x3c, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xc7, 0x00, PP_ANY, 0, RW, 1, RM }, /* add, or, adc, sbb, and, sub, xor */
	{ 0xc7, 0x01, PP_ANY, 0, RW, OPERAND, RM },
	{ 0xc6, 0x02, PP_ANY, 0, R, OPERAND, REG },
	{ 0xc6, 0x04, PP_ANY, 0, 0, 0, AX },
	{ 0xc6, 0x06, PP_ANY, 0, 0, 0, SP | AX },       /* segments, aaa and so on */
	{ 0xf0, 0x40, PP_ANY, 0, 0, 0, OPC },           /* inc, dec: 32-bit mode */
	{ 0xf8, 0x50, PP_ANY, 0, 0, 0, SP },            /* push */
	{ 0xf8, 0x58, PP_ANY, 0, 0, 0, SP | OPC },      /* pop */
	{ 0xff, 0x60, PP_ANY, 0, 0, 0, SP },            /* pusha */
	{ 0xff, 0x61, PP_ANY, 0, 0, 0, ALL },           /* popa */
	{ 0xff, 0x62, PP_ANY, 0, R, PAIR, NOTHING },    /* bound */
	{ 0xff, 0x63, PP_ANY, 0, R, 4, REG | RM },      /* movsxd, arpl */
	{ 0xfd, 0x68, PP_ANY, 0, 0, 0, SP },            /* push of a constant */
	{ 0xfd, 0x69, PP_ANY, 0, R, OPERAND, REG },     /* imul */
	{ 0xfe, 0x6c, PP_ANY, 0, W, UNKNOWN, DI | CX }, /* ins */
	{ 0xfe, 0x6e, PP_ANY, 0, R, UNKNOWN, SI | CX }, /* outs */
	{ 0xf0, 0x70, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xfd, 0x80, PP_ANY, GROUP(7), R, 1, NOTHING },
	{ 0xfd, 0x81, PP_ANY, GROUP(7), R, OPERAND, NOTHING },
	{ 0xfd, 0x80, PP_ANY, 0, RW, 1, RM },
	{ 0xfd, 0x81, PP_ANY, 0, RW, OPERAND, RM },
	{ 0xff, 0x84, PP_ANY, 0, R, 1, NOTHING }, /* test */
	{ 0xff, 0x85, PP_ANY, 0, R, OPERAND, NOTHING },
	{ 0xff, 0x86, PP_ANY, 0, RW, 1, REG | RM }, /* xchg */
	{ 0xff, 0x87, PP_ANY, 0, RW, OPERAND, REG | RM },
	{ 0xff, 0x88, PP_ANY, 0, W, 1, RM }, /* mov */
	{ 0xff, 0x89, PP_ANY, 0, W, OPERAND, RM },
	{ 0xff, 0x8a, PP_ANY, 0, R, 1, REG },
	{ 0xff, 0x8b, PP_ANY, 0, R, OPERAND, REG },
	{ 0xff, 0x8c, PP_ANY, 0, W, 2, RM },
	{ 0xff, 0x8d, PP_ANY, 0, ADDRESS, 0, REG }, /* lea */
	{ 0xff, 0x8e, PP_ANY, 0, R, 2, NOTHING },
	{ 0xff, 0x8f, PP_ANY, 0, W, STACK, SP | RM },
	{ 0xf8, 0x90, PP_ANY, 0, 0, 0, AX | OPC },
	{ 0xfe, 0x98, PP_ANY, 0, 0, 0, AX | DX },
	{ 0xff, 0x9b, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xfe, 0x9c, PP_ANY, 0, 0, 0, SP },
	{ 0xfe, 0x9e, PP_ANY, 0, 0, 0, AX },
	{ 0xfe, 0xa0, PP_ANY, 0, 0, 0, AX },                 /* mov of an absolute address */
	{ 0xfe, 0xa2, PP_ANY, 0, 0, 0, NOTHING },            /* it is in no frame */
	{ 0xfe, 0xa4, PP_ANY, 0, W, UNKNOWN, SI | DI | CX }, /* movs */
	{ 0xfe, 0xa6, PP_ANY, 0, R, UNKNOWN, SI | DI | CX },
	{ 0xfe, 0xa8, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xfe, 0xaa, PP_ANY, 0, W, UNKNOWN, DI | CX }, /* stos */
	{ 0xfe, 0xac, PP_ANY, 0, R, UNKNOWN, AX | SI | CX },
	{ 0xfe, 0xae, PP_ANY, 0, R, UNKNOWN, DI | CX },
	{ 0xf0, 0xb0, PP_ANY, 0, 0, 0, OPC },
	{ 0xff, 0xc0, PP_ANY, 0, RW, 1, RM },
	{ 0xff, 0xc1, PP_ANY, 0, RW, OPERAND, RM },
	{ 0xff, 0xc6, PP_ANY, 0, W, 1, RM },
	{ 0xff, 0xc7, PP_ANY, 0, W, OPERAND, RM },
	{ 0xfe, 0xc8, PP_ANY, 0, 0, 0, SP | BP }, /* enter, leave */
	{ 0xff, 0xd0, PP_ANY, 0, RW, 1, RM },
	{ 0xff, 0xd1, PP_ANY, 0, RW, OPERAND, RM },
	{ 0xff, 0xd2, PP_ANY, 0, RW, 1, RM },
	{ 0xff, 0xd3, PP_ANY, 0, RW, OPERAND, RM },
	{ 0xfc, 0xd4, PP_ANY, 0, 0, 0, AX },
	{ 0xff, 0xd9, PP_ANY, GROUP(2) | GROUP(3), W, 4, NOTHING },
	{ 0xff, 0xd9, PP_ANY, GROUP(6), W, 28, NOTHING },
	{ 0xff, 0xd9, PP_ANY, GROUP(7), W, 2, NOTHING },
	{ 0xff, 0xdb, PP_ANY, GROUP(1) | GROUP(2) | GROUP(3), W, 4, NOTHING },
	{ 0xff, 0xdb, PP_ANY, GROUP(7), W, 10, NOTHING },
	{ 0xff, 0xdd, PP_ANY, GROUP(1) | GROUP(2) | GROUP(3), W, 8, NOTHING },
	{ 0xff, 0xdd, PP_ANY, GROUP(6), W, UNKNOWN, NOTHING },
	{ 0xff, 0xdd, PP_ANY, GROUP(7), W, 2, NOTHING },
	{ 0xff, 0xdf, PP_ANY, GROUP(1) | GROUP(2) | GROUP(3), W, 2, NOTHING },
	{ 0xff, 0xdf, PP_ANY, GROUP(6), W, 10, NOTHING },
	{ 0xff, 0xdf, PP_ANY, GROUP(7), W, 8, NOTHING },
	{ 0xf8, 0xd8, PP_ANY, 0, R, 10, AX }, /* fnstsw, too */
	{ 0xfc, 0xe0, PP_ANY, 0, 0, 0, CX },
	{ 0xfc, 0xe4, PP_ANY, 0, 0, 0, AX },
	{ 0xfc, 0xec, PP_ANY, 0, 0, 0, AX },
	{ 0xfc, 0xe8, PP_ANY, 0, 0, 0, SP },
	{ 0xff, 0xf6, PP_ANY, GROUP(2) | GROUP(3), RW, 1, RM },
	{ 0xff, 0xf6, PP_ANY, GROUP(0) | GROUP(1), R, 1, NOTHING },
	{ 0xff, 0xf6, PP_ANY, 0, R, 1, AX },
	{ 0xff, 0xf7, PP_ANY, GROUP(2) | GROUP(3), RW, OPERAND, RM },
	{ 0xff, 0xf7, PP_ANY, GROUP(0) | GROUP(1), R, OPERAND, NOTHING },
	{ 0xff, 0xf7, PP_ANY, 0, R, OPERAND, AX | DX },
	{ 0xfa, 0xf0, PP_ANY, 0, 0, 0, NOTHING }, /* f0, f1, f4, f5 */
	{ 0xfc, 0xf8, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xfe, 0xfc, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xff, 0xfe, PP_ANY, 0, RW, 1, RM },
	{ 0xff, 0xff, PP_ANY, GROUP(0) | GROUP(1), RW, OPERAND, RM },
	{ 0xff, 0xff, PP_ANY, 0, R, STACK, SP },
};

static const struct row two_byte[] = {
	{ 0xff, 0x00, PP_ANY, GROUP(0) | GROUP(1), W, 2, RM },
	{ 0xff, 0x01, PP_ANY, GROUP(0) | GROUP(1), W, 10, ALL },
	{ 0xff, 0x01, PP_ANY, GROUP(4), W, 2, RM },
	{ 0xff, 0x01, PP_ANY, 0, R, UNKNOWN, ALL },
	{ 0xfe, 0x02, PP_ANY, 0, R, 2, REG },
	{ 0xff, 0x05, PP_ANY, 0, 0, 0, ALL },
	{ 0xff, 0x0b, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xff, 0x0d, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xff, 0x11, PP_F3, 0, W, 4, NOTHING },
	{ 0xff, 0x11, PP_F2, 0, W, 8, NOTHING },
	{ 0xff, 0x11, PP_ANY, 0, W, VECTOR, NOTHING },
	{ 0xfb, 0x13, PP_ANY, 0, W, 8, NOTHING }, /* movlps, movhps */
	{ 0xff, 0x10, PP_ANY, 0, R, VECTOR, NOTHING },
	{ 0xfc, 0x14, PP_ANY, 0, R, VECTOR, NOTHING },
	{ 0xfe, 0x12, PP_ANY, 0, R, VECTOR, NOTHING },
	{ 0xff, 0x1b, PP_66, 0, W, VECTOR, NOTHING },
	{ 0xff, 0x1e, PP_F3, GROUP(1), 0, 0, RM }, /* rdssp */
	{ 0xf8, 0x18, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xfe, 0x20, PP_ANY, 0, 0, 0, RM },
	{ 0xfe, 0x22, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xff, 0x29, PP_ANY, 0, W, VECTOR, NOTHING },
	{ 0xff, 0x2b, PP_F3, 0, W, 4, NOTHING },
	{ 0xff, 0x2b, PP_F2, 0, W, 8, NOTHING },
	{ 0xff, 0x2b, PP_ANY, 0, W, VECTOR, NOTHING },
	{ 0xfe, 0x2c, PP_ANY, 0, R, VECTOR, REG }, /* cvt to a number */
	{ 0xf8, 0x28, PP_ANY, 0, R, VECTOR, NOTHING },
	{ 0xf0, 0x40, PP_ANY, 0, R, OPERAND, REG }, /* cmov */
	{ 0xff, 0x50, PP_ANY, 0, 0, 0, REG },
	{ 0xf0, 0x50, PP_ANY, 0, R, VECTOR, NOTHING },
	{ 0xf0, 0x60, PP_ANY, 0, R, VECTOR, NOTHING },
	{ 0xff, 0x77, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xff, 0x78, PP_NONE, 0, W, WORD, ALL },
	{ 0xff, 0x7e, PP_F3, 0, R, 8, NOTHING },
	{ 0xff, 0x7e, PP_ANY, 0, W, WORD, RM },
	{ 0xff, 0x7f, PP_NONE, 0, W, 8, NOTHING },
	{ 0xff, 0x7f, PP_ANY, 0, W, VECTOR, NOTHING },
	{ 0xf0, 0x70, PP_ANY, 0, R, VECTOR, NOTHING },
	{ 0xf0, 0x80, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xf0, 0x90, PP_ANY, 0, W, 1, RM }, /* setcc */
	{ 0xff, 0xa0, PP_ANY, 0, 0, 0, SP },
	{ 0xff, 0xa1, PP_ANY, 0, 0, 0, SP },
	{ 0xff, 0xa2, PP_ANY, 0, 0, 0, AX | BX | CX | DX },
	{ 0xff, 0xa3, PP_ANY, 0, R, UNKNOWN, NOTHING },
	{ 0xfe, 0xa4, PP_ANY, 0, RW, OPERAND, RM },
	{ 0xfe, 0xa8, PP_ANY, 0, 0, 0, SP },
	{ 0xff, 0xab, PP_ANY, 0, RW, UNKNOWN, RM },
	{ 0xfe, 0xac, PP_ANY, 0, RW, OPERAND, RM },
	{ 0xff, 0xae, PP_F3, 0, W, UNKNOWN, ALL },
	{ 0xff, 0xae, PP_ANY, GROUP(0) | GROUP(4) | GROUP(6), W, UNKNOWN, NOTHING },
	{ 0xff, 0xae, PP_ANY, GROUP(3), W, 4, NOTHING },
	{ 0xff, 0xae, PP_ANY, 0, R, UNKNOWN, NOTHING },
	{ 0xff, 0xaf, PP_ANY, 0, R, OPERAND, REG },
	{ 0xff, 0xb0, PP_ANY, 0, RW, 1, RM | AX },
	{ 0xff, 0xb1, PP_ANY, 0, RW, OPERAND, RM | AX },
	{ 0xf7, 0xb3, PP_ANY, 0, RW, UNKNOWN, RM },
	{ 0xff, 0xba, PP_ANY, GROUP(4), R, OPERAND, NOTHING },
	{ 0xff, 0xba, PP_ANY, 0, RW, OPERAND, RM },
	{ 0xf6, 0xb6, PP_ANY, 0, R, 2, REG }, /* movzx, movsx */
	{ 0xf0, 0xb0, PP_ANY, 0, R, OPERAND, REG },
	{ 0xff, 0xc0, PP_ANY, 0, RW, 1, REG | RM },
	{ 0xff, 0xc1, PP_ANY, 0, RW, OPERAND, REG | RM },
	{ 0xff, 0xc3, PP_ANY, 0, W, WORD, NOTHING }, /* movnti */
	{ 0xff, 0xc5, PP_ANY, 0, 0, 0, REG },
	{ 0xff, 0xc7, PP_ANY, GROUP(1), RW, PAIR, AX | DX },
	{ 0xff, 0xc7, PP_ANY, 0, RW, UNKNOWN, RM },
	{ 0xf8, 0xc8, PP_ANY, 0, 0, 0, OPC },
	{ 0xf8, 0xc0, PP_ANY, 0, R, VECTOR, NOTHING },
	{ 0xff, 0xd6, PP_66, 0, W, 8, NOTHING },
	{ 0xff, 0xd7, PP_ANY, 0, 0, 0, REG },
	{ 0xff, 0xe7, PP_NONE, 0, W, 8, NOTHING },
	{ 0xff, 0xe7, PP_66, 0, W, VECTOR, NOTHING },
	{ 0xff, 0xf7, PP_ANY, 0, W, UNKNOWN, NOTHING }, /* maskmovdqu: where di points */
	{ 0xc0, 0xc0, PP_ANY, 0, R, VECTOR, NOTHING },
};

/* The rest, in 0F of VEX and EVEX, are masks: vector registers have the same rows as in SSE. */
static const struct row mask_byte[] = {
	{ 0xff, 0x91, PP_ANY, 0, W, UNKNOWN, NOTHING }, { 0xff, 0x93, PP_ANY, 0, 0, 0, REG },
	{ 0xf8, 0x90, PP_ANY, 0, R, 8, NOTHING },       { 0xf0, 0x40, PP_ANY, 0, 0, 0, NOTHING },
	{ 0xf8, 0x98, PP_ANY, 0, 0, 0, NOTHING },       { 0xf0, 0x78, PP_ANY, 0, R, VECTOR, REG },
};

static const struct row three_byte_38[] = {
	{ 0xff, 0xf0, PP_F2, 0, R, OPERAND, REG }, /* crc32 */
	{ 0xff, 0xf1, PP_NOT_F2, 0, W, OPERAND, NOTHING },
	{ 0xfe, 0xf4, PP_ANY, 0, W, UNKNOWN, REG },  /* wruss; bzhi, pdep, pext */
	{ 0xff, 0xf6, PP_NONE, 0, W, UNKNOWN, REG }, /* wrss */
	{ 0xff, 0xf8, PP_ANY, 0, W, UNKNOWN, NOTHING },
	{ 0xff, 0xf9, PP_ANY, 0, W, WORD, NOTHING },
	{ 0xf0, 0xf0, PP_ANY, 0, R, OPERAND, REG | RM },
	{ 0x00, 0x00, PP_ANY, 0, R, VECTOR, NOTHING },
};

static const struct row vector_38[] = {
	{ 0xfe, 0x2e, PP_ANY, 0, W, UNKNOWN, NOTHING }, /* vmaskmovp */
	{ 0xff, 0x8e, PP_ANY, 0, W, UNKNOWN, NOTHING },
	{ 0xff, 0x63, PP_ANY, 0, W, UNKNOWN, NOTHING }, /* compress */
	{ 0xfe, 0x8a, PP_ANY, 0, W, UNKNOWN, NOTHING },
	{ 0xfc, 0xa0, PP_ANY, 0, W, UNKNOWN, NOTHING }, /* scatter */
	{ 0xc8, 0x00, PP_F3, 0, W, UNKNOWN, NOTHING },  /* vpmov of fewer bits */
	{ 0xf8, 0xf0, PP_ANY, 0, R, WORD, REG | RM | THIRD | DX },
	{ 0xf0, 0xe0, PP_66, 0, RW, WORD, REG | THIRD }, /* cmpccxadd */
	{ 0x00, 0x00, PP_ANY, 0, R, VECTOR, NOTHING },
};

static const struct row three_byte_3a[] = {
	{ 0xff, 0x14, PP_ANY, 0, W, 1, RM }, /* pextr */
	{ 0xff, 0x15, PP_ANY, 0, W, 2, RM },
	{ 0xff, 0x16, PP_ANY, 0, W, WORD, RM },
	{ 0xff, 0x17, PP_ANY, 0, W, 4, RM },
	{ 0xdf, 0x19, PP_ANY, 0, W, 16, NOTHING }, /* vextract */
	{ 0xdf, 0x1b, PP_ANY, 0, W, 32, NOTHING },
	{ 0xff, 0x1d, PP_ANY, 0, W, HALF, NOTHING },
	{ 0xfc, 0x60, PP_ANY, 0, R, VECTOR, CX }, /* pcmpistri and the like */
	{ 0xff, 0xf0, PP_ANY, 0, R, WORD, REG },  /* rorx */
	{ 0x00, 0x00, PP_ANY, 0, R, VECTOR, NOTHING },
};

static const struct row nothing_known[] = {
	{ 0x00, 0x00, PP_ANY, 0, RW, UNKNOWN, ALL },
};

static bool fits_prefix(const struct tfs_x86 *x, unsigned int pp)
{
	static const uint8_t prefix[] = {
		[PP_NONE] = 0, [PP_66] = 0x66, [PP_F3] = 0xf3, [PP_F2] = 0xf2
	};

	if (pp == PP_ANY)
		return true;
	if (pp == PP_NOT_F2)
		return x->prefix != 0xf2;
	return x->prefix == prefix[pp];
}

static const struct row *find(const struct tfs_x86 *x, const struct row *row, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++, row++) {
		if ((x->op & row->mask) == row->op && fits_prefix(x, row->pp) &&
		    (!row->regs || (x->has_modrm && row->regs & GROUP(x->reg_field))))
			return row;
	}
	return nothing_known;
}

#define FIND(x, table) find(x, table, sizeof(table) / sizeof((table)[0]))

static const struct row *find_row(const struct tfs_x86 *x)
{
	const struct row *row = nothing_known;

	switch (x->map) {
	case TFS_X86_ONE:
		return FIND(x, one_byte);
	case TFS_X86_0F:
		if (x->coding != TFS_X86_LEGACY)
			row = FIND(x, mask_byte);
		return row == nothing_known ? FIND(x, two_byte) : row;
	case TFS_X86_0F38:
		return x->coding == TFS_X86_LEGACY ? FIND(x, three_byte_38) : FIND(x, vector_38);
	case TFS_X86_0F3A:
		return FIND(x, three_byte_3a);
	case TFS_X86_ELSE:
		break;
	}
	return row;
}

static unsigned int width_of(const struct tfs_x86 *x, unsigned int width)
{
	switch (width) {
	case VECTOR:
		return x->length;
	case HALF:
		return x->length / 2;
	case OPERAND:
		return x->rex_w ? 8 : x->size16 ? 2 : 4;
	case WORD:
		return x->rex_w ? 8 : 4;
	case PAIR:
		return x->rex_w ? 16 : 8;
	case STACK:
		return x->size16 ? 2 : x->bits / 8;
	default:
		return width;
	}
}

/* Byte registers 4 to 7 are the second bytes of the first four where there is no REX. */
static uint32_t one_reg(const struct tfs_x86 *x, bool byte, unsigned int reg)
{
	uint32_t bit = 1U << tfs_x86_dwarf(x->bits, reg);

	if (byte && !x->has_rex && reg >= 4 && reg < 8)
		bit |= 1U << tfs_x86_dwarf(x->bits, reg - 4);
	return bit;
}

static uint32_t changes(const struct tfs_x86 *x, const struct row *row)
{
	static const struct {
		uint16_t what;
		uint8_t reg;
	} fixed[] = {
		{ AX, 0 }, { CX, 1 }, { DX, 2 }, { BX, 3 },   { SP, 4 },
		{ BP, 5 }, { SI, 6 }, { DI, 7 }, { R11, 11 },
	};
	bool byte = row->width == 1 || (x->map == TFS_X86_ONE && (x->op & 0xf8) == 0xb0);
	unsigned int what = row->changes;
	uint32_t all = 0;
	size_t i;

	if (what & ALL)
		return TFS_INSN_ANY_REG;
	for (i = 0; i < ARRAY_SIZE(fixed); i++) {
		if (what & fixed[i].what)
			all |= 1U << tfs_x86_dwarf(x->bits, fixed[i].reg);
	}
	if (what & REG)
		all |= one_reg(x, byte, x->reg);
	if (what & RM && x->mod == 3)
		all |= one_reg(x, byte, x->rm);
	if (what & OPC)
		all |= one_reg(x, byte, (x->op & 7U) | (x->rex_b ? 8U : 0));
	if (what & THIRD)
		all |= one_reg(x, byte, x->vvvv);
	return all;
}

/* 8-bit displacements of EVEX count in operands; known for what is as wide as what it writes. */
static void scale_disp(const struct tfs_x86 *x, struct tfs_insn_mem *mem)
{
	if (x->coding != TFS_X86_EVEX || !x->disp8)
		return;
	if (mem->width && mem->access == W)
		mem->disp *= (int64_t)mem->width;
	else
		mem->base = mem->index = -1;
}

/* Moves as such; those that change the width are moves only between a register and the stack. */
static bool is_move(const struct tfs_x86 *x, bool *widens)
{
	static const uint8_t one[] = { 0x88, 0x89, 0x8a, 0x8b };
	static const uint8_t two[] = { 0x10, 0x11, 0x28, 0x29, 0x6e, 0x6f, 0x7e, 0x7f, 0xd6 };
	static const uint8_t wide[] = { 0xb6, 0xb7, 0xbe, 0xbf };

	*widens = x->map == TFS_X86_ONE ? x->op == 0x63 && x->bits == 64 :
					  memchr(wide, x->op, sizeof(wide)) != NULL;
	if (*widens)
		return true;
	return x->map == TFS_X86_ONE ? memchr(one, x->op, sizeof(one)) != NULL :
				       memchr(two, x->op, sizeof(two)) != NULL;
}

static bool only_moves(const struct tfs_x86 *x)
{
	bool one = x->map == TFS_X86_ONE, widens;

	if (x->coding != TFS_X86_LEGACY || (one ? x->rep : x->map != TFS_X86_0F))
		return false;
	/* nop; a constant */
	if (one ? (x->op == 0x90 && !x->rex_b) || (x->op & 0xf8) == 0xb8 : x->op == 0x1f)
		return true;
	if (one && x->op == 0xc7)
		return x->mod == 3 && !x->reg_field;
	/* a register that is made 0 */
	if (one ? x->op == 0x31 || x->op == 0x33 : x->op == 0x57)
		return x->mod == 3 && x->reg == x->rm;
	if (!is_move(x, &widens))
		return false;
	if (x->mod == 3)
		return !widens;
	return x->mem.base == (int)tfs_x86_dwarf(x->bits, 4) && x->mem.index < 0 && !x->segment;
}

void tfs_insn_x86_effects(const struct tfs_x86 *x, struct tfs_insn *out)
{
	const struct row *row = find_row(x);
	bool string = x->map == TFS_X86_ONE && !x->has_modrm && row->access;

	out->moves = only_moves(x);
	out->changes = changes(x, row);
	if (!row->access || (x->has_modrm && x->mod == 3 && row != nothing_known))
		return;
	if (row == nothing_known && !x->has_modrm)
		return;
	out->mem = x->mem;
	out->mem.access = row->access;
	out->mem.width = width_of(x, row->width);
	if (string) {
		/* ins, movs and stos write where di points, the others read where si does. */
		out->mem.base = (int)tfs_x86_dwarf(x->bits, row->access == W ? 7 : 6);
		out->mem.index = -1;
	}
	scale_disp(x, &out->mem);
	if (x->masked && out->mem.access & W)
		out->mem.width = 0;
	if (x->segment) {
		out->mem.base = out->mem.index = -1;
		out->mem.absolute = true;
	}
}
