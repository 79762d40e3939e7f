/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/program-internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/macros.h"

#define STARS (TFS_STYLE_STAR_WIDTH | TFS_STYLE_STAR_PREC)
/* "0x" and 16 digits */
#define HEX_MAX 18

static void emit_literal(struct tfs_compiler *c, const char *text, size_t len)
{
	struct tfs_op op = { .code = TFS_OP_LITERAL, .off = (uint32_t)len };

	op.text = tfs_own_text(c, text, len);
	if (len)
		tfs_emit(c, &op, len);
}

static void const_string(struct tfs_compiler *c, const char *text, struct tfs_op op)
{
	size_t len = strlen(text);
	char *column;

	if (op.style & STARS) {
		op.code = TFS_OP_CONST_STRING;
		op.off = (uint32_t)len;
		op.text = tfs_own_text(c, text, len);
		tfs_emit(c, &op, 0);
		return;
	}
	column = malloc(len + op.width + 1);
	if (!column) {
		c->rc = -ENOMEM;
		return;
	}
	emit_literal(c, column, (size_t)(tfs_write_column(column, &op, text, len) - column));
	free(column);
}

static void field_string(struct tfs_compiler *c, const struct tep_format_field *f, struct tfs_op op)
{
	if (!f) {
		tfs_refuse(c, "a field is missing");
		return;
	}
	op.off = (uint32_t)f->offset;
	op.aux = (uint32_t)f->size;
	if (!(f->flags & TEP_FIELD_IS_ARRAY) && f->size == (int)c->env->long_size) {
		/* A pointer to one of the kernel's strings, or its value; without a column. */
		op.code = TFS_OP_KERNEL_STRING;
		op.size = (uint8_t)f->size;
		tfs_emit(c, &op, 16);
	} else if (!f->size) {
		op.code = TFS_OP_REST;
		tfs_emit(c, &op, 0);
	} else if (op.width || op.prec >= 0) {
		op.code = TFS_OP_STYLED;
		tfs_emit(c, &op, 0);
	} else {
		op.code = op.aux == 16 ? TFS_OP_STRING16 : TFS_OP_STRING;
		tfs_emit(c, &op, op.aux);
	}
}

/* A flag's value: a number or one of the names that the kernel leaves in its formats. */
static int64_t choice_value(const char *text)
{
	static const struct {
		const char *name;
		int64_t value;
	} names[] = {
		{ "HI_SOFTIRQ", 0 },      { "TIMER_SOFTIRQ", 1 },     { "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 },  { "BLOCK_SOFTIRQ", 4 },     { "IRQ_POLL_SOFTIRQ", 5 },
		{ "TASKLET_SOFTIRQ", 6 }, { "SCHED_SOFTIRQ", 7 },     { "HRTIMER_SOFTIRQ", 8 },
		{ "RCU_SOFTIRQ", 9 },     { "HRTIMER_NORESTART", 0 }, { "HRTIMER_RESTART", 1 },
	};
	size_t i;

	if (isdigit((unsigned char)*text))
		return (int64_t)strtoull(text, NULL, 0);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].name, text))
			return names[i].value;
	return -1;
}

/* @list with its texts in their columns; @total is set to the bytes of all of them. */
static struct tfs_choices *read_choices(struct tfs_compiler *c,
					const struct tep_print_flag_sym *list,
					const struct tfs_op *op, size_t *total)
{
	const struct tep_print_flag_sym *s;
	struct tfs_choices *choices;
	size_t n = 0, len;
	char *text;

	*total = 0;
	for (s = list; s; s = s->next)
		n++;
	choices =
		tfs_own(c, c->rc ? NULL : calloc(1, sizeof(*choices) + n * sizeof(*choices->row)));
	for (s = list; s && choices && !c->rc; s = s->next) {
		struct tfs_choice *row = &choices->row[choices->n++];

		len = s->str ? strlen(s->str) : 0;
		row->value = (uint64_t)choice_value(s->value);
		row->text = text = tfs_own(c, calloc(1, len + op->width + TFS_COPY_SLACK));
		if (text)
			row->len =
				(uint32_t)(tfs_write_column(text, op, s->str ? s->str : "", len) -
					   text);
		*total += row->len;
		choices->sign |= (int64_t)row->value < 0;
	}
	return choices;
}

/* The first of equal values counts: it goes before the others. */
static int compare(const void *a, const void *b)
{
	const struct tfs_choice *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static void sort_choices(struct tfs_choices *choices)
{
	uint32_t i, n = 0;
	struct tfs_choice *row = choices->row, swap;

	/* A stable sort, since qsort() does not say that it is one: these lists are short. */
	for (n = 1; n < choices->n; n++) {
		for (i = n; i && compare(&row[i - 1], &row[i]) > 0; i--) {
			swap = row[i];
			row[i] = row[i - 1];
			row[i - 1] = swap;
		}
	}
	for (i = 0, n = 0; i < choices->n; i++)
		if (!n || row[n - 1].value != row[i].value)
			row[n++] = row[i];
	choices->n = n;
}

static void flags(struct tfs_compiler *c, const struct tep_print_arg *arg, struct tfs_op op)
{
	const char *delim = arg->flags.delim ? arg->flags.delim : "";
	struct tfs_choices *choices;
	size_t total;

	choices = read_choices(c, arg->flags.flags, &op, &total);
	if (!choices)
		return;
	choices->delim = tfs_own_text(c, delim, strlen(delim));
	choices->delim_len = (uint32_t)strlen(delim);
	tfs_compile_value(c, arg->flags.field);
	op.code = TFS_OP_FLAGS;
	op.choices = choices;
	tfs_emit(c, &op, total + choices->n * (size_t)choices->delim_len + HEX_MAX);
}

static void symbolic(struct tfs_compiler *c, const struct tep_print_arg *arg, struct tfs_op op)
{
	struct tfs_choices *choices;
	size_t total;

	choices = read_choices(c, arg->symbol.symbols, &op, &total);
	if (!choices || c->rc)
		return;
	sort_choices(choices);
	tfs_compile_value(c, arg->symbol.field);
	op.code = TFS_OP_SYMBOLIC;
	op.choices = choices;
	tfs_emit(c, &op, (total > HEX_MAX ? total : HEX_MAX));
}

/* Bytes or numbers that lie at a field, or where a dynamic one says. */
static void array(struct tfs_compiler *c, const struct tep_print_arg *at,
		  const struct tep_print_arg *count, struct tfs_op op)
{
	const struct tep_format_field *f;

	f = at && (at->type == TEP_PRINT_FIELD || at->type == TEP_PRINT_DYNAMIC_ARRAY) ?
		    tfs_arg_field(c, at) :
		    NULL;
	if (!f) {
		tfs_refuse(c, "an array of no field");
		return;
	}
	if (at->type == TEP_PRINT_DYNAMIC_ARRAY)
		op.style |= tfs_dynamic(c, f);
	op.off = (uint32_t)f->offset;
	tfs_compile_value(c, count);
	tfs_emit(c, &op, 0);
}

static void numbers(struct tfs_compiler *c, const struct tep_print_arg *arg)
{
	struct tfs_op op = { .code = TFS_OP_ARRAY };
	uint64_t size;

	if (!tfs_value_is_const(c, arg->int_array.el_size, &size) ||
	    (size != 1 && size != 2 && size != 4 && size != 8)) {
		tfs_refuse(c, "elements of a size that varies");
		return;
	}
	if (c->env->arrays == TFS_ARRAYS_UNKNOWN)
		tfs_refuse(c, "an array");
	op.size = (uint8_t)size;
	array(c, arg->int_array.field, arg->int_array.count, op);
}

static void hex(struct tfs_compiler *c, const struct tep_print_arg *arg)
{
	struct tfs_op op = { .code = TFS_OP_HEX };

	if (arg->type == TEP_PRINT_HEX_STR)
		op.style |= TFS_STYLE_PLAIN;
	array(c, arg->hex.field, arg->hex.size, op);
}

/* The data that a dynamic field's offset and length describe; none without that field. */
static void dynamic(struct tfs_compiler *c, const struct tep_format_field *f, const char *name,
		    struct tfs_op op)
{
	if (!f)
		f = tep_find_any_field(c->event, name);
	if (!f)
		return;
	op.style |= tfs_dynamic(c, f);
	op.off = (uint32_t)f->offset;
	tfs_emit(c, &op, 0);
}

static void choice(struct tfs_compiler *c, const struct tep_print_arg *arg,
		   const struct tfs_op *style)
{
	const struct tep_print_arg *colon = arg->op.right;
	struct tfs_op op = { .code = TFS_OP_JUMP_ZERO };
	size_t other, end;

	/* libtraceevent does not take any other expression for text. */
	if (arg->op.op[0] != '?')
		return;
	if (!colon || colon->type != TEP_PRINT_OP) {
		tfs_refuse(c, "a condition without choices");
		return;
	}
	tfs_compile_value(c, arg->op.left);
	other = tfs_emit(c, &op, 0);
	tfs_compile_text(c, colon->op.left, style);
	op.code = TFS_OP_JUMP;
	end = tfs_emit(c, &op, 0);
	tfs_jump_here(c, other);
	tfs_compile_text(c, colon->op.right, style);
	tfs_jump_here(c, end);
}

void tfs_compile_text(struct tfs_compiler *c, const struct tep_print_arg *arg,
		      const struct tfs_op *style)
{
	struct tfs_op op = *style;

	if (!arg) {
		tfs_refuse(c, "an argument is missing");
		return;
	}
	if (!tfs_deeper(c))
		goto out;
	if (op.style & STARS && (arg->type == TEP_PRINT_FLAGS || arg->type == TEP_PRINT_SYMBOL ||
				 arg->type == TEP_PRINT_BITMASK || arg->type == TEP_PRINT_CPUMASK))
		tfs_refuse(c, "a column whose width varies");
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		const_string(c, arg->atom.atom, op);
		break;
	case TEP_PRINT_FIELD:
		field_string(c, tfs_arg_field(c, arg), op);
		break;
	case TEP_PRINT_FLAGS:
		flags(c, arg, op);
		break;
	case TEP_PRINT_SYMBOL:
		symbolic(c, arg, op);
		break;
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		hex(c, arg);
		break;
	case TEP_PRINT_INT_ARRAY:
		numbers(c, arg);
		break;
	case TEP_PRINT_STRING:
		op.code = TFS_OP_DYN_STRING;
		dynamic(c, arg->string.field, arg->string.string, op);
		break;
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
		op.code = arg->type == TEP_PRINT_BITMASK ? TFS_OP_BITMASK : TFS_OP_CPUMASK;
		dynamic(c, arg->bitmask.field, arg->bitmask.bitmask, op);
		break;
	case TEP_PRINT_OP:
		choice(c, arg, style);
		break;
	case TEP_PRINT_FUNC:
	case TEP_PRINT_BSTRING:
		tfs_refuse(c, "a plugin's function");
		break;
	default: /* libtraceevent prints nothing for a cast, a length, nothing */
		break;
	}
out:
	c->depth--;
}

size_t tfs_pointer_suffix(const char *s)
{
	size_t n;

	if (!*s || !strchr("FfSsMmIiUh", *s))
		return 0;
	switch (*s) {
	case 'M':
	case 'm':
		return s[1] == 'R' || s[1] == 'F' ? 2 : 1;
	case 'U':
		return s[1] && strchr("LlBb", s[1]) ? 2 : 1;
	case 'h':
		return s[1] && strchr("CDN", s[1]) ? 2 : 1;
	case 'I':
	case 'i':
		break;
	default:
		return 1;
	}
	if (!s[1] || !strchr("46S", s[1]))
		return 1;
	n = 2;
	if (s[1] == 'S')
		n += strspn(s + n, "pfs");
	if (s[1] != '6' && s[n] && strchr("hnlb", s[n]))
		n++;
	return n + (s[1] != '4' && s[n] == 'c');
}

/* A field of @size bytes that holds an address; another size is said in the text. */
static void address(struct tfs_compiler *c, const struct tep_print_arg *arg, int size,
		    const char *invalid, const struct tfs_op *op)
{
	const struct tep_format_field *f;
	struct tfs_op copy = *op;

	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	f = arg && arg->type == TEP_PRINT_FIELD ? tfs_arg_field(c, arg) : NULL;
	if (!f) {
		tfs_refuse(c, "an address that is not a field");
		return;
	}
	if (f->size != size) {
		emit_literal(c, invalid, strlen(invalid));
		return;
	}
	copy.off = (uint32_t)f->offset;
	tfs_emit(c, &copy, 64);
}

static void socket_address(struct tfs_compiler *c, const struct tep_print_arg *arg, const char *s)
{
	struct tfs_op op = { .code = TFS_OP_SOCKADDR };
	const struct tep_format_field *f;

	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	f = arg && (arg->type == TEP_PRINT_FIELD || arg->type == TEP_PRINT_DYNAMIC_ARRAY) ?
		    tfs_arg_field(c, arg) :
		    NULL;
	if (!f) {
		tfs_refuse(c, "an address that is not a field");
		return;
	}
	if (s[0] == 'i')
		op.style |= TFS_STYLE_PLAIN;
	s += 2;
	if (!(op.style & TFS_STYLE_PLAIN) && *s == 'p') {
		op.style |= TFS_STYLE_PORT;
		s++;
	}
	if (!(op.style & TFS_STYLE_PLAIN) && *s == 'c') {
		op.style |= TFS_STYLE_SHORT;
		s++;
	}
	if (*s == 'l' || (*s == 'h' && !c->env->big))
		op.style |= TFS_STYLE_REVERSE;
	if (arg->type == TEP_PRINT_DYNAMIC_ARRAY)
		op.style |= tfs_dynamic(c, f);
	op.off = (uint32_t)f->offset;
	op.aux = (uint32_t)f->size;
	tfs_emit(c, &op, 64);
}

static void ip_address(struct tfs_compiler *c, const struct tep_print_arg *arg, const char *s)
{
	struct tfs_op op = { .style = s[0] == 'i' ? TFS_STYLE_PLAIN : 0 };

	switch (s[1]) {
	case '4':
		op.code = TFS_OP_IP4;
		if (s[2] == 'l' || (s[2] == 'h' && !c->env->big))
			op.style |= TFS_STYLE_REVERSE;
		address(c, arg, 4, "INVALIDIPv4", &op);
		break;
	case '6':
		op.code = TFS_OP_IP6;
		if (s[0] == 'I' && s[2] == 'c')
			op.style |= TFS_STYLE_SHORT;
		address(c, arg, 16, "INVALIDIPv6", &op);
		break;
	case 'S':
		socket_address(c, arg, s);
		break;
	default:
		tfs_refuse(c, "an unusual conversion");
	}
}

static void mac_address(struct tfs_compiler *c, const struct tep_print_arg *arg, const char *s)
{
	struct tfs_op op = { .code = TFS_OP_MAC, .kind = ':' };

	if (s[0] == 'm')
		op.kind = 0;
	else if (s[1] == 'F')
		op.kind = '-';
	if (s[1] == 'R')
		op.style |= TFS_STYLE_REVERSE;
	address(c, arg, 6, "INVALIDMAC", &op);
}

static void uuid(struct tfs_compiler *c, const struct tep_print_arg *arg, const char *s)
{
	struct tfs_op op = { .code = TFS_OP_UUID };

	if (s[1] == 'L' || s[1] == 'l')
		op.style |= TFS_STYLE_REVERSE;
	if (s[1] == 'L' || s[1] == 'B')
		op.style |= TFS_STYLE_UPPER;
	address(c, arg, 16, "INVALIDUUID", &op);
}

static void raw_bytes(struct tfs_compiler *c, const struct tep_print_arg *arg, const char *s,
		      bool star)
{
	struct tfs_op op = { .code = TFS_OP_RAW, .kind = ' ' };

	if (arg->type != TEP_PRINT_DYNAMIC_ARRAY || !arg->dynarray.field) {
		tfs_refuse(c, "bytes of no dynamic field");
		return;
	}
	if (s[1] == 'C')
		op.kind = ':';
	else if (s[1] == 'D')
		op.kind = '-';
	else if (s[1] == 'N')
		op.kind = 0;
	/* Without a length it is one byte. */
	op.style = tfs_dynamic(c, arg->dynarray.field);
	if (star)
		op.style |= TFS_STYLE_STAR_PREC;
	op.off = (uint32_t)arg->dynarray.field->offset;
	tfs_emit(c, &op, 0);
}

void tfs_compile_pointer(struct tfs_compiler *c, const struct tep_print_arg *arg,
			 const char *suffix, const struct tfs_op *style)
{
	struct tfs_op op = { .code = TFS_OP_POINTER };

	switch (*suffix) {
	case 'F':
	case 'S':
	case 'f':
	case 's':
		op.style = *suffix == 'F' || *suffix == 'S' ? TFS_STYLE_OFFSET : 0;
		op.code = TFS_OP_FUNCTION;
		tfs_compile_value(c, arg);
		tfs_emit(c, &op, HEX_MAX);
		break;
	case 'M':
	case 'm':
		mac_address(c, arg, suffix);
		break;
	case 'I':
	case 'i':
		ip_address(c, arg, suffix);
		break;
	case 'U':
		uuid(c, arg, suffix);
		break;
	case 'h':
		raw_bytes(c, arg, suffix, style->style & STARS);
		break;
	default:
		tfs_compile_value(c, arg);
		tfs_emit(c, &op, HEX_MAX);
	}
}
