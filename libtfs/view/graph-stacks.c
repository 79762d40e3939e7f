/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/graph-internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/hash.h"

/* Buckets at first. */
#define BUCKETS 256

static size_t bucket_of(const struct graph_key *key, size_t n)
{
	return (size_t)tfs_hash64(TFS_HASH64_INIT, key, sizeof(*key)) & (n - 1);
}

static int grow(struct tfs_graph *g)
{
	size_t n = g->n_buckets ? 2 * g->n_buckets : BUCKETS, i, at;
	struct graph_stack **bucket, *st;

	if (g->n_stacks < g->n_buckets)
		return 0;
	bucket = calloc(n, sizeof(struct graph_stack *));
	if (!bucket)
		return -1;
	for (i = 0; i < g->n_buckets; i++) {
		while ((st = g->bucket[i])) {
			g->bucket[i] = st->next;
			at = bucket_of(&st->key, n);
			st->next = bucket[at];
			bucket[at] = st;
		}
	}
	free(g->bucket);
	g->bucket = bucket;
	g->n_buckets = n;
	return 0;
}

static struct graph_stack *find(const struct tfs_graph *g, const struct graph_key *key)
{
	struct graph_stack *st = g->n_buckets ? g->bucket[bucket_of(key, g->n_buckets)] : NULL;

	while (st && (st->key.id != key->id || st->key.space != key->space))
		st = st->next;
	return st;
}

struct graph_stack *tfs_graph_stack(struct tfs_graph *g, const struct graph_key *key)
{
	struct graph_stack *st = find(g, key);
	size_t at;

	if (st)
		return st;
	st = grow(g) ? NULL : calloc(1, sizeof(*st));
	if (!st)
		return NULL;
	st->key = *key;
	tfs_strbuf_init(&st->held);
	at = bucket_of(key, g->n_buckets);
	st->next = g->bucket[at];
	g->bucket[at] = st;
	g->n_stacks++;
	return st;
}

static void free_stack(struct graph_stack *st)
{
	for (size_t i = 0; i < st->n; i++)
		free(st->v[i].args);
	free(st->v);
	tfs_strbuf_release(&st->held);
	free(st);
}

void tfs_graph_stack_drop(struct tfs_graph *g, struct graph_stack *st)
{
	struct graph_stack **at = &g->bucket[bucket_of(&st->key, g->n_buckets)];

	while (*at != st)
		at = &(*at)->next;
	*at = st->next;
	g->n_stacks--;
	free_stack(st);
}

void tfs_graph_stacks_free(struct tfs_graph *g)
{
	struct graph_stack *st;
	size_t i;

	for (i = 0; i < g->n_buckets; i++) {
		while ((st = g->bucket[i])) {
			g->bucket[i] = st->next;
			free_stack(st);
		}
	}
	free(g->bucket);
	for (i = 0; i < g->n_buffers && g->cpus; i++)
		free(g->cpus[i].v);
	free(g->cpus);
}

struct graph_cpu *tfs_graph_cpu(struct tfs_graph *g, uint32_t buffer, uint32_t cpu)
{
	struct graph_cpus *c = &g->cpus[buffer];
	struct graph_cpu *v;
	size_t n = (size_t)cpu + 8;

	if (cpu < c->n)
		return &c->v[cpu];
	if (cpu >= TFS_CPUS_MAX)
		return NULL;
	v = reallocarray(c->v, n, sizeof(*v));
	if (!v)
		return NULL;
	memset(v + c->n, 0, (n - c->n) * sizeof(*v));
	c->v = v;
	c->n = n;
	return &v[cpu];
}

int tfs_graph_stacks_each(struct tfs_graph *g,
			  int (*call)(struct tfs_graph *g, struct graph_stack *st,
				      const void *context),
			  const void *context)
{
	struct graph_stack *st, *next;
	int rc = 0;

	for (size_t i = 0; i < g->n_buckets && !rc; i++) {
		for (st = g->bucket[i]; st && !rc; st = next) {
			next = st->next;
			rc = call(g, st, context);
		}
	}
	return rc;
}
