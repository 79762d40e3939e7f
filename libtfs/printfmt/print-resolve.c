/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/macros.h"
#include "printfmt/print-helpers.h"
#include "printfmt/print-lex.h"
#include "printfmt/print-parse.h"

struct tfs_print_mark tfs_print_mark(const struct tfs_print *p)
{
	return (struct tfs_print_mark){ .n_ops = p->c.program->n_ops,
					.bound = p->c.program->bound,
					.at = *p };
}

bool tfs_print_back(struct tfs_print *p, const struct tfs_print_mark *mark)
{
	if (p->c.rc != -EOPNOTSUPP || mark->at.c.rc)
		return false;
	*p = mark->at;
	p->c.program->n_ops = mark->n_ops;
	p->c.program->bound = mark->bound;
	return true;
}

static const struct tfs_ctype int_type = { .size = 4, .is_signed = true };

/* Constants that kernels leave as names and never renumber. */
static const struct {
	const char *name;
	uint64_t value;
} known[] = {
	{ "NULL", 0 },
	{ "false", 0 },
	{ "true", 1 },
	{ "HI_SOFTIRQ", 0 },
	{ "TIMER_SOFTIRQ", 1 },
	{ "NET_TX_SOFTIRQ", 2 },
	{ "NET_RX_SOFTIRQ", 3 },
	{ "BLOCK_SOFTIRQ", 4 },
	{ "IRQ_POLL_SOFTIRQ", 5 },
	{ "TASKLET_SOFTIRQ", 6 },
	{ "SCHED_SOFTIRQ", 7 },
	{ "HRTIMER_SOFTIRQ", 8 },
	{ "RCU_SOFTIRQ", 9 },
	{ "HRTIMER_NORESTART", 0 },
	{ "HRTIMER_RESTART", 1 },
	/* <asm/xen/trace_types.h>, <asm/xen/hypervisor.h>, <asm/paravirt_types.h> */
	{ "XEN_MC_FL_NONE", 0 },
	{ "XEN_MC_FL_BATCH", 1 },
	{ "XEN_MC_FL_ARGS", 2 },
	{ "XEN_MC_FL_CALLBACK", 3 },
	{ "XEN_MC_XE_OK", 0 },
	{ "XEN_MC_XE_BAD_OP", 1 },
	{ "XEN_MC_XE_NO_SPACE", 2 },
	{ "XEN_LAZY_MMU", 1 },
	{ "XEN_LAZY_CPU", 2 },
	{ "PARAVIRT_LAZY_MMU", 1 },
	{ "PARAVIRT_LAZY_CPU", 2 },
	{ "nvme_fabrics_command", 0x7f }, /* <linux/nvme.h> */
	/* <linux/printk.h> */
	{ "DUMP_PREFIX_NONE", 0 },
	{ "DUMP_PREFIX_ADDRESS", 1 },
	{ "DUMP_PREFIX_OFFSET", 2 },
};

const struct tep_format_field *tfs_print_field(const struct tfs_print *p, const struct tfs_node *n)
{
	const struct tep_format_field *lists[] = { p->c.event->format.fields,
						   p->c.event->format.common_fields },
				      *f;
	size_t i;

	for (i = 0; i < 2; i++)
		for (f = lists[i]; f; f = f->next)
			if (tfs_node_is(n, f->name))
				return f;
	return NULL;
}

const struct tep_format_field *tfs_print_named(const struct tfs_print *p, const struct tfs_node *n)
{
	const struct tep_format_field *f;
	uint64_t nth = 0;

	if (n->kind == TFS_NODE_INDEX && n->b->kind == TFS_NODE_NUMBER) {
		nth = n->b->value;
		n = n->a;
	}
	if (n->kind != TFS_NODE_NAME)
		return NULL;
	for (f = p->c.event->format.fields; f; f = f->next)
		if (tfs_node_is(n, f->name) && !nth--)
			return f;
	return NULL;
}

/* Looks a name up in the enclosing blocks */
static struct tfs_name *name_of(const struct tfs_print *p, const struct tfs_node *n)
{
	struct tfs_name *name;

	for (name = p->names; name; name = name->outer)
		if (name->declared->len == n->len && !memcmp(name->declared->text, n->text, n->len))
			return name;
	return NULL;
}

struct tfs_node *tfs_print_unwrap(struct tfs_node *n)
{
	while (n && n->kind == TFS_NODE_CAST)
		n = n->a;
	return n;
}

uint64_t tfs_print_fit(struct tfs_ctype type, uint64_t value)
{
	unsigned int unused = 64 - 8 * type.size;

	if (type.pointers || !type.size || type.size > 8)
		return value;
	if (type.is_bool)
		return value != 0;
	value <<= unused;
	return type.is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
}

static struct tfs_ctype promoted(struct tfs_ctype type)
{
	return type.pointers || type.size >= 4 || !type.size ? type : int_type;
}

struct tfs_ctype tfs_print_common(struct tfs_ctype a, struct tfs_ctype b)
{
	a = promoted(a);
	b = promoted(b);
	/* An unknown type or a pointer stays as it is. */
	if (a.pointers || !a.size)
		return a;
	if (b.pointers || !b.size)
		return b;
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return a.is_signed ? b : a;
}

enum tfs_operator tfs_print_operator(enum tfs_node_op op, bool is_signed)
{
	static const struct {
		enum tfs_operator plain, with_sign;
	} rows[] = {
		[TFS_NODE_ADD] = { TFS_ADD, TFS_ADD },    [TFS_NODE_SUB] = { TFS_SUB, TFS_SUB },
		[TFS_NODE_MUL] = { TFS_MUL, TFS_MUL },    [TFS_NODE_DIV] = { TFS_DIV, TFS_SDIV },
		[TFS_NODE_MOD] = { TFS_MOD, TFS_SMOD },   [TFS_NODE_AND] = { TFS_AND, TFS_AND },
		[TFS_NODE_OR] = { TFS_OR, TFS_OR },       [TFS_NODE_XOR] = { TFS_XOR, TFS_XOR },
		[TFS_NODE_SHL] = { TFS_SHL, TFS_SHL },    [TFS_NODE_SHR] = { TFS_SHR, TFS_SSHR },
		[TFS_NODE_LAND] = { TFS_LAND, TFS_LAND }, [TFS_NODE_LOR] = { TFS_LOR, TFS_LOR },
		[TFS_NODE_EQ] = { TFS_EQ, TFS_EQ },       [TFS_NODE_NE] = { TFS_NE, TFS_NE },
		[TFS_NODE_LT] = { TFS_LT, TFS_SLT },      [TFS_NODE_LE] = { TFS_LE, TFS_SLE },
		[TFS_NODE_GT] = { TFS_GT, TFS_SGT },      [TFS_NODE_GE] = { TFS_GE, TFS_SGE },
	};

	return is_signed ? rows[op].with_sign : rows[op].plain;
}

/* --- types and constants */

static void set(struct tfs_node *n, struct tfs_ctype type)
{
	n->type = type;
}

static void set_const(struct tfs_node *n, struct tfs_ctype type, uint64_t value)
{
	n->type = type;
	n->is_const = true;
	n->value = tfs_print_fit(type, value);
}

static void field(struct tfs_print *p, struct tfs_node *n)
{
	const struct tep_format_field *f = tfs_print_field(p, n);
	struct tfs_ctype type = { 0 };
	struct tfs_lex lex;

	if (!f) {
		tfs_refuse(&p->c, "a field is missing");
		return;
	}
	tfs_lex_init(&lex, f->type, strlen(f->type));
	while (lex.token == TFS_TOKEN_NAME &&
	       (tfs_lex_is(&lex, "__data_loc") || tfs_lex_is(&lex, "__rel_loc")))
		tfs_lex_next(&lex);
	if (!tfs_ctype_parse(&lex, p->c.env->long_size, &type))
		type = (struct tfs_ctype){ 0 };
	if (f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)) {
		if (f->arraylen && !(f->flags & TEP_FIELD_IS_DYNAMIC) && !type.pointers)
			type.size = (unsigned int)f->size / f->arraylen;
		if (!type.pointers)
			type.is_signed = f->flags & TEP_FIELD_IS_SIGNED;
		type.pointers++;
	} else if (!type.pointers) {
		type.size = (unsigned int)f->size;
		type.is_signed = f->flags & TEP_FIELD_IS_SIGNED;
	}
	set(n, type);
}

/* A number that is not known in the format: from the recording, or where a symbol is. */
static void name(struct tfs_print *p, struct tfs_node *n)
{
	const struct tfs_format_env *env = p->c.env;
	struct tfs_node *value = name_of(p, n) ? name_of(p, n)->value : NULL;
	uint64_t number = 0;
	bool found = false;
	char text[128];
	size_t i;

	if (value) {
		/* It is what it was set to, converted to what it was declared as. */
		n->kind = TFS_NODE_CAST;
		n->type = name_of(p, n)->declared->type;
		n->a = value;
		tfs_print_resolve(p, n);
		return;
	}
	if (env->constant)
		found = env->constant(env->constants, n->text, n->len, &number);
	for (i = 0; i < ARRAY_SIZE(known) && !found; i++) {
		found = tfs_node_is(n, known[i].name);
		number = known[i].value;
	}
	if (!found && !p->table && env->address && n->len < sizeof(text)) {
		memcpy(text, n->text, n->len);
		text[n->len] = '\0';
		found = env->address(env->symbols, text, &number);
	}
	if (!found) {
		tfs_refuse(&p->c, "a name that is not known");
		return;
	}
	set_const(n,
		  (int64_t)number == (int32_t)number ? int_type : (struct tfs_ctype){ .size = 8 },
		  number);
}

static void unary(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_ctype type = promoted(n->a->type), target = n->a->type;
	uint64_t v = n->a->value;

	switch (n->op) {
	case TFS_NODE_NOT:
		type = int_type;
		v = !v;
		break;
	case TFS_NODE_NEGATE:
		v = -v;
		break;
	case TFS_NODE_INVERT:
		v = ~v;
		break;
	case TFS_NODE_PLUS:
		break;
	case TFS_NODE_DEREF:
		if (!target.pointers)
			tfs_refuse(&p->c, "a pointer to nothing");
		target.pointers -= target.pointers > 0;
		set(n, target);
		return;
	default: /* an address */
		target.pointers++;
		set(n, target);
		return;
	}
	set(n, type);
	if (n->a->is_const)
		set_const(n, type, v);
}

static bool is_comparison(enum tfs_node_op op)
{
	return op >= TFS_NODE_LAND && op <= TFS_NODE_GE;
}

static bool is_shift(enum tfs_node_op op)
{
	return op == TFS_NODE_SHL || op == TFS_NODE_SHR;
}

static void binary(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_ctype common = tfs_print_common(n->a->type, n->b->type);
	uint64_t a, b, value = 0;
	bool with_sign;

	if (is_shift(n->op))
		common = promoted(n->a->type);
	set(n, is_comparison(n->op) ? int_type : common);
	if (!n->a->is_const || !n->b->is_const)
		return;
	with_sign = common.is_signed && !common.pointers;
	a = n->a->value;
	b = n->b->value;
	if (n->op != TFS_NODE_LAND && n->op != TFS_NODE_LOR && !is_shift(n->op)) {
		a = tfs_print_fit(common, a);
		b = tfs_print_fit(common, b);
	}
	if (is_shift(n->op) && common.size == 4)
		b &= 31;
	if (!tfs_compute(tfs_print_operator(n->op, with_sign), a, b, &value))
		tfs_refuse(&p->c, "a division by zero");
	set_const(n, n->type, value);
}

static void condition(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_node *yes = n->b ? n->b : n->a, *chosen = n->a->value ? yes : n->c;

	/* For two pointers, or a pointer and null, it is the pointer. */
	if (yes->type.pointers || n->c->type.pointers)
		set(n, yes->type.pointers ? yes->type : n->c->type);
	else
		set(n, tfs_print_common(yes->type, n->c->type));
	if (!n->a->is_const || !chosen->is_const)
		return;
	set_const(n, n->type, chosen->value);
	(void)p;
}

static void index_of(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_ctype type = n->a->type;

	if (!type.pointers)
		tfs_refuse(&p->c, "an element of no array");
	else
		type.pointers--;
	set(n, type);
}

/*
 * union kvm_mmu_page_role of x86 (arch/x86/include/asm/kvm_host.h), the one structure that print
 * formats take apart: its bit fields from the lowest bit on.
 */
static const struct {
	const char *name;
	unsigned int at, bits;
} page_role[] = {
	{ "level", 0, 4 },           { "has_4_byte_gpte", 4, 1 },
	{ "quadrant", 5, 2 },        { "direct", 7, 1 },
	{ "access", 8, 3 },          { "invalid", 11, 1 },
	{ "efer_nx", 12, 1 },        { "cr0_wp", 13, 1 },
	{ "smep_andnot_wp", 14, 1 }, { "smap_andnot_wp", 15, 1 },
	{ "ad_disabled", 16, 1 },    { "guest_mode", 17, 1 },
	{ "passthrough", 18, 1 },    { "smm", 24, 8 },
};

/* "REC->ent.pid": of struct trace_entry, whose members are the common fields */
static bool is_common(struct tfs_print *p, struct tfs_node *n)
{
	static const char *const names[] = { "common_type", "common_flags", "common_preempt_count",
					     "common_pid" };
	const size_t prefix = strlen("common_");
	size_t i;

	if (n->a->kind != TFS_NODE_FIELD || !tfs_node_is(n->a, "ent") || tfs_print_field(p, n->a))
		return false;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!tfs_node_is(n, names[i] + prefix))
			continue;
		n->kind = TFS_NODE_FIELD;
		n->text = names[i];
		n->len = strlen(names[i]);
		field(p, n);
		return true;
	}
	return false;
}

/* A bit field of one that a block declares and sets as a whole: (value & mask) >> at */
static void member(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_name *of = n->a->kind == TFS_NODE_NAME ? name_of(p, n->a) : NULL;
	struct tfs_ctype type = { .size = 4 };
	size_t i, count = ARRAY_SIZE(page_role);

	if (is_common(p, n))
		return;
	for (i = 0; i < count && !tfs_node_is(n, page_role[i].name); i++)
		;
	if (!of || !of->value || i == count || !of->is_role) {
		tfs_refuse(&p->c, "a member of a structure");
		return;
	}
	n->kind = TFS_NODE_CALL;
	n->text = "bits";
	n->len = 4;
	n->a = of->value;
	n->value = (uint64_t)page_role[i].at << 8 | page_role[i].bits;
	tfs_print_resolve(p, n->a);
	set(n, type);
}

static void declare(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_name *name = tfs_own(&p->c, calloc(1, sizeof(*name)));

	if (!name)
		return;
	name->is_role = n->b && tfs_node_is(n->b, "kvm_mmu_page_role");
	name->declared = n;
	name->value = n->a;
	name->outer = p->names;
	p->names = name;
}

/* "name = value" or "name.member = value", of which the member is the whole */
static void assign(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_node *to = n->a->kind == TFS_NODE_MEMBER ? n->a->a : n->a;
	struct tfs_name *name = to->kind == TFS_NODE_NAME ? name_of(p, to) : NULL;

	if (!name || (n->a->kind == TFS_NODE_MEMBER && !tfs_node_is(n->a, "word")))
		tfs_refuse(&p->c, "an assignment");
	tfs_print_resolve(p, n->b);
	if (name && !p->c.rc)
		name->value = n->b;
}

/* But for the first, "p". One that is not known is left to whoever prints the call. */
static void resolve_arguments(struct tfs_print *p, struct tfs_node *call)
{
	struct tfs_print_mark mark;
	struct tfs_node *arg;

	for (arg = call->a ? call->a->next : NULL; arg; arg = arg->next) {
		mark = tfs_print_mark(p);
		tfs_print_resolve(p, arg);
		tfs_print_back(p, &mark);
	}
}

/*
 * ->c: the last statement, the block's value; ->b: a call of trace_seq_printf(), its text. Names
 * are known within only: nothing below refers to one by name afterwards.
 */
static void block(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_name *outer = p->names;
	struct tfs_node *s;

	for (s = n->a; s && !p->c.rc; s = s->next) {
		if (s->kind == TFS_NODE_DECLARE) {
			declare(p, s);
		} else if (s->kind == TFS_NODE_ASSIGN) {
			assign(p, s);
		} else if (s->kind == TFS_NODE_CALL && tfs_node_is(s, "trace_seq_printf")) {
			n->b = s;
			resolve_arguments(p, s);
		} else if (!s->next) {
			if (s->kind == TFS_NODE_CALL)
				resolve_arguments(p, s);
			tfs_print_resolve(p, s);
			n->c = s;
			set(n, s->type);
		}
	}
	if (!n->c)
		tfs_refuse(&p->c, "a block without a value");
	p->names = outer;
}

/*
 * Page table entries as they are in the record, from and to their types. On Xen pte_val() and its
 * kin translate a machine's frame to the guest's, by a table that is not in the recording.
 */
static bool is_entry_call(const struct tfs_node *n)
{
	static const char *const names[] = {
		"pte_val",         "pmd_val",         "pud_val",         "p4d_val",
		"pgd_val",         "native_make_pte", "native_make_pmd", "native_make_pud",
		"native_make_p4d", "native_make_pgd",
	};
	size_t i, count = ARRAY_SIZE(names);

	for (i = 0; i < count && !tfs_node_is(n, names[i]); i++)
		;
	return i < count && n->a;
}

/* It returns its argument. */
static void entry_call(struct tfs_print *p, struct tfs_node *n)
{
	n->kind = TFS_NODE_CAST;
	n->type = (struct tfs_ctype){ 0 };
	tfs_print_resolve(p, n);
}

/* @name within @n's body is @value, which is not of another type for it. */
static void bind(struct tfs_print *p, const char *name, struct tfs_node *value)
{
	struct tfs_node *declared = tfs_own(&p->c, calloc(1, sizeof(*declared)));

	if (!declared)
		return;
	declared->text = name;
	declared->len = strlen(name);
	declared->a = value;
	declare(p, declared);
}

/* A function with a body: it returns that of its arguments. */
static bool helper(struct tfs_print *p, struct tfs_node *n)
{
	static const char *const names[] = { "a", "b", "c" };
	const char *text = tfs_print_helper(n->text, n->len);
	struct tfs_name *outer = p->names;
	struct tfs_node *body, *arg, *big, *before;
	struct tfs_print_mark mark;
	size_t i;

	if (!text)
		return false;
	for (arg = n->a; arg; arg = arg->next) {
		/* One that the body leaves out need not be known. */
		mark = tfs_print_mark(p);
		tfs_print_resolve(p, arg);
		tfs_print_back(p, &mark);
	}
	body = tfs_print_parse_expression(text, p->c.env->long_size, &p->tree);
	big = tfs_tree_node(&p->tree, TFS_NODE_NUMBER);
	before = tfs_tree_node(&p->tree, TFS_NODE_CALL);
	if ((!body || !big || !before) && !p->c.rc)
		p->c.rc = -ENOMEM;
	if (big)
		big->value = p->c.env->big;
	if (before)
		*before = *n;
	bind(p, "BIG", big);
	for (arg = n->a, i = 0; arg && i < ARRAY_SIZE(names); arg = arg->next, i++)
		bind(p, names[i], arg);
	if (!p->c.rc)
		tfs_print_resolve(p, body);
	p->names = outer;
	if (p->c.rc)
		return true;
	n->kind = TFS_NODE_CAST;
	n->type = (struct tfs_ctype){ 0 };
	n->a = body;
	tfs_print_resolve(p, n);
	n->c = before;
	return true;
}

static void call(struct tfs_print *p, struct tfs_node *n)
{
	static const struct {
		const char *name;
		struct tfs_ctype type;
		bool resolve; /* its arguments are numbers */
	} rows[] = {
		{ "__get_dynamic_array_len", { .size = 4 }, false },
		{ "__get_rel_dynamic_array_len", { .size = 4 }, false },
		{ "__get_dynamic_array", { .pointers = 1 }, false },
		{ "__get_rel_dynamic_array", { .pointers = 1 }, false },
		{ "__get_bitmask", { .size = 1, .is_signed = true, .pointers = 1 }, false },
		{ "__get_str", { .size = 1, .is_signed = true, .pointers = 1 }, false },
		{ "__get_rel_str", { .size = 1, .is_signed = true, .pointers = 1 }, false },
		{ "__get_sockaddr", { .pointers = 1 }, false },
		{ "__get_rel_sockaddr", { .pointers = 1 }, false },
		{ "__builtin_expect", { .size = 8, .is_signed = true }, true },
		{ "__builtin_bswap16", { .size = 2 }, true },
		{ "__builtin_bswap32", { .size = 4 }, true },
		{ "__builtin_bswap64", { .size = 8 }, true },
		{ "__fswab16", { .size = 2 }, true },
		{ "__fswab32", { .size = 4 }, true },
		{ "__fswab64", { .size = 8 }, true },
		{ "__swab16", { .size = 2 }, true },
		{ "__swab32", { .size = 4 }, true },
		{ "__swab64", { .size = 8 }, true },
		{ "jiffies_to_msecs", { .size = 4 }, true },
		{ "__builtin_constant_p", { .size = 4, .is_signed = true }, true },
	};
	const size_t count = ARRAY_SIZE(rows);
	size_t i, found = count;

	for (i = 0; i < count && found == count; i++)
		if (tfs_node_is(n, rows[i].name))
			found = i;
	if (found == count) {
		/* A text's type is asked for too: "cond ? __print_flags(...) : "none"" */
		set(n, (struct tfs_ctype){ .size = 1, .is_signed = true, .pointers = 1 });
		return;
	}
	set(n, rows[found].type);
	if (!rows[found].resolve)
		return;
	if (!n->a) {
		tfs_refuse(&p->c, "an argument is missing");
		return;
	}
	tfs_print_resolve(p, n->a);
	if (tfs_node_is(n, "__builtin_constant_p"))
		set_const(n, rows[found].type, n->a->is_const);
	else if (tfs_node_is(n, "__builtin_expect") && n->a->is_const)
		set_const(n, rows[found].type, n->a->value);
}

static void resolve_operands(struct tfs_print *p, struct tfs_node *n)
{
	if (n->a)
		tfs_print_resolve(p, n->a);
	if (n->b)
		tfs_print_resolve(p, n->b);
	if (n->c)
		tfs_print_resolve(p, n->c);
}

/* An array that is a field has all its elements. */
static uint64_t size_of(const struct tfs_print *p, const struct tfs_node *n)
{
	const struct tep_format_field *f = n->kind == TFS_NODE_FIELD ? tfs_print_field(p, n) : NULL;

	if (f && f->flags & TEP_FIELD_IS_ARRAY && !(f->flags & TEP_FIELD_IS_DYNAMIC))
		return (uint64_t)f->size;
	return n->type.pointers ? p->c.env->long_size : n->type.size;
}

unsigned int tfs_print_size_of(const struct tfs_print *p, const char *type, size_t len)
{
	const struct tep_format_field *f;

	for (f = p->c.event->format.fields; f; f = f->next)
		if (!(f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)) &&
		    strlen(f->type) == len && !memcmp(f->type, type, len))
			return (unsigned int)f->size;
	return 0;
}

/* "sizeof(access_mask_t)": the size of a type that is known by a field */
static bool is_field_s_type(const struct tfs_print *p, struct tfs_node *n)
{
	const struct tfs_node *type = n->kind == TFS_NODE_SIZEOF ? n->a : NULL;

	if (!type || type->kind != TFS_NODE_NAME || name_of(p, type))
		return false;
	n->value = tfs_print_size_of(p, type->text, type->len);
	if (n->value)
		n->a = NULL;
	return n->value != 0;
}

static void dispatch(struct tfs_print *p, struct tfs_node *n)
{
	switch (n->kind) {
	case TFS_NODE_NUMBER:
		n->is_const = true;
		break;
	case TFS_NODE_STRING:
	case TFS_NODE_LIST:
		set(n, (struct tfs_ctype){ .size = 1, .is_signed = true, .pointers = 1 });
		break;
	case TFS_NODE_NAME:
		name(p, n);
		break;
	case TFS_NODE_FIELD:
		field(p, n);
		break;
	case TFS_NODE_CAST:
		/* A type that is not known changes nothing. */
		if (!n->type.size && !n->type.pointers)
			n->type = n->a->type;
		if (n->a->is_const)
			set_const(n, n->type, n->a->value);
		break;
	case TFS_NODE_SIZEOF:
		set_const(n, (struct tfs_ctype){ .size = p->c.env->long_size },
			  n->a ? size_of(p, n->a) : n->value);
		break;
	case TFS_NODE_UNARY:
		unary(p, n);
		break;
	case TFS_NODE_BINARY:
		binary(p, n);
		break;
	case TFS_NODE_CONDITION:
		condition(p, n);
		break;
	case TFS_NODE_INDEX:
		index_of(p, n);
		break;
	case TFS_NODE_CALL:
		if (is_entry_call(n))
			entry_call(p, n);
		else if (!helper(p, n))
			call(p, n);
		break;
	case TFS_NODE_BLOCK:
		block(p, n);
		break;
	case TFS_NODE_MEMBER:
		member(p, n);
		break;
	default:
		tfs_refuse(&p->c, "a statement where none is understood");
	}
}

void tfs_print_resolve(struct tfs_print *p, struct tfs_node *n)
{
	if (p->c.rc || n->resolved)
		return;
	if (++p->c.depth > TFS_PRINT_DEPTH) {
		tfs_refuse(&p->c, "a deep expression");
		return;
	}
	if (!is_field_s_type(p, n) && n->kind != TFS_NODE_CALL && n->kind != TFS_NODE_LIST &&
	    n->kind != TFS_NODE_BLOCK && n->kind != TFS_NODE_MEMBER)
		resolve_operands(p, n);
	if (!p->c.rc)
		dispatch(p, n);
	n->resolved = !p->c.rc;
	p->c.depth--;
}

/* --- what points into the record */

static bool is_dynamic_call(const struct tfs_node *n)
{
	static const char *const names[] = {
		"__get_dynamic_array", "__get_rel_dynamic_array", "__get_str",
		"__get_rel_str",       "__get_sockaddr",          "__get_rel_sockaddr",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (n->kind == TFS_NODE_CALL && tfs_node_is(n, names[i]))
			return n->a != NULL;
	return false;
}

/* Where @n->a points, moved by a constant number of elements */
static bool moved(struct tfs_print *p, struct tfs_node *n, struct tfs_spot *spot)
{
	uint64_t size;

	if (!n->b->is_const || !tfs_print_spot(p, n->a, spot))
		return false;
	size = spot->type.size ? spot->type.size : 1;
	if (spot->type.pointers)
		size = p->c.env->long_size;
	if (n->b->value > UINT16_MAX)
		return false;
	spot->add += n->b->value * size;
	return spot->add <= UINT16_MAX;
}

static bool address_of(struct tfs_print *p, struct tfs_node *of, struct tfs_spot *spot)
{
	const struct tep_format_field *f;

	if (of->kind == TFS_NODE_INDEX)
		return moved(p, of, spot);
	f = of->kind == TFS_NODE_FIELD ? tfs_print_field(p, of) : NULL;
	if (!f || f->flags & TEP_FIELD_IS_DYNAMIC)
		return f && tfs_print_spot(p, of, spot);
	*spot = (struct tfs_spot){ .field = f, .type = of->type };
	if (f->flags & TEP_FIELD_IS_ARRAY)
		spot->type.pointers--;
	return true;
}

bool tfs_print_spot(struct tfs_print *p, struct tfs_node *n, struct tfs_spot *spot)
{
	const struct tep_format_field *f;

	tfs_print_resolve(p, n);
	if (p->c.rc)
		return false;
	if (n->kind == TFS_NODE_CAST && n->type.pointers) {
		if (!tfs_print_spot(p, n->a, spot))
			return false;
		spot->type = n->type;
		spot->type.pointers--;
		return true;
	}
	if (n->kind == TFS_NODE_UNARY && n->op == TFS_NODE_ADDRESS)
		return address_of(p, n->a, spot);
	if (n->kind == TFS_NODE_BINARY && n->op == TFS_NODE_ADD && n->type.pointers)
		return moved(p, n, spot);
	if (n->kind != TFS_NODE_FIELD && !is_dynamic_call(n))
		return false;
	f = n->kind == TFS_NODE_FIELD ? tfs_print_field(p, n) : tfs_print_named(p, n->a);
	if (!f || !(f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC)))
		return false;
	*spot = (struct tfs_spot){ .field = f,
				   .dynamic = f->flags & TEP_FIELD_IS_DYNAMIC,
				   .type = n->type };
	spot->type.pointers--;
	return true;
}
