/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/program-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/array.h"
#include "printfmt/convs.h"
#include "printfmt/print-lex.h"
#include "printfmt/print-type.h"

/* One conversion of the print format, as a field that it names is printed with it. */
struct shown {
	struct tfs_conv conv;
	bool zero_x; /* "0x" stands before it */
};

/*
 * All of them; @at: where the search for the next field begins. After the last one it begins at
 * the top, but only if text follows (@open): else it was the last field that is found.
 */
struct shown_list {
	struct shown *v;
	size_t n, at;
	bool open;
};

static int collect(const struct tep_event *event, struct shown_list *list)
{
	const char *p = event->print_fmt.format;
	struct tfs_convs it;
	struct shown one;

	tfs_convs_init(&it, p, event->print_fmt.args);
	while (tfs_convs_next(&it, &one.conv)) {
		if (tfs_grow_one(&list->v, list->n))
			return -ENOMEM;
		one.zero_x = one.conv.start - p >= 2 && !memcmp(one.conv.start - 2, "0x", 2);
		list->v[list->n++] = one;
		/* libtraceevent prints unknown suffixes of "%p" ("%px") as text. */
		p = one.conv.conv == 'p' ? one.conv.suffix + tfs_pointer_suffix(one.conv.suffix) :
					   one.conv.start + one.conv.len;
	}
	list->open = p && *p;
	return 0;
}

static const struct tep_format_field *plain_field(const struct tfs_compiler *c,
						  const struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	return arg && arg->type == TEP_PRINT_FIELD ? tfs_arg_field(c, arg) : NULL;
}

/* The conversion that shows @f: the first after the one found before, then from the top. */
static const struct shown *find(const struct tfs_compiler *c, struct shown_list *list,
				const struct tep_format_field *f)
{
	size_t i, at;

	if (f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING) ||
	    (list->at == list->n && !list->open))
		return NULL;
	for (i = 0; i < list->n; i++) {
		at = (list->at + i) % list->n;
		if (plain_field(c, list->v[at].conv.arg) == f) {
			list->at = at + 1;
			return &list->v[at];
		}
	}
	return NULL;
}

static void text(struct tfs_compiler *c, const char *s, size_t len)
{
	struct tfs_op op = { .code = TFS_OP_LITERAL, .off = (uint32_t)len };

	op.text = tfs_own_text(c, s, len);
	tfs_emit(c, &op, len);
}

/* A number by its size, its sign, and whether it is a long: that is taken for an address. */
static void number(struct tfs_compiler *c, const struct tep_format_field *f)
{
	bool is_signed = f->flags & TEP_FIELD_IS_SIGNED && !(f->flags & TEP_FIELD_IS_POINTER);
	bool hex = f->flags & (TEP_FIELD_IS_POINTER | TEP_FIELD_IS_LONG);
	struct tfs_op op = { .code = TFS_OP_U64 };

	if (is_signed && f->size == 2) {
		op = (struct tfs_op){ .code = TFS_OP_NUMBER,
				      .size = 2,
				      .kind = 10,
				      .style = TFS_STYLE_SIGNED,
				      .width = 2,
				      .prec = -1 };
	} else if (is_signed && f->size == 1) {
		op = (struct tfs_op){ .code = TFS_OP_NUMBER,
				      .size = 1,
				      .kind = 10,
				      .style = TFS_STYLE_SIGNED,
				      .width = 1,
				      .prec = -1 };
	} else if (is_signed && f->size == 4) {
		op.code = hex ? TFS_OP_X32 : TFS_OP_D32;
	} else if (is_signed) {
		op.code = TFS_OP_D64;
		hex = false;
	} else if (hex) {
		op.code = TFS_OP_X64;
	}
	if (hex && (op.code == TFS_OP_X32 || op.code == TFS_OP_X64))
		text(c, "0x", 2);
	tfs_compile_field(c, f);
	tfs_emit(c, &op, 24);
}

/* Characters, bytes or elements; "ARRAY[...]" unless it is a string that can be printed. */
static void content(struct tfs_compiler *c, const struct tep_format_field *f)
{
	struct tfs_op op = {
		.code = TFS_OP_CONTENT,
		.off = (uint32_t)f->offset,
		.aux = (uint32_t)f->size,
	};

	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		op.style = tfs_dynamic(c, f);
		if (f->size != 4)
			tfs_refuse(c, "an unusual dynamic field");
	}
	if (f->flags & TEP_FIELD_IS_STRING) {
		if (c->program->n_strings == 64)
			tfs_refuse(c, "very many strings");
		op.kind = (uint8_t)++c->program->n_strings;
	}
	tfs_emit(c, &op, 0);
}

/* One whose sign libtraceevent would not show with "%d" */
static bool loses_sign(const struct tfs_compiler *c, const struct tep_format_field *f,
		       const struct tfs_conv *conv)
{
	return c->kernel && f->size < 4 && f->flags & TEP_FIELD_IS_SIGNED &&
	       (conv->conv == 'd' || conv->conv == 'i');
}

static void signed_number(struct tfs_compiler *c, const struct tep_format_field *f)
{
	struct tfs_op extend = { .code = TFS_OP_EXTEND, .size = (uint8_t)f->size };
	struct tfs_op op = { .code = TFS_OP_D32 };

	tfs_compile_field(c, f);
	tfs_emit(c, &extend, 0);
	tfs_emit(c, &op, 24);
}

/* A synthetic event's: libtraceevent does not know how its format prints it. */
static bool is_stack(const struct tfs_compiler *c, const struct tep_format_field *f)
{
	return c->event->flags & TEP_EVENT_FL_FAILED && f->flags & TEP_FIELD_IS_DYNAMIC &&
	       strstr(f->type, "unsigned long[]");
}

/* "s16", "unsigned long": numbers, but not characters */
static bool element_type(const struct tfs_compiler *c, const struct tep_format_field *f,
			 struct tfs_ctype *type)
{
	struct tfs_lex lex;

	tfs_lex_init(&lex, f->type, strlen(f->type));
	while (tfs_lex_is(&lex, "__data_loc") || tfs_lex_is(&lex, "__rel_loc"))
		tfs_lex_next(&lex);
	if (!tfs_ctype_parse(&lex, c->env->long_size, type) || type->pointers || type->is_bool)
		return false;
	type->is_signed = f->flags & TEP_FIELD_IS_SIGNED;
	/* Those of a stack are addresses. */
	if (!type->is_signed && strstr(f->type, "long") && !is_stack(c, f))
		return false;
	return type->size == 2 || type->size == 4 || type->size == 8 ||
	       (type->size == 1 && type->is_signed && !strstr(f->type, "char"));
}

/* "{1,-2}" for an array that libtraceevent shows as bytes; false: it is none */
static bool numbers(struct tfs_compiler *c, const struct tep_format_field *f)
{
	struct tfs_op op = { .code = TFS_OP_LIST, .kind = 10, .off = (uint32_t)f->offset };
	struct tfs_op count = { .code = TFS_OP_CONST };
	struct tfs_ctype type;

	if (!c->kernel || !(f->flags & TEP_FIELD_IS_ARRAY) || !element_type(c, f, &type))
		return false;
	op.size = (uint8_t)type.size;
	op.style = type.is_signed ? TFS_STYLE_SIGNED : 0;
	if (is_stack(c, f)) {
		op.kind = 16;
		op.style = 0;
	}
	count.imm = (uint64_t)f->size / type.size;
	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		op.style |= tfs_dynamic(c, f);
		count = (struct tfs_op){ .code = TFS_OP_DYN_LEN,
					 .style = op.style,
					 .off = (uint32_t)f->offset };
		tfs_emit(c, &count, 0);
		count = (struct tfs_op){ .code = TFS_OP_BINARY_IMM,
					 .kind = TFS_DIV,
					 .imm = type.size };
	}
	tfs_emit(c, &count, 0);
	tfs_emit(c, &op, 0);
	return true;
}

static void field(struct tfs_compiler *c, struct shown_list *list, const struct tep_format_field *f)
{
	const struct shown *s = find(c, list, f);

	text(c, " ", 1);
	text(c, f->name, strlen(f->name));
	text(c, "=", 1);
	if (s && s->zero_x)
		text(c, "0x", 2);
	if (s && loses_sign(c, f, &s->conv))
		signed_number(c, f);
	else if (s)
		tfs_compile_conv(c, &s->conv);
	else if (numbers(c, f))
		return;
	else if (f->flags & TEP_FIELD_IS_ARRAY)
		content(c, f);
	else
		number(c, f);
}

static void all_fields(struct tfs_compiler *c)
{
	static const struct tfs_op end = { .code = TFS_OP_END }, cut = { .code = TFS_OP_CUT };
	struct shown_list list = { NULL, 0, 0, false };
	const struct tep_format_field *f;

	/* A format that cannot be parsed has no conversions to take. */
	if (!c->rc && !(c->event->flags & (TEP_EVENT_FL_FAILED | TEP_EVENT_FL_ISBPRINT)))
		c->rc = collect(c->event, &list);
	for (f = c->event->format.fields; f && !c->rc && c->program->bound <= TFS_BOUND_MAX;
	     f = f->next)
		field(c, &list, f);
	if (c->program->bound > TFS_BOUND_MAX)
		tfs_emit(c, &cut, 0);
	tfs_emit(c, &end, 0);
	free(list.v);
}

int tfs_program_compile_fields(struct tep_event *event, const struct tfs_format_env *env,
			       const char *before, enum tfs_fields_style style,
			       struct tfs_program **out)
{
	struct tfs_compiler c = { .event = event,
				  .env = env,
				  .kernel = style == TFS_FIELDS_KERNEL };

	c.program = calloc(1, sizeof(*c.program));
	if (!c.program)
		return -ENOMEM;
	c.program->env = env;
	tfs_measure(&c);
	text(&c, before, strlen(before));
	all_fields(&c);
	if (c.rc) {
		tfs_program_free(c.program);
		return c.rc;
	}
	tfs_fuse(c.program);
	*out = c.program;
	return 0;
}
