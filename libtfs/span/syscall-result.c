/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/syscall-result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/event-type.h"
#include "decode/value.h"
#include "span/span.h"

struct tfs_syscall_results {
	size_t n;
	/* The field "ret" of the types of each recording, by the type's index */
	struct ret {
		const struct tfs_field *field;
		bool known;
	} * ret[];
};

int tfs_syscall_results_new(struct tfs_trace *const *traces, size_t n,
			    struct tfs_syscall_results **out)
{
	struct tfs_syscall_results *r = calloc(1, sizeof(*r) + n * sizeof(struct ret *));

	if (!r)
		return -ENOMEM;
	for (; r->n < n; r->n++) {
		r->ret[r->n] = calloc(tfs_trace_index(traces[r->n])->n + 1, sizeof(struct ret));
		if (!r->ret[r->n]) {
			tfs_syscall_results_free(r);
			return -ENOMEM;
		}
	}
	*out = r;
	return 0;
}

void tfs_syscall_results_free(struct tfs_syscall_results *results)
{
	for (size_t i = 0; results && i < results->n; i++)
		free(results->ret[i]);
	free(results);
}

bool tfs_syscall_result(struct tfs_syscall_results *results, const struct tfs_span *span,
			int64_t *result)
{
	const struct tfs_span_record *rec = span->last;
	const struct tfs_event_type *type = rec ? rec->type : NULL;
	struct tfs_value v;
	struct ret *ret;

	if (!type)
		return false;
	ret = &results->ret[span->input][type->index];
	if (!ret->known) {
		ret->field = tfs_fields_find(type->fields, "ret", strlen("ret"));
		ret->known = true;
	}
	if (!ret->field || ret->field->array || ret->field->kind > TFS_VALUE_ADDRESS ||
	    !tfs_fields_get(type->fields, ret->field, rec->data, rec->size, &v))
		return false;
	*result = ret->field->kind == TFS_VALUE_SIGNED || ret->field->element == 8 ?
			  (int64_t)v.number :
			  (int32_t)v.number;
	return true;
}
