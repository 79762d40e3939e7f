/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-internal.h"

#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/meaning.h"

/* The field that a number is taken from: REC->name, or an element of an array, REC->name[1] */
static const struct tep_format_field *field_of(struct tfs_print *p, struct tfs_node *n)
{
	n = tfs_print_unwrap(n);
	if (n->kind == TFS_NODE_INDEX)
		n = tfs_print_unwrap(n->a);
	return n->kind == TFS_NODE_FIELD ? tfs_print_field(p, n) : NULL;
}

/* Bytes of the number that the field, or the array's element, is. */
static unsigned int size_of(struct tfs_print *p, struct tfs_node *n)
{
	n = tfs_print_unwrap(n);
	tfs_print_resolve(p, n);
	return n->type.size;
}

const struct tfs_meaning *tfs_print_meaning(struct tfs_print *p, struct tfs_node *n)
{
	const struct tep_format_field *f = p->source && p->source->means ? field_of(p, n) : NULL;
	const struct tfs_meaning *means = f ? p->source->means(p->source->context, f->name) : NULL;
	unsigned int size = means ? size_of(p, n) : 0;

	if (!means || tfs_meaning_is_plain(means) || !size || means->bits > 8 * size ||
	    (means->kind == TFS_MEANS_FLOAT && size != 4 && size != 8))
		return NULL;
	return means;
}

/* A number with a sign of its own is looked up by the @size bytes of it, extended. */
static struct tfs_choices *choices(struct tfs_print *p, const struct tfs_meaning *means,
				   unsigned int size, size_t *longest)
{
	uint64_t mask = means->bits ? UINT64_MAX >> (64 - 8 * size) : UINT64_MAX;
	struct tfs_choices *all =
		tfs_own(&p->c, calloc(1, sizeof(*all) + means->n * sizeof(all->row[0])));

	*longest = 0;
	for (size_t i = 0; i < means->n && all && !p->c.rc; i++) {
		const struct tfs_meaning_name *name = &means->names[i];
		size_t len = strlen(name->name);

		all->row[i].value = tfs_meaning_extend(means->bits, name->value) & mask;
		all->row[i].len = (uint32_t)len;
		all->row[i].text = tfs_own_text(&p->c, name->name, len);
		all->n++;
		*longest = len > *longest ? len : *longest;
	}
	return all;
}

/* The value's highest of @bits bits is its sign. */
static void extend(struct tfs_print *p, unsigned int bits)
{
	struct tfs_op shift = { .code = TFS_OP_BINARY_IMM, .kind = TFS_SHL, .imm = 64 - bits };

	tfs_emit(&p->c, &shift, 0);
	shift.kind = TFS_SSHR;
	tfs_emit(&p->c, &shift, 0);
}

void tfs_print_meant(struct tfs_print *p, struct tfs_node *n, const struct tfs_meaning *means,
		     struct tfs_op *number)
{
	unsigned int size = size_of(p, n);
	size_t longest;

	tfs_print_value(p, n);
	if (means->kind == TFS_MEANS_FLOAT) {
		number->code = TFS_OP_FLOAT;
		number->size = (uint8_t)size;
		tfs_emit(&p->c, number, TFS_FLOAT_MAX);
		return;
	}
	if (means->bits) {
		extend(p, means->bits);
		number->kind = 10;
		number->size = sizeof(uint64_t);
		number->style |= TFS_STYLE_SIGNED;
	}
	if (means->kind == TFS_MEANS_NUMBER) {
		number->code = TFS_OP_NUMBER;
		tfs_emit(&p->c, number, TFS_FLOAT_MAX);
		return;
	}
	number->code = TFS_OP_NAMED;
	number->aux = size;
	number->choices = choices(p, means, size, &longest);
	if (number->choices)
		tfs_emit(&p->c, number, longest + 26);
}
