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

	if (!means || means->kind == TFS_MEANS_NUMBER || !size ||
	    (means->kind == TFS_MEANS_FLOAT && size != 4 && size != 8))
		return NULL;
	return means;
}

static struct tfs_choices *choices(struct tfs_print *p, const struct tfs_meaning *means,
				   size_t *longest)
{
	struct tfs_choices *all =
		tfs_own(&p->c, calloc(1, sizeof(*all) + means->n * sizeof(all->row[0])));

	*longest = 0;
	for (size_t i = 0; i < means->n && all && !p->c.rc; i++) {
		const struct tfs_meaning_name *name = &means->names[i];
		size_t len = strlen(name->name);

		all->row[i].value = name->value;
		all->row[i].len = (uint32_t)len;
		all->row[i].text = tfs_own_text(&p->c, name->name, len);
		all->n++;
		*longest = len > *longest ? len : *longest;
	}
	return all;
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
	number->code = TFS_OP_NAMED;
	number->aux = size;
	number->choices = choices(p, means, &longest);
	if (number->choices)
		tfs_emit(&p->c, number, longest + 26);
}
