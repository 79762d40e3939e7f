/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/sdt-operand.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "dso/arch/machine.h"
#include "dso/dso-machine.h"
#include "dso/dso.h"
#include "dso/symbol.h"
#include "probe/fetch.h"

/*
 * A compiler prints the operands of a marker as it prints those of an instruction, and each machine
 * has its own way to write a constant, a register and memory at a constant from a register:
 *
 *	x86	$5	%eax	-8(%rbp)	also SYMBOL+4(%rip)
 *	arm64	5	x1	[sp, 16]
 *	arm	#5	r1	[sp, #16]
 *	riscv	5	a1	16(sp)
 *	s390x	5	%r1	16(%r15)
 *	ppc	i5	1	16(1)
 *
 * A constant from one register is what a probe can follow. A sum of two registers is not.
 */

/**
 * struct syntax - how operands of a machine are written
 * @constant: before a constant; @reg: before a register
 * @brackets: memory is [REG, OFFSET]
 * @alias: pairs of names for registers, " THEIRS=KERNEL ", besides those that the kernel has
 * @fp: beginnings of the names of floating-point and vector registers; a digit follows
 * @zero: what the register that reads as zero is called, NULL if there is none
 * @not_base: a register that stands for 0 where an address is added up, NULL if none does
 */
struct syntax {
	enum tfs_arch arch;
	const char *constant;
	const char *reg;
	bool brackets;
	const char *alias;
	const char *fp;
	const char *zero;
	const char *not_base;
};

#define X86_PARTS                                                                              \
	" rax=ax eax=ax al=ax rbx=bx ebx=bx bl=bx rcx=cx ecx=cx cl=cx rdx=dx edx=dx dl=dx"     \
	" rsi=si esi=si sil=si rdi=di edi=di dil=di rbp=bp ebp=bp bpl=bp rsp=sp esp=sp spl=sp" \
	" r8d=r8 r8w=r8 r8b=r8 r9d=r9 r9w=r9 r9b=r9 r10d=r10 r10w=r10 r10b=r10 r11d=r11"       \
	" r11w=r11 r11b=r11 r12d=r12 r12w=r12 r12b=r12 r13d=r13 r13w=r13 r13b=r13 r14d=r14"    \
	" r14w=r14 r14b=r14 r15d=r15 r15w=r15 r15b=r15 "
#define X86_FP " xmm ymm zmm mm k "

static const struct syntax syntaxes[] = {
	{ TFS_ARCH_X86_64, "$", "%", false, X86_PARTS, X86_FP, NULL, NULL },
	{ TFS_ARCH_I386, "$", "%", false, X86_PARTS, X86_FP, NULL, NULL },
	{ TFS_ARCH_ARM64, "", "", true, " fp=x29 lr=x30 wsp=sp ", " b h s d q v z ", "zr", NULL },
	{ TFS_ARCH_ARM, "#", "", true, " r11=fp r12=ip r13=sp r14=lr sb=r9 sl=r10 ", " s d q ",
	  NULL, NULL },
	{ TFS_ARCH_RISCV64, "", "", false, " fp=s0 ", " fa fs ft ", "zero", NULL },
	{ TFS_ARCH_S390X, "", "%", false, " ", " f v ", NULL, "r0" },
	{ TFS_ARCH_PPC64LE, "i", "", false, " ", " f v vs ", NULL, "gpr0" },
};

static const struct syntax *syntax_of(const struct tfs_dso *dso)
{
	for (size_t i = 0; i < ARRAY_SIZE(syntaxes); i++)
		if (syntaxes[i].arch == tfs_dso_arch(dso))
			return &syntaxes[i];
	return NULL;
}

size_t tfs_sdt_arg_next(const char **s)
{
	unsigned int inside = 0;
	size_t len;

	*s += strspn(*s, " ");
	for (len = 0; (*s)[len] && ((*s)[len] != ' ' || inside); len++) {
		if (strchr("[(", (*s)[len]))
			inside++;
		else if (strchr("])", (*s)[len]) && inside)
			inside--;
	}
	return len;
}

/* Without the blanks around it. */
static const char *trim(const char *s, size_t *len)
{
	while (*len && *s == ' ') {
		s++;
		--*len;
	}
	while (*len && s[*len - 1] == ' ')
		--*len;
	return s;
}

/* All of @s as a number, by its bits. */
static bool read_number(const char *s, size_t len, int64_t *out)
{
	char text[32], *end;

	if (!len || len >= sizeof(text) || !(isdigit((unsigned char)*s) || *s == '-'))
		return false;
	memcpy(text, s, len);
	text[len] = '\0';
	errno = 0;
	*out = *s == '-' ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	return !errno && !*end;
}

static bool skip_prefix(const char *prefix, const char **s, size_t *len)
{
	size_t n = strlen(prefix);

	if (*len < n || strncmp(*s, prefix, n) != 0)
		return false;
	*s += n;
	*len -= n;
	return true;
}

static bool is_fp(const struct syntax *syntax, const char *name)
{
	char word[16];
	size_t n = strcspn(name, "0123456789");

	if (!n || !name[n] || n + 3 > sizeof(word))
		return false;
	snprintf(word, sizeof(word), " %.*s ", (int)n, name);
	return strstr(syntax->fp, word);
}

/* As the kernel calls it; "" for one that it does not know. */
static void kernel_name(const struct syntax *syntax, const struct tfs_machine *machine,
			const char *name, char *out, size_t size)
{
	const char *found;
	char word[24];

	snprintf(word, sizeof(word), " %s=", name);
	found = strstr(syntax->alias, word);
	if (found)
		snprintf(out, size, "%.*s", (int)strcspn(found + strlen(word), " "),
			 found + strlen(word));
	else if (syntax->arch == TFS_ARCH_ARM64 && *name == 'w')
		snprintf(out, size, "x%s", name + 1);
	else if (syntax->arch == TFS_ARCH_PPC64LE)
		snprintf(out, size, "gpr%s", name + (*name == 'r'));
	else
		snprintf(out, size, "%s", name);
	for (size_t i = 0; i < machine->n_reg; i++)
		if (machine->reg[i] && !strcmp(machine->reg[i], out))
			return;
	*out = '\0';
}

/*
 * struct operand - one that is being read
 * @all: the argument, for messages
 */
struct operand {
	struct tfs_dso *dso;
	const struct syntax *syntax;
	const char *all;
	size_t all_len;
	uint64_t pc;
	unsigned int size;
	bool is_float;
	struct tfs_fetch *f;
	struct tfs_err *err;
};

static int refuse(const struct operand *o, const char *why)
{
	return tfs_err_say(o->err, -EOPNOTSUPP, "'%.*s': %s", (int)o->all_len, o->all, why);
}

static int no_such_operand(const struct operand *o)
{
	return refuse(o, "this kind of operand is not known");
}

/* A kernel of 32 bits has no more of a constant, and fills 64 bits up with zeros. */
static bool fits_word(const struct operand *o, int64_t value)
{
	if (tfs_dso_addr_size(o->dso) == 8 || tfs_dso_is_narrow(o->dso))
		return true;
	return value >= (o->size == 8 ? 0 : INT32_MIN) && value <= (int64_t)UINT32_MAX;
}

static int take_constant(const struct operand *o, int64_t value)
{
	if (!fits_word(o, value))
		return refuse(o, "the constant has 64 bits, and the kernel of this machine 32");
	o->f->base = TFS_FETCH_IMM;
	o->f->value = value;
	return 0;
}

static int take_register(const struct operand *o, const char *s, size_t len, bool is_base)
{
	char name[16];

	s = trim(s, &len);
	skip_prefix(*o->syntax->reg ? o->syntax->reg : "%", &s, &len);
	if (!len || len >= sizeof(name))
		return no_such_operand(o);
	memcpy(name, s, len);
	name[len] = '\0';
	if (o->syntax->zero && !is_base &&
	    !strcmp(name + (o->syntax->arch == TFS_ARCH_ARM64), o->syntax->zero))
		return take_constant(o, 0);
	kernel_name(o->syntax, tfs_dso_machine(o->dso), name, o->f->reg, sizeof(o->f->reg));
	if (!*o->f->reg && is_fp(o->syntax, name))
		return refuse(o, "it is in a floating-point register, which a probe cannot read");
	if (!*o->f->reg ||
	    (is_base && o->syntax->not_base && !strcmp(o->f->reg, o->syntax->not_base)))
		return no_such_operand(o);
	if (!is_base && o->size > tfs_dso_addr_size(o->dso))
		return refuse(o, "it is in two registers, of which a probe reads one");
	o->f->base = TFS_FETCH_REG;
	return 0;
}

/* A variable of the file, and bytes after it. @len: of the text up to what says where it is */
static int take_symbol(const struct operand *o, const char *s, size_t len)
{
	const struct tfs_symbol *const *found;
	size_t name_len = strcspn(s, "+-(");
	char name[256];
	int64_t more = 0;
	uint64_t off;

	if (name_len > len)
		name_len = len;
	if (!name_len || name_len >= sizeof(name) ||
	    (name_len < len && !read_number(s + name_len + (s[name_len] == '+'),
					    len - name_len - (s[name_len] == '+'), &more)))
		return no_such_operand(o);
	memcpy(name, s, name_len);
	name[name_len] = '\0';
	if (tfs_symbol_named(o->dso, name, &found) != 1)
		return refuse(o, "its variable is not in the file's symbol table, or not once");
	if (tfs_dso_file_offset(o->dso, o->pc, &off))
		return no_such_operand(o);
	o->f->base = TFS_FETCH_FILE;
	o->f->value = (int64_t)(found[0]->addr + (uint64_t)more - (o->pc - off));
	return o->f->value == (int32_t)o->f->value ? 0 : no_such_operand(o);
}

static int take_memory(const struct operand *o, const char *base, size_t base_len, const char *disp,
		       size_t disp_len)
{
	int64_t off = 0;

	if (memchr(base, ',', base_len))
		return refuse(o, "its address is the sum of two registers, and a probe adds "
				 "constants only");
	disp = trim(disp, &disp_len);
	skip_prefix("#", &disp, &disp_len);
	if (disp_len && (!read_number(disp, disp_len, &off) || off != (int32_t)off))
		return no_such_operand(o);
	o->f->n_deref = 1;
	o->f->offset[0] = off;
	return take_register(o, base, base_len, true);
}

/* [REG], [REG, OFFSET]; with an index there is a register after the first comma */
static int take_brackets(const struct operand *o, const char *s, size_t len)
{
	const char *comma = memchr(s, ',', len);
	const char *disp = comma ? comma + 1 : s + len - 1;
	size_t disp_len = (size_t)(s + len - 1 - disp);

	if (s[len - 1] != ']')
		return no_such_operand(o);
	disp = trim(disp, &disp_len);
	if (disp_len && isalpha((unsigned char)*disp))
		return take_memory(o, s, len, "", 0);
	return take_memory(o, s + 1, (size_t)((comma ? comma : s + len - 1) - (s + 1)), disp,
			   disp_len);
}

static bool is_register(const struct operand *o, const char *s, size_t len)
{
	if (*o->syntax->reg)
		return skip_prefix(o->syntax->reg, &s, &len);
	/* a number is a register where constants have a sign of their own */
	return len && (isalpha((unsigned char)*s) || *s == '%' || *o->syntax->constant);
}

static int take_operand(const struct operand *o, const char *s, size_t len)
{
	const bool x86 = o->syntax->arch == TFS_ARCH_X86_64 || o->syntax->arch == TFS_ARCH_I386;
	const char *open = memchr(s, '(', len), *number = s;
	size_t number_len = len;
	int64_t value;

	if (skip_prefix(o->syntax->constant, &number, &number_len) &&
	    read_number(number, number_len, &value))
		return o->is_float ? no_such_operand(o) : take_constant(o, value);
	if (o->syntax->brackets && *s == '[')
		return take_brackets(o, s, len);
	if (o->syntax->arch == TFS_ARCH_PPC64LE && memchr(s, ',', len) && !open)
		return take_memory(o, s, len, "", 0);
	if (x86 && (isalpha((unsigned char)*s) || *s == '_')) {
		if (!open)
			return take_symbol(o, s, len);
		if ((size_t)(s + len - open) == strlen("(%rip)") && !strncmp(open, "(%rip)", 6))
			return take_symbol(o, s, (size_t)(open - s));
	}
	if (open && s[len - 1] == ')' && !o->syntax->brackets)
		return take_memory(o, open + 1, (size_t)(s + len - 1 - (open + 1)), s,
				   (size_t)(open - s));
	return is_register(o, s, len) ? take_register(o, s, len, false) : no_such_operand(o);
}

/* "-4@", "8f@": @o->size, @o->is_float and the type of @o->f. False if it is not known. */
static bool take_size(struct operand *o, const char *s, const char *at)
{
	char *end;
	long size = strtol(s, &end, 10);

	o->is_float = *end == 'f';
	if (end == s || end + o->is_float != at)
		return false;
	o->size = (unsigned int)labs(size);
	if (o->size != 4 && o->size != 8 && (o->is_float || (o->size != 1 && o->size != 2)))
		return false;
	if (o->is_float)
		o->f->means.kind = TFS_MEANS_FLOAT;
	snprintf(o->f->type, sizeof(o->f->type), "%c%u",
		 o->is_float ? 'x' :
		 size < 0    ? 's' :
			       'u',
		 8 * o->size);
	return true;
}

int tfs_sdt_arg_parse(struct tfs_dso *dso, const char *s, size_t len, uint64_t pc,
		      struct tfs_fetch *out, struct tfs_err *err)
{
	struct operand o = { .dso = dso,
			     .syntax = syntax_of(dso),
			     .all = s,
			     .all_len = len,
			     .pc = pc,
			     .size = tfs_dso_addr_size(dso),
			     .f = out,
			     .err = err };
	const char *at = memchr(s, '@', len);
	struct tfs_fetch wrong = { 0 };
	int rc = 0;

	if (!o.syntax || !tfs_dso_machine(dso))
		return refuse(&o, "the operands of this machine are not known");
	if (!at)
		snprintf(out->type, sizeof(out->type), "u%u", 8 * o.size);
	else if (!take_size(&o, s, at))
		rc = refuse(&o, "a number of this size cannot be recorded");
	if (!rc && at) {
		len -= (size_t)(at + 1 - s);
		s = at + 1;
	}
	if (!rc)
		rc = len ? take_operand(&o, s, len) : no_such_operand(&o);
	if (rc)
		*out = wrong;
	return rc;
}
