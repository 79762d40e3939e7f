/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/filter-program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/meaning.h"
#include "decode/library.h"
#include "decode/event-type.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "decode/value.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"

/* Where a test leads, if not to another test. An error ends in no match, also after a "not". */
#define TRUE_END (-1)
#define FALSE_END (-2)

enum operand_kind { NUMBER, FIELD, CPU, BROKEN };

/* @bits: see struct tfs_field */
struct operand {
	enum operand_kind kind;
	bool is_signed;
	unsigned int offset, size, bits;
	uint64_t value;
};

enum test_kind { COMPARE, COMPUTE, FIELD_TEXT, SYMBOL, COMM };

/*
 * struct test - one comparison
 * @op: enum tep_filter_cmp_type, of COMPUTE enum tep_filter_exp_type
 * @a, @b: of COMPARE and COMPUTE; of others @a is the field
 * @dynamic, @relative: the field holds where its text is
 * @symbol: the field's number is looked up among the kernel's symbols
 * @text, @re: borrowed: what the text is compared with
 * @yes, @no: index of the next test, or TRUE_END, FALSE_END
 */
struct test {
	enum test_kind kind;
	int op;
	struct operand a, b;
	bool dynamic, relative, symbol;
	const char *text;
	const regex_t *re;
	int yes, no;
};

struct tfs_filter_program {
	struct tfs_trace *trace;
	bool big;
	int start;
	struct test *tests;
	int n;
	size_t alloc;
	const char *odd; /* see tfs_filter_program_odd() */
	bool odd_is_text;
};

static int add(struct tfs_filter_program *p, const struct test *t, int *entry)
{
	if (tfs_grow(&p->tests, &p->alloc, (size_t)p->n + 1))
		return -ENOMEM;
	p->tests[p->n] = *t;
	*entry = p->n++;
	return 0;
}

/* libtraceevent's two fields that are in no format belong to no event. */
static bool is_made_up(const struct tep_format_field *f, const char *name)
{
	return !f->event && !strcmp(f->name, name);
}

/* Bits with a sign that the field's type does not have. */
static unsigned int sign_bits(const struct tfs_filter_program *p, const struct tep_format_field *f)
{
	const struct tfs_event_type *t = f->event ? tfs_trace_type(p->trace, f->event->id) : NULL;
	const struct tfs_field *field =
		t && t->fields ? tfs_fields_find(t->fields, f->name, strlen(f->name)) : NULL;

	return field ? field->bits : 0;
}

static struct operand field_operand(const struct tfs_filter_program *p,
				    const struct tep_format_field *f)
{
	struct operand o = { .kind = FIELD };

	if (is_made_up(f, "CPU"))
		return (struct operand){ .kind = CPU };
	/* The address of a name: no number that anything is compared with */
	if (is_made_up(f, "COMM"))
		return (struct operand){ .kind = NUMBER, .value = UINT64_MAX / 3 };
	/* Anything but a number has no value: libtraceevent uses whatever was there. */
	if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return (struct operand){ .kind = NUMBER };
	o.offset = (unsigned int)f->offset;
	o.size = (unsigned int)f->size;
	o.bits = sign_bits(p, f);
	o.is_signed = o.bits || f->flags & TEP_FIELD_IS_SIGNED;
	return o;
}

static struct operand operand(const struct tfs_filter_program *p, const struct tep_filter_arg *arg)
{
	if (arg->type == TEP_FILTER_ARG_FIELD)
		return field_operand(p, arg->field.field);
	if (arg->type == TEP_FILTER_ARG_VALUE && arg->value.type == TEP_FILTER_NUMBER)
		return (struct operand){ .kind = NUMBER, .value = arg->value.val };
	return (struct operand){ .kind = BROKEN };
}

static void note_odd(struct tfs_filter_program *p, const struct tep_format_field *f, bool is_text)
{
	if (p->odd)
		return;
	p->odd = f->name;
	p->odd_is_text = is_text;
}

static void check_number(struct tfs_filter_program *p, const struct tep_filter_arg *arg)
{
	const struct tep_format_field *f = arg->type == TEP_FILTER_ARG_FIELD ? arg->field.field :
									       NULL;

	if (f && (is_made_up(f, "COMM") || (f->flags & TEP_FIELD_IS_STRING)))
		note_odd(p, f, true);
}

static int add_numbers(struct tfs_filter_program *p, struct test *t, const struct tep_filter_arg *a,
		       const struct tep_filter_arg *b, int *entry)
{
	check_number(p, a);
	check_number(p, b);
	t->a = operand(p, a);
	t->b = operand(p, b);
	if (t->a.kind == BROKEN || t->b.kind == BROKEN) {
		*entry = FALSE_END;
		return 0;
	}
	return add(p, t, entry);
}

static int add_text(struct tfs_filter_program *p, const struct tep_filter_arg *arg, int yes, int no,
		    int *entry)
{
	const struct tep_format_field *f = arg->str.field;
	struct test t = { .op = (int)arg->str.type, .text = arg->str.val, .yes = yes, .no = no };

	if (t.op == TEP_FILTER_CMP_REGEX || t.op == TEP_FILTER_CMP_NOT_REGEX)
		t.re = &arg->str.reg;
	if (is_made_up(f, "COMM")) {
		t.kind = COMM;
		return add(p, &t, entry);
	}
	t.a = field_operand(p, f);
	t.kind = SYMBOL;
	if (f->flags & TEP_FIELD_IS_STRING) {
		t.kind = FIELD_TEXT;
		t.dynamic = f->flags & TEP_FIELD_IS_DYNAMIC;
		t.relative = f->flags & TEP_FIELD_IS_RELATIVE;
		t.a = (struct operand){ .kind = FIELD,
					.offset = (unsigned int)f->offset,
					.size = (unsigned int)f->size };
	} else if (f->flags & (TEP_FIELD_IS_POINTER | TEP_FIELD_IS_LONG)) {
		t.symbol = true;
		tfs_trace_load_symbols(p->trace);
	} else if (!t.re && !(f->flags & TEP_FIELD_IS_ARRAY)) {
		note_odd(p, f, false);
	}
	return add(p, &t, entry);
}

/* Tests for @arg that lead to @yes or @no; *@entry is where they begin. */
static int compile(struct tfs_filter_program *p, const struct tep_filter_arg *arg, int yes, int no,
		   int *entry)
{
	struct test t = { .yes = yes, .no = no };
	int rc, right;

	switch (arg->type) {
	case TEP_FILTER_ARG_BOOLEAN:
		*entry = arg->boolean.value ? yes : no;
		return 0;
	case TEP_FILTER_ARG_OP:
		if (arg->op.type == TEP_FILTER_OP_NOT)
			return compile(p, arg->op.right, no, yes, entry);
		rc = compile(p, arg->op.right, yes, no, &right);
		if (rc)
			return rc;
		if (arg->op.type == TEP_FILTER_OP_AND)
			return compile(p, arg->op.left, right, no, entry);
		return compile(p, arg->op.left, yes, right, entry);
	case TEP_FILTER_ARG_NUM:
		t.kind = COMPARE;
		t.op = (int)arg->num.type;
		return add_numbers(p, &t, arg->num.left, arg->num.right, entry);
	case TEP_FILTER_ARG_EXP:
		t.kind = COMPUTE;
		t.op = (int)arg->exp.type;
		return add_numbers(p, &t, arg->exp.left, arg->exp.right, entry);
	case TEP_FILTER_ARG_STR:
		return add_text(p, arg, yes, no, entry);
	default:
		*entry = FALSE_END;
		return 0;
	}
}

int tfs_filter_program_new(struct tfs_trace *trace, const struct tep_filter_arg *arg,
			   struct tfs_filter_program **out)
{
	struct tfs_filter_program *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return -ENOMEM;
	p->trace = trace;
	p->big = tfs_dat_info(tfs_trace_dat(trace))->big_endian;
	rc = compile(p, arg, TRUE_END, FALSE_END, &p->start);
	if (rc)
		tfs_filter_program_free(p);
	else
		*out = p;
	return rc;
}

void tfs_filter_program_free(struct tfs_filter_program *p)
{
	if (!p)
		return;
	free(p->tests);
	free(p);
}

const char *tfs_filter_program_odd(const struct tfs_filter_program *p, bool *is_text)
{
	*is_text = p->odd_is_text;
	return p->odd;
}

static uint64_t load_field(const struct tfs_filter_program *p, const struct operand *o,
			   const struct tfs_record *rec)
{
	const unsigned char *at = (const unsigned char *)rec->data + o->offset;
	size_t room = tfs_record_room(rec);

	if (o->offset > room || o->size > room - o->offset)
		return 0;
	switch (o->size) {
	case 1:
		return o->is_signed ? (uint64_t)(int8_t)*at : *at;
	case 2:
		return o->is_signed ? (uint64_t)(int16_t)tfs_load_u16(at, p->big) :
				      tfs_load_u16(at, p->big);
	case 4:
		return o->is_signed ? (uint64_t)(int32_t)tfs_load_u32(at, p->big) :
				      tfs_load_u32(at, p->big);
	default:
		return tfs_load_u64(at, p->big);
	}
}

static uint64_t load(const struct tfs_filter_program *p, const struct operand *o,
		     const struct tfs_record *rec)
{
	if (o->kind == NUMBER)
		return o->value;
	if (o->kind == CPU)
		return rec->cpu;
	return tfs_meaning_extend(o->bits, load_field(p, o, rec));
}

/* Is @o below zero, as a number of @other's kind where it has none of its own? */
static bool is_negative(const struct operand *o, const struct operand *other, uint64_t value)
{
	return (o->is_signed || (o->kind == NUMBER && other->is_signed)) && (int64_t)value < 0;
}

/*
 * Numbers that differ in sign, made to be in order without: libtraceevent compares them as they
 * are, and a negative one is large to it.
 */
static void order(const struct test *t, uint64_t *a, uint64_t *b)
{
	bool low_a = is_negative(&t->a, &t->b, *a), low_b = is_negative(&t->b, &t->a, *b);

	if (low_a == low_b)
		return;
	*a = low_b;
	*b = low_a;
}

static bool compare(int op, uint64_t a, uint64_t b)
{
	switch (op) {
	case TEP_FILTER_CMP_EQ:
		return a == b;
	case TEP_FILTER_CMP_NE:
		return a != b;
	case TEP_FILTER_CMP_GT:
		return a > b;
	case TEP_FILTER_CMP_LT:
		return a < b;
	case TEP_FILTER_CMP_GE:
		return a >= b;
	default:
		return a <= b;
	}
}

/* Is the result other than zero? -1: there is none */
static int compute(int op, uint64_t a, uint64_t b)
{
	switch (op) {
	case TEP_FILTER_EXP_ADD:
		return a + b != 0;
	case TEP_FILTER_EXP_SUB:
		return a != b;
	case TEP_FILTER_EXP_MUL:
		return a * b != 0;
	case TEP_FILTER_EXP_DIV:
		return b ? a / b != 0 : -1;
	case TEP_FILTER_EXP_MOD:
		return b ? a % b != 0 : -1;
	case TEP_FILTER_EXP_RSHIFT:
		return a >> (b & 63) != 0;
	case TEP_FILTER_EXP_LSHIFT:
		return a << (b & 63) != 0;
	case TEP_FILTER_EXP_AND:
		return (a & b) != 0;
	case TEP_FILTER_EXP_OR:
		return (a | b) != 0;
	case TEP_FILTER_EXP_XOR:
		return a != b;
	default:
		return -1;
	}
}

static bool text_holds(const struct test *t, const char *s, size_t len)
{
	regmatch_t match = { .rm_so = 0, .rm_eo = (regoff_t)len };
	bool equal;

	if (t->re)
		equal = !regexec(t->re, s, 1, &match, REG_STARTEND);
	else
		equal = strlen(t->text) == len && !memcmp(s, t->text, len);
	return t->op == TEP_FILTER_CMP_MATCH || t->op == TEP_FILTER_CMP_REGEX ? equal : !equal;
}

static bool field_text_holds(const struct tfs_filter_program *p, const struct test *t,
			     const struct tfs_record *rec)
{
	size_t room = tfs_record_room(rec);
	size_t offset = t->a.offset, size = t->a.size;
	const char *data = rec->data;
	uint32_t where;

	if (t->dynamic) {
		if (offset > room || room - offset < sizeof(where))
			return text_holds(t, "", 0);
		where = tfs_load_u32(data + offset, p->big);
		offset = (where & 0xffff) + (t->relative ? offset + size : 0);
		size = where >> 16;
	}
	if (offset > room)
		return text_holds(t, "", 0);
	if (size > room - offset)
		size = room - offset;
	return text_holds(t, data + offset, strnlen(data + offset, size));
}

static bool symbol_holds(const struct tfs_filter_program *p, const struct test *t,
			 const struct tfs_record *rec)
{
	uint64_t value = load(p, &t->a, rec);
	const char *name = NULL;
	char hex[32];
	bool holds;

	tfs_trace_lock(p->trace);
	if (t->symbol)
		name = tep_find_function(tfs_trace_tep(p->trace), value);
	if (!name) {
		snprintf(hex, sizeof(hex), "0x%" PRIx64, value);
		name = hex;
	}
	holds = text_holds(t, name, strlen(name));
	tfs_trace_unlock(p->trace);
	return holds;
}

static bool comm_holds(const struct tfs_filter_program *p, const struct test *t,
		       const struct tfs_record *rec)
{
	const char *comm;
	bool holds;

	tfs_trace_lock(p->trace);
	comm = tfs_trace_comm(p->trace, tfs_trace_record_pid(p->trace, rec));
	holds = text_holds(t, comm, strlen(comm));
	tfs_trace_unlock(p->trace);
	return holds;
}

static int holds(const struct tfs_filter_program *p, const struct test *t,
		 const struct tfs_record *rec)
{
	uint64_t a, b;

	switch (t->kind) {
	case COMPARE:
		a = load(p, &t->a, rec);
		b = load(p, &t->b, rec);
		if (!tfs_trace_is_compat(p->trace))
			order(t, &a, &b);
		return compare(t->op, a, b);
	case COMPUTE:
		return compute(t->op, load(p, &t->a, rec), load(p, &t->b, rec));
	case FIELD_TEXT:
		return field_text_holds(p, t, rec);
	case SYMBOL:
		return symbol_holds(p, t, rec);
	case COMM:
		return comm_holds(p, t, rec);
	}
	return -1;
}

bool tfs_filter_program_run(const struct tfs_filter_program *p, const struct tfs_record *rec)
{
	int i = p->start, result;

	while (i >= 0) {
		result = holds(p, &p->tests[i], rec);
		if (result < 0)
			return false;
		i = result ? p->tests[i].yes : p->tests[i].no;
	}
	return i == TRUE_END;
}
