/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/macros.h"

#define STARS (TFS_STYLE_STAR_WIDTH | TFS_STYLE_STAR_PREC)
/* "0x" and 16 digits */
#define HEX_MAX 18

/* <linux/printk.h>: what stands before each line of a dump */
enum { DUMP_PREFIX_NONE, DUMP_PREFIX_ADDRESS, DUMP_PREFIX_OFFSET };

void tfs_print_literal(struct tfs_print *p, const char *text, size_t len)
{
	struct tfs_op op = { .code = TFS_OP_LITERAL, .off = (uint32_t)len };

	if (!len)
		return;
	op.text = tfs_own_text(&p->c, text, len);
	tfs_emit(&p->c, &op, len);
}

struct tfs_op tfs_print_column(struct tfs_print *p, struct tfs_op *style)
{
	static const struct tfs_op begin = { .code = TFS_OP_COLUMN_BEGIN };
	struct tfs_op column = *style;

	*style = (struct tfs_op){ .code = TFS_OP_END, .prec = -1 };
	column.code = TFS_OP_END;
	if (!column.width && column.prec < 0 && !(column.style & STARS))
		return column;
	if (p->column)
		tfs_refuse(&p->c, "a column within a column");
	p->column = true;
	column.code = TFS_OP_COLUMN_END;
	tfs_emit(&p->c, &begin, 0);
	return column;
}

void tfs_print_column_end(struct tfs_print *p, const struct tfs_op *column)
{
	if (column->code != TFS_OP_COLUMN_END)
		return;
	p->column = false;
	tfs_emit(&p->c, column, 0);
}

static void string(struct tfs_print *p, const char *text, size_t len, struct tfs_op op)
{
	char *column;

	if (op.style & STARS) {
		op.code = TFS_OP_CONST_STRING;
		op.off = (uint32_t)len;
		op.text = tfs_own_text(&p->c, text, len);
		tfs_emit(&p->c, &op, 0);
		return;
	}
	column = malloc(len + op.width + 1);
	if (!column) {
		p->c.rc = -ENOMEM;
		return;
	}
	tfs_print_literal(p, column, (size_t)(tfs_write_column(column, &op, text, len) - column));
	free(column);
}

/* Characters in the record, up to a zero */
static void characters(struct tfs_print *p, const struct tfs_spot *spot, struct tfs_op op)
{
	const struct tep_format_field *f = spot->field;
	uint32_t add = (uint32_t)spot->add;

	tfs_print_at(p, spot, &op);
	if (spot->dynamic) {
		op.code = TFS_OP_DYN_STRING;
		op.aux = add;
		tfs_emit(&p->c, &op, 0);
		return;
	}
	if (f->size && add >= (uint32_t)f->size) {
		tfs_refuse(&p->c, "text outside its field");
		return;
	}
	op.aux = (uint32_t)f->size - add;
	if (!f->size) {
		op.code = TFS_OP_REST;
		tfs_emit(&p->c, &op, 0);
	} else if (op.width || op.prec >= 0 || op.style & STARS) {
		op.code = TFS_OP_STYLED;
		tfs_emit(&p->c, &op, 0);
	} else {
		op.code = op.aux == 16 ? TFS_OP_STRING16 : TFS_OP_STRING;
		tfs_emit(&p->c, &op, op.aux);
	}
}

bool tfs_print_is_fetched(const struct tfs_print *p, struct tfs_node *n)
{
	struct tep_event *event = p->c.event;

	n = tfs_print_unwrap(n);
	return n->kind == TFS_NODE_CALL && tfs_node_is(n, "__get_str") &&
	       (tep_find_field(event, "__probe_ip") || tep_find_field(event, "__probe_func"));
}

void tfs_print_fetched(struct tfs_print *p, struct tfs_node *n, const struct tfs_op *style)
{
	struct tfs_op len = { .code = TFS_OP_DYN_LEN }, jump = { .code = TFS_OP_JUMP_ZERO };
	struct tfs_spot spot;
	size_t unread, end;

	if (!tfs_print_spot(p, tfs_print_unwrap(n), &spot)) {
		tfs_refuse(&p->c, "a string that is not in the record");
		return;
	}
	tfs_print_at(p, &spot, &len);
	tfs_emit(&p->c, &len, 0);
	unread = tfs_emit(&p->c, &jump, 0);
	tfs_print_literal(p, "\"", 1);
	characters(p, &spot, *style);
	tfs_print_literal(p, "\"", 1);
	jump.code = TFS_OP_JUMP;
	end = tfs_emit(&p->c, &jump, 0);
	tfs_jump_here(&p->c, unread);
	tfs_print_literal(p, "(fault)", 7);
	tfs_jump_here(&p->c, end);
}

/* The format of trace_printk(), with its arguments in the rest of the record */
static void packed(struct tfs_print *p, struct tfs_op *op, const struct tfs_op *column)
{
	const struct tep_format_field *args = tep_find_field(p->c.event, "buf");

	/* Columns of its own begin and end within. */
	if (!args || column->code == TFS_OP_COLUMN_END)
		tfs_refuse(&p->c, "an unusual trace_printk()");
	else
		op->aux = (uint32_t)args->offset;
	op->code = TFS_OP_PACKED;
}

/* A pointer to one of the kernel's strings: that, where the recording has it, else its address */
static void pointed(struct tfs_print *p, struct tfs_node *n, struct tfs_op op)
{
	const struct tep_format_field *f = n->kind == TFS_NODE_FIELD ? tfs_print_field(p, n) : NULL;
	struct tfs_op column;

	if (!f || f->size != (int)p->c.env->long_size) {
		tfs_refuse(&p->c, "a text that is not in the record");
		return;
	}
	column = tfs_print_column(p, &op);
	op.code = TFS_OP_KERNEL_STRING;
	op.kind = 1;
	op.off = (uint32_t)f->offset;
	op.size = (uint8_t)f->size;
	if (p->c.event->flags & TEP_EVENT_FL_ISBPRINT && tfs_node_is(n, "fmt"))
		packed(p, &op, &column);
	tfs_emit(&p->c, &op, 24);
	tfs_print_column_end(p, &column);
}

/* --- __print_flags(), __print_symbolic() */

/* "{ 0, NULL }" */
static bool ends_table(struct tfs_node *n)
{
	struct tfs_node *text = n->kind == TFS_NODE_LIST && n->a ? tfs_print_unwrap(n->a->next) :
								   NULL;

	return text && ((text->kind == TFS_NODE_NUMBER && !text->value) ||
			(text->kind == TFS_NODE_NAME && tfs_node_is(text, "NULL")));
}

/* One "{ value, "text" }"; false: its value is not known, and it is left out. */
static bool choice(struct tfs_print *p, struct tfs_node *n, struct tfs_choice *row, size_t *total)
{
	struct tfs_node *text = n->a ? tfs_print_unwrap(n->a->next) : NULL;

	if (n->kind != TFS_NODE_LIST || !text || text->kind != TFS_NODE_STRING) {
		tfs_refuse(&p->c, "an unusual table");
		return false;
	}
	p->table = true;
	tfs_print_resolve(p, n->a);
	p->table = false;
	if (p->c.rc == -EOPNOTSUPP) {
		p->c.rc = 0;
		return false;
	}
	if (p->c.rc || !n->a->is_const)
		return false;
	row->value = n->a->value;
	row->len = (uint32_t)text->len;
	row->text = tfs_own_text(&p->c, text->text, text->len);
	*total += text->len;
	return true;
}

static struct tfs_choices *choices(struct tfs_print *p, struct tfs_node *list, uint64_t mask,
				   size_t *total)
{
	struct tfs_choices *all;
	struct tfs_node *n;
	size_t count = 0;
	int depth = p->c.depth;

	for (n = list; n; n = n->next)
		count++;
	all = tfs_own(&p->c,
		      p->c.rc ? NULL : calloc(1, sizeof(*all) + count * sizeof(all->row[0])));
	*total = 0;
	for (n = list; n && all && !p->c.rc && !ends_table(n); n = n->next) {
		if (choice(p, n, &all->row[all->n], total))
			all->row[all->n++].value &= mask;
		/* A row that was given up did not come back from where it was. */
		p->c.depth = depth;
	}
	return all;
}

/* The first of equal values counts: these lists are short. */
static void sort_choices(struct tfs_choices *all)
{
	struct tfs_choice *row = all->row, swap;
	uint32_t i, n;

	for (n = 1; n < all->n; n++) {
		for (i = n; i && row[i - 1].value > row[i].value; i--) {
			swap = row[i];
			row[i] = row[i - 1];
			row[i - 1] = swap;
		}
	}
	for (i = 0, n = 0; i < all->n; i++)
		if (!n || row[n - 1].value != row[i].value)
			row[n++] = row[i];
	all->n = n;
}

/* Tables are of longs: on a machine of 32 bits, unless it says "u64", the rest is cut off. */
static uint64_t table_mask(const struct tfs_print *p, const struct tfs_node *n)
{
	bool wide = p->c.env->long_size == 8 || memmem(n->text, n->len, "u64", 3);

	return wide ? UINT64_MAX : UINT32_MAX;
}

static void masked_value(struct tfs_print *p, struct tfs_node *n, uint64_t mask)
{
	struct tfs_op op = { .code = TFS_OP_MASK, .imm = mask };

	tfs_print_value(p, n);
	if (mask != UINT64_MAX)
		tfs_emit(&p->c, &op, 0);
}

static void flags(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_op op = { .code = TFS_OP_FLAGS, .style = TFS_STYLE_KERNEL };
	struct tfs_node *delim = n->a ? tfs_print_unwrap(n->a->next) : NULL;
	uint64_t mask = table_mask(p, n);
	struct tfs_choices *all;
	size_t total;

	if (!delim || delim->kind != TFS_NODE_STRING) {
		tfs_refuse(&p->c, "flags without a delimiter");
		return;
	}
	all = choices(p, delim->next, mask, &total);
	if (!all)
		return;
	all->delim = tfs_own_text(&p->c, delim->text, delim->len);
	all->delim_len = (uint32_t)delim->len;
	masked_value(p, n->a, mask);
	op.choices = all;
	tfs_emit(&p->c, &op, total + all->n * (size_t)all->delim_len + HEX_MAX);
}

static void symbolic(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_op op = { .code = TFS_OP_SYMBOLIC };
	uint64_t mask = table_mask(p, n);
	struct tfs_choices *all;
	size_t total;

	if (!n->a) {
		tfs_refuse(&p->c, "an argument is missing");
		return;
	}
	/* "{ }" is a table without rows */
	if (n->a->next && n->a->next->kind == TFS_NODE_LIST && !n->a->next->a)
		all = choices(p, NULL, mask, &total);
	else
		all = choices(p, n->a->next, mask, &total);
	if (!all || p->c.rc)
		return;
	sort_choices(all);
	masked_value(p, n->a, mask);
	op.choices = all;
	tfs_emit(&p->c, &op, total > HEX_MAX ? total : HEX_MAX);
}

/* drivers/ras: what mc_event_error_type() returns, by enum hw_event_mc_err_type */
static void error_type(struct tfs_print *p, struct tfs_node *n)
{
	static const char *const names[] = { "Corrected", "Uncorrected", "Deferred", "Fatal",
					     "Info" };
	struct tfs_op op = { .code = TFS_OP_SYMBOLIC };
	struct tfs_choices *all;
	uint32_t i, count = ARRAY_SIZE(names);

	all = tfs_own(&p->c,
		      p->c.rc ? NULL : calloc(1, sizeof(*all) + count * sizeof(all->row[0])));
	if (!all || !n->a)
		return;
	for (i = 0; i < count; i++) {
		all->row[i].value = i;
		all->row[i].len = (uint32_t)strlen(names[i]);
		all->row[i].text = tfs_own_text(&p->c, names[i], all->row[i].len);
	}
	all->n = count;
	tfs_print_value(p, n->a);
	op.choices = all;
	tfs_emit(&p->c, &op, HEX_MAX);
}

/* An element of a table of texts, by an index that the table is long enough for */
static void element(struct tfs_print *p, struct tfs_node *n, const struct tfs_node *list)
{
	struct tfs_op op = { .code = TFS_OP_SYMBOLIC };
	struct tfs_choices *all;
	size_t count = 0, total = HEX_MAX;
	struct tfs_node *one;

	for (one = list->a; one; one = one->next)
		count++;
	all = tfs_own(&p->c,
		      p->c.rc ? NULL : calloc(1, sizeof(*all) + count * sizeof(all->row[0])));
	for (one = list->a; one && all; one = one->next) {
		struct tfs_node *text = tfs_print_unwrap(one);

		if (text->kind != TFS_NODE_STRING) {
			tfs_refuse(&p->c, "an unusual table");
			return;
		}
		all->row[all->n].value = all->n;
		all->row[all->n].len = (uint32_t)text->len;
		all->row[all->n++].text = tfs_own_text(&p->c, text->text, text->len);
		total += text->len;
	}
	tfs_print_value(p, n->b);
	op.choices = all;
	tfs_emit(&p->c, &op, total);
}

/* --- bytes and numbers */

/* __print_hex(), __print_hex_str(), __print_array(): bytes or elements, so many, of a size */
static void array(struct tfs_print *p, struct tfs_node *n, struct tfs_op op)
{
	struct tfs_node *count = n->a ? n->a->next : NULL, *size = count ? count->next : NULL;
	struct tfs_spot spot;

	if (op.code == TFS_OP_ARRAY && size)
		tfs_print_resolve(p, size);
	if (!count || (op.code == TFS_OP_ARRAY && (!size || !size->is_const))) {
		tfs_refuse(&p->c, "an argument is missing");
		return;
	}
	if (!tfs_print_spot(p, n->a, &spot) || (spot.dynamic && spot.add)) {
		tfs_refuse(&p->c, "an array that is not in the record");
		return;
	}
	op.size = 1;
	if (op.code == TFS_OP_ARRAY) {
		op.size = (uint8_t)size->value;
		if (size->value != 1 && size->value != 2 && size->value != 4 && size->value != 8)
			tfs_refuse(&p->c, "elements that are not numbers");
	}
	tfs_print_at(p, &spot, &op);
	tfs_print_value(p, count);
	tfs_emit(&p->c, &op, 0);
}

/* __print_dynamic_array(NAME, size): all elements that there are */
static void dynamic_array(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_node name, size, len = { .kind = TFS_NODE_CALL }, at = len;
	struct tfs_node count = { .kind = TFS_NODE_BINARY, .op = TFS_NODE_DIV };
	struct tfs_node whole = { .kind = TFS_NODE_CALL, .a = &at };

	if (!n->a || !n->a->next) {
		tfs_refuse(&p->c, "an argument is missing");
		return;
	}
	name = *n->a;
	size = *n->a->next;
	name.next = size.next = NULL;
	at.text = "__get_dynamic_array";
	at.len = strlen(at.text);
	len.text = "__get_dynamic_array_len";
	len.len = strlen(len.text);
	at.a = len.a = &name;
	at.next = &count;
	count.a = &len;
	count.b = n->a->next;
	count.next = &size;
	array(p, &whole, (struct tfs_op){ .code = TFS_OP_ARRAY, .style = TFS_STYLE_KERNEL });
}

/* A number of @n, which is constant; else it is refused */
static uint64_t constant(struct tfs_print *p, struct tfs_node *n)
{
	tfs_print_resolve(p, n);
	if (!p->c.rc && !n->is_const)
		tfs_refuse(&p->c, "a dump whose layout varies");
	return p->c.rc ? 0 : n->value;
}

/* __print_hex_dump(prefix, its kind, bytes in a row, in a group, array, length, characters) */
static void hex_dump(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_op op = { .code = TFS_OP_DUMP };
	struct tfs_node *arg[7], *next = n->a;
	struct tfs_spot spot;
	uint64_t prefix, row, group;
	size_t i;

	for (i = 0; i < 7 && next; next = next->next)
		arg[i++] = next;
	if (i < 7 || arg[0]->kind != TFS_NODE_STRING) {
		tfs_refuse(&p->c, "an argument is missing");
		return;
	}
	prefix = constant(p, arg[1]);
	row = constant(p, arg[2]);
	group = constant(p, arg[3]);
	/* an address would have to be hashed */
	if (!p->c.rc && prefix != DUMP_PREFIX_NONE && prefix != DUMP_PREFIX_OFFSET)
		tfs_refuse(&p->c, "a dump with addresses");
	op.style = (prefix == DUMP_PREFIX_OFFSET ? TFS_STYLE_OFFSET : 0) |
		   (constant(p, arg[6]) ? TFS_STYLE_ALT : 0);
	op.size = row == 32 ? 32 : 16;
	op.kind = group == 2 || group == 4 || group == 8 ? (uint8_t)group : 1;
	op.text = tfs_own_text(&p->c, arg[0]->text, arg[0]->len);
	if (!tfs_print_spot(p, arg[4], &spot) || (spot.dynamic && spot.add)) {
		tfs_refuse(&p->c, "an array that is not in the record");
		return;
	}
	if (!spot.dynamic)
		op.aux = (uint32_t)((size_t)spot.field->size - spot.add);
	tfs_print_at(p, &spot, &op);
	tfs_print_value(p, arg[5]);
	tfs_emit(&p->c, &op, 0);
}

/* __print_list(NAME, n, "%d"): ours, see decode/arrays.h */
static void list(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_node *count = n->a ? n->a->next : NULL, *conv = count ? count->next : NULL;
	struct tfs_op op = { .code = TFS_OP_LIST, .kind = 10 };
	struct tfs_spot spot;

	if (!conv || conv->kind != TFS_NODE_STRING || !conv->len ||
	    !tfs_print_spot(p, n->a, &spot) || (spot.dynamic && spot.add) || spot.type.pointers) {
		tfs_refuse(&p->c, "an array that is not in the record");
		return;
	}
	if (spot.type.size != 1 && spot.type.size != 2 && spot.type.size != 4 &&
	    spot.type.size != 8) {
		tfs_refuse(&p->c, "elements that are not numbers");
		return;
	}
	op.size = (uint8_t)spot.type.size;
	op.kind = conv->text[conv->len - 1] == 'x' ? 16 : 10;
	op.style = conv->text[conv->len - 1] == 'd' ? TFS_STYLE_SIGNED : 0;
	tfs_print_at(p, &spot, &op);
	tfs_print_value(p, count);
	tfs_emit(&p->c, &op, 0);
}

/* __get_bitmask() and __get_cpumask() print all bits that the field has. */
static void bitmask(struct tfs_print *p, struct tfs_node *n)
{
	const struct tep_format_field *f = n->a ? tfs_print_named(p, n->a) : NULL;
	struct tfs_op all = { .code = TFS_OP_CONST, .imm = UINT64_MAX };
	struct tfs_op op = { .code = TFS_OP_BITMAP, .style = tfs_dynamic(&p->c, f) };

	if (f)
		op.off = (uint32_t)f->offset;
	tfs_emit(&p->c, &all, 0);
	tfs_emit(&p->c, &op, 0);
}

/* Bytes of a dynamic array's elements, by a field that has their type */
static unsigned int element_size(const struct tfs_print *p, const struct tep_format_field *f)
{
	const char *type = strrchr(f->type, ' ');
	const unsigned int size = tfs_print_size_of(p, type ? type + 1 : f->type,
						    strcspn(type ? type + 1 : f->type, "["));

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return f->elementsize == 2 || f->elementsize == 8 ? f->elementsize : 4;
	return size;
}

/* security/landlock: __trace_landlock_print_layers(p, array, count, names, number of names) */
static void layers(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_op op = { .code = TFS_OP_LAYERS, .size = 4 };
	struct tfs_node *array = n->a ? n->a->next : NULL, *count = array ? array->next : NULL;
	struct tfs_node *names = count && count->next ? tfs_print_unwrap(count->next) : NULL;
	struct tfs_choices *all;
	struct tfs_spot spot;
	size_t total;

	if (!names || names->kind != TFS_NODE_LIST || !tfs_print_spot(p, array, &spot) ||
	    !spot.dynamic || spot.add) {
		tfs_refuse(&p->c, "an argument is missing");
		return;
	}
	all = choices(p, names->a, UINT64_MAX, &total);
	if (!all)
		return;
	all->delim = tfs_own_text(&p->c, "|", 1);
	all->delim_len = 1;
	tfs_print_value(p, count);
	tfs_print_at(p, &spot, &op);
	op.size = (uint8_t)element_size(p, spot.field);
	op.aux = (uint32_t)(total + all->n + HEX_MAX);
	op.choices = all;
	tfs_emit(&p->c, &op, 0);
}

/* include/trace/stages: __trace_print_untrusted_str(p, text, its length) */
static void untrusted(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_op op = { .code = TFS_OP_UNTRUSTED };
	struct tfs_node *text = n->a ? n->a->next : NULL;
	struct tfs_spot spot;

	if (!text || !text->next || !tfs_print_spot(p, text, &spot) || spot.add) {
		tfs_refuse(&p->c, "an argument is missing");
		return;
	}
	tfs_print_value(p, text->next);
	tfs_print_at(p, &spot, &op);
	tfs_emit(&p->c, &op, 0);
}

/* __get_stacktrace(), which synthetic events have for their stacks */
static void stack(struct tfs_print *p, struct tfs_node *n)
{
	const struct tep_format_field *f = n->a ? tfs_print_named(p, n->a) : NULL;
	struct tfs_op op = { .code = TFS_OP_STACK, .size = (uint8_t)p->c.env->long_size };

	op.style = TFS_STYLE_KERNEL | TFS_STYLE_OFFSET | tfs_dynamic(&p->c, f);
	if (f)
		op.off = (uint32_t)f->offset;
	tfs_print_literal(p, "STACK:\n", 7);
	tfs_emit(&p->c, &op, 0);
}

static void call(struct tfs_print *p, struct tfs_node *n)
{
	static const struct {
		const char *name;
		void (*print)(struct tfs_print *p, struct tfs_node *n);
	} rows[] = {
		{ "__print_flags", flags },
		{ "__print_flags_u64", flags },
		{ "__print_symbolic", symbolic },
		{ "__print_symbolic_u64", symbolic },
		{ "__get_bitmask", bitmask },
		{ "__get_rel_bitmask", bitmask },
		{ "__get_cpumask", bitmask },
		{ "__get_rel_cpumask", bitmask },
		{ "__trace_landlock_print_layers", layers },
		{ "__trace_print_untrusted_str", untrusted },
		{ "__get_stacktrace", stack },
		{ "__get_rel_stacktrace", stack },
		{ "mc_event_error_type", error_type },
		{ "__print_list", list },
		{ "__print_dynamic_array", dynamic_array },
		{ "__print_hex_dump", hex_dump },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!tfs_node_is(n, rows[i].name))
			continue;
		rows[i].print(p, n);
		return;
	}
	if (tfs_node_is(n, "__print_hex"))
		array(p, n, (struct tfs_op){ .code = TFS_OP_HEX });
	else if (tfs_node_is(n, "__print_hex_str"))
		array(p, n, (struct tfs_op){ .code = TFS_OP_HEX, .style = TFS_STYLE_PLAIN });
	else if (tfs_node_is(n, "__print_array"))
		array(p, n, (struct tfs_op){ .code = TFS_OP_ARRAY, .style = TFS_STYLE_KERNEL });
	else if (!tfs_print_decoder(p, n))
		tfs_refuse(&p->c, "a function that is not known");
}

static void condition(struct tfs_print *p, struct tfs_node *n, const struct tfs_op *style)
{
	struct tfs_op op = { .code = TFS_OP_JUMP_ZERO };
	struct tfs_node *yes = n->b ? n->b : n->a;
	size_t other, end;

	if (n->a->is_const) {
		tfs_print_text(p, n->a->value ? yes : n->c, style);
		return;
	}
	tfs_print_value(p, n->a);
	other = tfs_emit(&p->c, &op, 0);
	tfs_print_text(p, yes, style);
	op.code = TFS_OP_JUMP;
	end = tfs_emit(&p->c, &op, 0);
	tfs_jump_here(&p->c, other);
	tfs_print_text(p, n->c, style);
	tfs_jump_here(&p->c, end);
}

/* The text that trace_seq_printf() makes in a block, whose address the block returns */
static void block(struct tfs_print *p, struct tfs_node *n)
{
	const struct tfs_op plain = { .prec = -1 };
	struct tfs_node *format = n->b && n->b->a ? n->b->a->next : NULL;
	bool nested = p->nested;

	/* Its value is a text that another function makes. */
	if (!format && n->c && !n->b) {
		tfs_print_text(p, n->c, &plain);
		return;
	}
	if (!format || format->kind != TFS_NODE_STRING) {
		tfs_refuse(&p->c, "a format that is not a literal");
		return;
	}
	p->nested = true;
	tfs_print_format(p, format, format->next);
	p->nested = nested;
}

/* Whatever is made by operations of its own gets its column around it. */
static void made(struct tfs_print *p, struct tfs_node *n, const struct tfs_op *style)
{
	struct tfs_op op = *style, column = tfs_print_column(p, &op);

	if (n->kind == TFS_NODE_CALL)
		call(p, n);
	else
		block(p, n);
	tfs_print_column_end(p, &column);
}

static void text(struct tfs_print *p, struct tfs_node *n, const struct tfs_op *style)
{
	struct tfs_node *list;
	struct tfs_spot spot;

	list = n->kind == TFS_NODE_INDEX ? tfs_print_unwrap(n->a) : NULL;
	if (list && list->kind == TFS_NODE_LIST) {
		struct tfs_op op = *style, column = tfs_print_column(p, &op);

		element(p, n, list);
		tfs_print_column_end(p, &column);
	} else if (n->kind == TFS_NODE_STRING) {
		string(p, n->text, n->len, *style);
	} else if (n->kind == TFS_NODE_CONDITION) {
		condition(p, n, style);
	} else if (n->is_const) {
		/* A null pointer; any other number is not text. */
		if (n->value)
			tfs_refuse(&p->c, "a number where a text is wanted");
		string(p, "(null)", 6, *style);
	} else if (tfs_print_spot(p, n, &spot)) {
		characters(p, &spot, *style);
	} else if (n->kind == TFS_NODE_CALL || n->kind == TFS_NODE_BLOCK) {
		made(p, n, style);
	} else {
		pointed(p, n, *style);
	}
}

void tfs_print_text(struct tfs_print *p, struct tfs_node *n, const struct tfs_op *style)
{
	n = tfs_print_unwrap(n);
	tfs_print_resolve(p, n);
	/* The value of a block's name became a cast. */
	n = tfs_print_unwrap(n);
	if (p->c.rc)
		return;
	if (++p->c.depth > TFS_PRINT_DEPTH)
		tfs_refuse(&p->c, "a deep expression");
	else
		text(p, n, style);
	p->c.depth--;
}
