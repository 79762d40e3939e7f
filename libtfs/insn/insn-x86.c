/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "insn/insn-internal.h"

#include <errno.h>

/* Longer than this, an instruction is none. */
#define X86_MAX 15

/*
 * Operands that follow an opcode, one letter for each, 16 opcodes a row; Intel's manual,
 * volume 2, appendix A.
 *	.  nothing			m  ModRM
 *	1  8 bits			b  ModRM, 8 bits
 *	2  16 bits			z  ModRM, 16 or 32 bits
 *	4  16 or 32 bits		r  ModRM of two registers, whatever its mod says
 *	8  16, 32 or 64 bits		g  ModRM, 8 bits if it is a test (group 3)
 *	j  8 bits, relative		G  ModRM, 16 or 32 bits if it is a test
 *	J  16 or 32 bits, relative	e  16 and 8 bits
 *	a  an address			p  a far pointer
 *	v  as m; SSE4a has two times 8 bits
 *	6  as .		5  as 1		M  as m		B  as b		but not in 64-bit mode
 *	P  a prefix or another table	x  no instruction
 */
static const char one_byte[] = "mmmm1466mmmm146P"
			       "mmmm1466mmmm1466"
			       "mmmm14P6mmmm14P6"
			       "mmmm14P6mmmm14P6"
			       "................"
			       "................"
			       "66MmPPPP4z1b...."
			       "jjjjjjjjjjjjjjjj"
			       "bzBbmmmmmmmmmmmm"
			       "..........p....."
			       "aaaa....14......"
			       "1111111188888888"
			       "bb2.MMbze.2..16."
			       "mmmm556.mmmmmmmm"
			       "jjjj1111JJpj...."
			       "P.PP..gG......mm";

static const char two_byte[] = "mmmmx.....x.xm.b"
			       "mmmmmmmmmmmmmmmm"
			       "rrrrxxxxmmmmmmmm"
			       "........PxPxxxxx"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmmm"
			       "bbbbmmm.vmxxmmmm"
			       "JJJJJJJJJJJJJJJJ"
			       "mmmmmmmmmmmmmmmm"
			       "...mbmxx...mbmmm"
			       "mmmmmmmmmmbmmmmm"
			       "mmbmbbbm........"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmmm"
			       "mmmmmmmmmmmmmmmm";

static int take(struct tfs_x86 *x, uint8_t *out)
{
	if (x->at >= X86_MAX)
		return -EILSEQ;
	if (x->at >= x->n)
		return -ENODATA;
	*out = x->code[x->at++];
	return 0;
}

static int peek(const struct tfs_x86 *x, uint8_t *out)
{
	struct tfs_x86 ahead = *x;

	return take(&ahead, out);
}

/* A signed number of @bytes bytes. */
static int take_number(struct tfs_x86 *x, unsigned int bytes, int64_t *out)
{
	uint64_t v = 0;
	unsigned int i;
	uint8_t b;
	int rc = 0;

	for (i = 0; i < bytes && !rc; i++) {
		rc = take(x, &b);
		if (!rc)
			v |= (uint64_t)b << (8 * i);
	}
	if (!rc && bytes < 8 && v >> (8 * bytes - 1))
		v |= UINT64_MAX << (8 * bytes);
	if (!rc)
		*out = (int64_t)v;
	return rc;
}

unsigned int tfs_x86_dwarf(unsigned int bits, unsigned int reg)
{
	/* ax cx dx bx sp bp si di; i386 has DWARF number them so. */
	static const uint8_t amd64[] = { 0, 2, 1, 3, 7, 6, 4, 5 };

	return bits == 64 && reg < 8 ? amd64[reg] : reg;
}

static int dwarf_of(const struct tfs_x86 *x, unsigned int reg)
{
	return (int)tfs_x86_dwarf(x->bits, reg);
}

/* --- prefixes --- */

/* Whether @b is one; REX counts only if it is the last. */
static bool legacy_prefix(struct tfs_x86 *x, uint8_t b)
{
	switch (b) {
	case 0x66:
		x->size16 = true;
		if (!x->rep)
			x->prefix = b;
		break;
	case 0xf2:
	case 0xf3:
		x->rep = true;
		x->prefix = b;
		break;
	case 0x67:
		x->addr_short = true;
		break;
	case 0x64:
	case 0x65:
		x->segment = true;
		break;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0xf0:
		x->odd = true;
		break;
	default:
		return false;
	}
	return true;
}

static int take_prefixes(struct tfs_x86 *x, uint8_t *op)
{
	int rc;

	for (;;) {
		rc = take(x, op);
		if (rc)
			return rc;
		if (legacy_prefix(x, *op)) {
			x->has_rex = false;
			continue;
		}
		if (x->bits != 64 || (*op & 0xf0) != 0x40)
			break;
		x->has_rex = true;
		x->rex_w = *op & 8;
		x->rex_r = *op & 4;
		x->rex_x = *op & 2;
		x->rex_b = *op & 1;
	}
	if (!x->has_rex)
		x->rex_w = x->rex_r = x->rex_x = x->rex_b = false;
	return 0;
}

static void set_pp(struct tfs_x86 *x, unsigned int pp)
{
	static const uint8_t prefix[] = { 0, 0x66, 0xf3, 0xf2 };

	x->prefix = prefix[pp & 3];
}

static int vex_map(struct tfs_x86 *x, unsigned int map)
{
	if (map >= 1 && map <= 3)
		x->map = (enum tfs_x86_map)(map + 1);
	else if (x->coding == TFS_X86_EVEX && (map == 5 || map == 6))
		x->map = TFS_X86_ELSE;
	else
		return -EILSEQ;
	return 0;
}

static int take_vex(struct tfs_x86 *x, bool three)
{
	uint8_t b, c = 0;
	int rc = take(x, &b);

	x->coding = TFS_X86_VEX;
	if (!rc && three)
		rc = take(x, &c);
	if (rc)
		return rc;
	x->rex_r = !(b & 0x80);
	x->map = TFS_X86_0F;
	if (three) {
		x->rex_x = !(b & 0x40);
		x->rex_b = !(b & 0x20);
		x->rex_w = c & 0x80;
		rc = vex_map(x, b & 0x1f);
		b = c;
	}
	x->vvvv = (~b >> 3) & 15;
	x->length = b & 4 ? 32 : 16;
	set_pp(x, b);
	return rc ? rc : take(x, &x->op);
}

static int take_evex(struct tfs_x86 *x)
{
	uint8_t p[3];
	int rc = 0;

	x->coding = TFS_X86_EVEX;
	for (unsigned int i = 0; i < 3 && !rc; i++)
		rc = take(x, &p[i]);
	if (!rc)
		rc = vex_map(x, p[0] & 7);
	if (rc || !(p[1] & 4) || (p[0] & 8))
		return rc ? rc : -EILSEQ;
	x->rex_r = !(p[0] & 0x80);
	x->rex_x = !(p[0] & 0x40);
	x->rex_b = !(p[0] & 0x20);
	x->rex_w = p[1] & 0x80;
	x->vvvv = (~p[1] >> 3) & 15;
	x->length = 16U << ((p[2] >> 5) & 3);
	x->masked = p[2] & 7;
	set_pp(x, p[1]);
	return take(x, &x->op);
}

/* AMD's, in the room of pop: a table of more than 7 says that it is none. */
static int take_xop(struct tfs_x86 *x)
{
	uint8_t b[2];
	int rc = take(x, &b[0]);

	if (!rc)
		rc = take(x, &b[1]);
	if (!rc)
		rc = take(x, &x->op);
	x->map = TFS_X86_ELSE;
	x->coding = TFS_X86_VEX;
	x->rex_x = rc || !(b[0] & 0x40);
	x->rex_b = rc || !(b[0] & 0x20);
	/* The immediate operand's size goes by the table. */
	x->imm = rc ? 0 : b[0] & 0x1f;
	return rc;
}

static int take_opcode(struct tfs_x86 *x)
{
	uint8_t b = 0, next = 0;
	bool pair, rex;
	int rc = take_prefixes(x, &b);

	if (rc)
		return rc;
	/* In 32-bit mode these are others, whose operand is in memory. */
	pair = x->bits == 64 || (!peek(x, &next) && next >= 0xc0);
	rex = x->has_rex;
	if ((b == 0xc4 || b == 0xc5) && pair)
		return rex ? -EILSEQ : take_vex(x, b == 0xc4);
	if (b == 0x62 && pair)
		return rex ? -EILSEQ : take_evex(x);
	if (b == 0x8f && !peek(x, &next) && (next & 0x1f) >= 8)
		return take_xop(x);
	x->map = TFS_X86_ONE;
	if (b == 0x0f) {
		rc = take(x, &b);
		x->map = TFS_X86_0F;
		if (!rc && (b == 0x38 || b == 0x3a)) {
			x->map = b == 0x38 ? TFS_X86_0F38 : TFS_X86_0F3A;
			rc = take(x, &b);
		}
	}
	x->op = b;
	return rc;
}

/* --- operands --- */

static int take_disp(struct tfs_x86 *x, unsigned int bytes)
{
	x->disp8 = bytes == 1;
	return bytes ? take_number(x, bytes, &x->mem.disp) : 0;
}

/* Addresses of 16-bit programs. */
static int take_mem16(struct tfs_x86 *x)
{
	static const int base[] = { 3, 3, 5, 5, -1, -1, 5, 3 };
	static const int index[] = { 6, 7, 6, 7, 6, 7, -1, -1 };
	unsigned int bytes = x->mod == 1 ? 1 : x->mod == 2 ? 2 : 0;
	unsigned int rm = x->rm & 7;

	x->mem.base = base[rm];
	x->mem.index = index[rm];
	x->mem.scale = 1;
	if (x->mod == 0 && rm == 6) {
		x->mem.base = -1;
		x->mem.absolute = true;
		bytes = 2;
	}
	return take_disp(x, bytes);
}

static int take_mem(struct tfs_x86 *x)
{
	unsigned int bytes = x->mod == 1 ? 1 : x->mod == 2 ? 4 : 0;
	unsigned int base = x->rm & 7;
	uint8_t sib;
	int rc;

	if (base == 4) {
		rc = take(x, &sib);
		if (rc)
			return rc;
		base = sib & 7;
		x->mem.scale = 1U << (sib >> 6);
		if (((sib >> 3) & 7) != 4 || x->rex_x)
			x->mem.index = dwarf_of(x, ((sib >> 3) & 7) | (x->rex_x ? 8 : 0));
	} else if (base == 5 && x->mod == 0) {
		/* Relative in 64-bit mode: tfs_insn_x86() adds where the next one begins. */
		x->mem.absolute = true;
		return take_disp(x, 4);
	}
	if (base == 5 && x->mod == 0) {
		x->mem.absolute = x->mem.index < 0;
		return take_disp(x, 4);
	}
	x->mem.base = dwarf_of(x, base | (x->rex_b ? 8 : 0));
	return take_disp(x, bytes);
}

static int take_modrm(struct tfs_x86 *x, bool registers)
{
	uint8_t b;
	int rc = take(x, &b);

	if (rc)
		return rc;
	x->has_modrm = true;
	x->mod = registers ? 3 : b >> 6;
	x->reg_field = (b >> 3) & 7;
	x->reg = x->reg_field | (x->rex_r ? 8U : 0);
	x->rm = (b & 7U) | (x->rex_b ? 8U : 0);
	x->mem.base = x->mem.index = -1;
	if (x->mod == 3)
		return 0;
	return x->bits == 32 && x->addr_short ? take_mem16(x) : take_mem(x);
}

static unsigned int z_bytes(const struct tfs_x86 *x)
{
	return x->size16 && !x->rex_w ? 2 : 4;
}

static int take_imm(struct tfs_x86 *x, unsigned int bytes)
{
	return take_number(x, bytes, &x->imm);
}

/* Takes the operands for the letter. */
static int take_plain(struct tfs_x86 *x, char letter)
{
	switch (letter) {
	case '.':
	case '6':
		return 0;
	case '1':
	case '5':
	case 'j':
		return take_imm(x, 1);
	case '2':
		return take_imm(x, 2);
	case '4':
		return take_imm(x, z_bytes(x));
	case '8':
		return take_imm(x, x->rex_w ? 8 : z_bytes(x));
	case 'J':
		/* 64-bit mode: Intel's processors have no short ones, and compilers make none. */
		return take_imm(x, x->bits == 64 ? 4 : z_bytes(x));
	case 'a':
		return take_imm(x, x->bits / 8 / (x->addr_short ? 2 : 1));
	case 'e':
		return take_imm(x, 3);
	case 'p':
		return take_imm(x, z_bytes(x) + 2);
	default:
		return -EILSEQ;
	}
}

static int take_with_modrm(struct tfs_x86 *x, char letter)
{
	int rc = take_modrm(x, letter == 'r');

	if (rc)
		return rc;
	switch (letter) {
	case 'b':
	case 'B':
		return take_imm(x, 1);
	case 'z':
		return take_imm(x, z_bytes(x));
	case 'g':
		return x->reg_field < 2 ? take_imm(x, 1) : 0;
	case 'G':
		return x->reg_field < 2 ? take_imm(x, z_bytes(x)) : 0;
	case 'v':
		return x->prefix == 0x66 || x->prefix == 0xf2 ? take_imm(x, 2) : 0;
	default:
		return 0;
	}
}

static int take_legacy(struct tfs_x86 *x)
{
	char letter;

	if (x->map == TFS_X86_0F38 || x->map == TFS_X86_0F3A)
		return take_with_modrm(x, x->map == TFS_X86_0F3A ? 'b' : 'm');
	letter = x->map == TFS_X86_ONE ? one_byte[x->op] : two_byte[x->op];
	switch (letter) {
	case '6':
	case '5':
	case 'M':
	case 'B':
	case 'p':
		if (x->bits == 64)
			return -EILSEQ;
		break;
	default:
		break;
	}
	switch (letter) {
	case 'm':
	case 'M':
	case 'b':
	case 'B':
	case 'z':
	case 'r':
	case 'g':
	case 'G':
	case 'v':
		return take_with_modrm(x, letter);
	default:
		return take_plain(x, letter);
	}
}

static int take_vector(struct tfs_x86 *x)
{
	unsigned int xop = (unsigned int)x->imm;
	int rc;

	if (x->map == TFS_X86_ELSE && x->coding == TFS_X86_VEX) {
		rc = take_modrm(x, false);
		if (rc || xop == 9)
			return rc;
		return xop == 8 || xop == 10 ? take_imm(x, xop == 8 ? 1 : 4) : -EILSEQ;
	}
	if (x->map != TFS_X86_0F)
		return take_with_modrm(x, x->map == TFS_X86_0F3A ? 'b' : 'm');
	/* vzeroupper has no operand; the others have what they had before, and there are more. */
	if (x->op == 0x77)
		return x->coding == TFS_X86_VEX ? 0 : -EILSEQ;
	switch (two_byte[x->op]) {
	case 'b':
		return take_with_modrm(x, 'b');
	case 'm':
	case 'v':
	case 'x':
		return take_with_modrm(x, 'm');
	default:
		return -EILSEQ;
	}
}

/* --- where it goes --- */

static void relative(const struct tfs_x86 *x, uint64_t addr, enum tfs_insn_kind kind,
		     struct tfs_insn *out)
{
	out->kind = kind;
	out->has_target = true;
	out->target = addr + x->at + (uint64_t)x->imm;
	if (x->bits == 32)
		out->target &= x->size16 ? 0xffff : UINT32_MAX;
}

static void kind_one(const struct tfs_x86 *x, uint64_t addr, struct tfs_insn *out)
{
	switch (x->op) {
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
		out->kind = TFS_INSN_RET;
		break;
	case 0xcf:
	case 0xea:
		out->kind = TFS_INSN_JUMP;
		break;
	case 0xe8:
		relative(x, addr, TFS_INSN_CALL, out);
		break;
	case 0x9a:
		out->kind = TFS_INSN_CALL;
		break;
	case 0xe9:
	case 0xeb:
		relative(x, addr, TFS_INSN_JUMP, out);
		break;
	case 0xf4:
		out->kind = TFS_INSN_STOP;
		break;
	case 0xc7: /* xbegin */
		if (x->mod == 3 && x->reg_field == 7)
			relative(x, addr, TFS_INSN_BRANCH, out);
		break;
	case 0xff:
		if (x->reg_field == 2 || x->reg_field == 3)
			out->kind = TFS_INSN_CALL;
		else if (x->reg_field == 4 || x->reg_field == 5)
			out->kind = TFS_INSN_JUMP;
		break;
	default:
		if ((x->op & 0xf0) == 0x70 || (x->op >= 0xe0 && x->op <= 0xe3))
			relative(x, addr, TFS_INSN_BRANCH, out);
	}
}

static void set_kind(const struct tfs_x86 *x, uint64_t addr, struct tfs_insn *out)
{
	if (x->coding != TFS_X86_LEGACY)
		return;
	if (x->map == TFS_X86_ONE) {
		kind_one(x, addr, out);
	} else if (x->map == TFS_X86_0F) {
		if ((x->op & 0xf0) == 0x80)
			relative(x, addr, TFS_INSN_BRANCH, out);
		else if (x->op == 0x0b || x->op == 0xb9 || x->op == 0xff) /* ud2, ud1, ud0 */
			out->kind = TFS_INSN_STOP;
		else if (x->op == 0x07 || x->op == 0x35) /* sysret, sysexit */
			out->kind = TFS_INSN_JUMP;
	}
}

/* syscall, sysenter, int 0x80 */
static bool is_syscall(const struct tfs_x86 *x)
{
	if (x->coding != TFS_X86_LEGACY)
		return false;
	if (x->map == TFS_X86_0F)
		return x->op == 0x05 || x->op == 0x34;
	return x->map == TFS_X86_ONE && x->op == 0xcd && (x->imm & 0xff) == 0x80;
}

/*
 * Instructions that a 6.18 kernel refused to put a uprobe on, each tried in a running process: one
 * that is not running is probed without an error, and without a hit. pushf is taken, but pushes
 * the flag by which the kernel steps over it, and a popf then ends the program.
 */
static bool no_uprobe(const struct tfs_x86 *x, const struct tfs_insn *insn)
{
	static const uint8_t refused[] = { 0x6c, 0x6d, 0x6e, 0x6f, 0x9c, 0xcc, 0xcd,
					   0xcf, 0xe4, 0xe5, 0xe6, 0xe7, 0xec, 0xed,
					   0xee, 0xef, 0xf1, 0xf4, 0xfa, 0xfb };
	size_t i;

	if (insn->syscall)
		return true;
	if (x->bits != 64)
		return false;
	if (x->odd || x->coding == TFS_X86_EVEX)
		return true;
	if (x->size16 && insn->has_target)
		return true;
	for (i = 0; i < sizeof(refused); i++) {
		if (x->map == TFS_X86_ONE && x->op == refused[i])
			return true;
	}
	return false;
}

/* Some opcodes are invalid with register operands, or with all but some of them. */
static bool is_none(const struct tfs_x86 *x)
{
	if (x->map != TFS_X86_ONE || x->coding != TFS_X86_LEGACY)
		return false;
	switch (x->op) {
	case 0x8d: /* lea */
		return x->mod == 3;
	case 0xfe:
		return x->reg_field > 1;
	case 0xff:
		return x->reg_field == 7;
	case 0x8f:
		return x->reg_field != 0;
	default:
		return false;
	}
}

int tfs_insn_x86(unsigned int bits, const uint8_t *code, size_t n, uint64_t addr,
		 struct tfs_insn *out)
{
	struct tfs_x86 x = { .code = code, .n = n, .bits = bits, .length = 16 };
	struct tfs_insn insn = { 0 };
	int rc;

	x.mem.base = x.mem.index = -1;
	rc = take_opcode(&x);
	if (!rc)
		rc = x.coding == TFS_X86_LEGACY ? take_legacy(&x) : take_vector(&x);
	if (!rc && is_none(&x))
		rc = -EILSEQ;
	if (rc)
		return rc;
	if (x.mem.absolute && x.bits == 64 && (x.rm & 7) == 5)
		x.mem.disp = (int64_t)((uint64_t)x.mem.disp + addr + x.at);
	insn.len = (unsigned int)x.at;
	set_kind(&x, addr, &insn);
	insn.syscall = is_syscall(&x);
	insn.no_uprobe = no_uprobe(&x, &insn);
	insn.effects = true;
	tfs_insn_x86_effects(&x, &insn);
	*out = insn;
	return 0;
}
