/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/tally.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

/* Numbers below that are kept in an array. The largest that a kernel has is about 470. */
#define BY_NR_MAX 1024

static void free_call(struct tfs_tally_call *call)
{
	if (call)
		free(call->failed);
	free(call);
}

void tfs_tally_release(struct tfs_tally *t)
{
	struct tfs_tally_call *call;
	size_t i;

	for (i = 0; i < t->n; i++)
		free_call(t->by_nr[i]);
	free(t->by_nr);
	tfs_hashmap_for_each(&t->others, i, call) free_call(call);
	tfs_hashmap_release(&t->others);
	*t = (struct tfs_tally){ 0 };
}

static int reserve(struct tfs_tally *t, size_t nr)
{
	size_t alloc = t->n;

	if (nr < t->n)
		return 0;
	if (tfs_grow(&t->by_nr, &alloc, nr + 1))
		return -ENOMEM;
	while (t->n < alloc)
		t->by_nr[t->n++] = NULL;
	return 0;
}

struct tfs_tally_call *tfs_tally_new_call(struct tfs_tally *t, int64_t nr)
{
	bool in_array = (uint64_t)nr < BY_NR_MAX;
	struct tfs_tally_call *call = in_array ? NULL : tfs_hashmap_int(&t->others, (uint64_t)nr);
	int rc;

	if (call)
		return call;
	call = calloc(1, sizeof(*call));
	if (!call)
		return NULL;
	call->nr = nr;
	rc = in_array ? reserve(t, (size_t)nr) :
			tfs_hashmap_add(&t->others, tfs_hash_int((uint64_t)nr), call);
	if (rc) {
		free(call);
		return NULL;
	}
	if (in_array)
		t->by_nr[nr] = call;
	return call;
}

int tfs_tally_fail(struct tfs_tally_call *call, int64_t error)
{
	size_t i = 0;

	call->errors++;
	while (i < call->n_failed && call->failed[i].error != error)
		i++;
	if (i == call->n_failed) {
		if (tfs_grow_one(&call->failed, call->n_failed))
			return -ENOMEM;
		call->failed[call->n_failed++] =
			(struct tfs_tally_error){ .error = (int32_t)error };
	}
	call->failed[i].n++;
	return 0;
}

static int compare_nr(const void *a, const void *b)
{
	const struct tfs_tally_call *x = *(struct tfs_tally_call *const *)a;
	const struct tfs_tally_call *y = *(struct tfs_tally_call *const *)b;

	return (x->nr > y->nr) - (x->nr < y->nr);
}

int tfs_tally_list(const struct tfs_tally *t, struct tfs_tally_call ***out, size_t *n)
{
	struct tfs_tally_call **list, *call;
	size_t i;

	*out = NULL;
	*n = 0;
	for (i = 0; i < t->n; i++)
		*n += t->by_nr[i] != NULL;
	*n += t->others.n;
	if (!*n)
		return 0;
	list = malloc(*n * sizeof(struct tfs_tally_call *));
	if (!list)
		return -ENOMEM;
	*n = 0;
	for (i = 0; i < t->n; i++)
		if (t->by_nr[i])
			list[(*n)++] = t->by_nr[i];
	tfs_hashmap_for_each(&t->others, i, call) list[(*n)++] = call;
	qsort(list, *n, sizeof(struct tfs_tally_call *), compare_nr);
	*out = list;
	return 0;
}
