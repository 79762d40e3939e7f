/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/fold.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/hashmap.h"
#include "base/strbuf-core.h"

/* Slots of the table of nodes at first; a power of two */
#define SLOTS_FIRST 1024

/* A name that nodes have. @text has the text, a zero, the path of its file and a zero. */
struct name {
	uint32_t index;
	enum tfs_frame_kind kind;
	size_t len;
	bool has_dso;
	char text[];
};

struct tfs_fold {
	struct tfs_fold_node *node;
	size_t nodes_alloc;
	uint32_t n, nodes_max;
	uint32_t *slot; /* open addressing by parent and name: index of the node, 0: free */
	size_t n_slots;
	struct name **name;
	size_t names_alloc, name_bytes;
	uint32_t n_names;
	struct tfs_hashmap names;
	struct tfs_strbuf clean; /* the name that is asked for, as it is kept */
	uint64_t cut;
};

int tfs_fold_new(uint32_t nodes_max, struct tfs_fold **out)
{
	struct tfs_fold *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	tfs_strbuf_init(&f->clean);
	f->nodes_max = nodes_max ? nodes_max : TFS_FOLD_NODES_MAX;
	f->n_slots = SLOTS_FIRST;
	f->slot = calloc(f->n_slots, sizeof(*f->slot));
	if (!f->slot || tfs_grow(&f->node, &f->nodes_alloc, 1)) {
		tfs_fold_free(f);
		return -ENOMEM;
	}
	memset(&f->node[TFS_FOLD_ROOT], 0, sizeof(f->node[TFS_FOLD_ROOT]));
	f->n = 1;
	*out = f;
	return 0;
}

void tfs_fold_free(struct tfs_fold *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->n_names; i++)
		free(f->name[i]);
	free(f->name);
	tfs_hashmap_release(&f->names);
	tfs_strbuf_release(&f->clean);
	free(f->node);
	free(f->slot);
	free(f);
}

/* --- names */

struct name_key {
	const char *text;
	size_t len;
	enum tfs_frame_kind kind;
};

static bool has_key(const void *entry, const void *key)
{
	const struct name *name = entry;
	const struct name_key *k = key;

	return name->kind == k->kind && name->len == k->len && !memcmp(name->text, k->text, k->len);
}

/* Nothing in a name ends a frame or a line. */
static int clean(struct tfs_fold *f, const char *text, size_t len)
{
	char *p;

	tfs_strbuf_reset(&f->clean);
	if (tfs_strbuf_add(&f->clean, text, len))
		return -ENOMEM;
	for (p = f->clean.s; len; p++, len--) {
		if (*p == ';')
			*p = ':';
		else if ((unsigned char)*p < ' ' || *p == '\x7f')
			*p = '_';
	}
	return 0;
}

static int add_name(struct tfs_fold *f, uint64_t hash, const struct name_key *key, const char *dso,
		    struct name **out)
{
	size_t dso_len = dso ? strlen(dso) : 0;
	struct name *name = malloc(sizeof(*name) + key->len + 1 + dso_len + 1);

	if (!name)
		return -ENOMEM;
	name->index = f->n_names;
	name->kind = key->kind;
	name->len = key->len;
	name->has_dso = dso;
	memcpy(name->text, key->text, key->len);
	name->text[key->len] = '\0';
	memcpy(name->text + key->len + 1, dso ? dso : "", dso_len + 1);
	if (tfs_grow(&f->name, &f->names_alloc, (size_t)f->n_names + 1) ||
	    tfs_hashmap_add(&f->names, hash, name)) {
		free(name);
		return -ENOMEM;
	}
	f->name[f->n_names++] = name;
	f->name_bytes += key->len + dso_len;
	*out = name;
	return 0;
}

/* 1: found or added, 0: there is no room for it, -ENOMEM */
static int find_name(struct tfs_fold *f, const struct tfs_fold_name *asked, uint32_t *index)
{
	struct name_key key = { .kind = asked->kind };
	struct name *name;
	uint64_t hash;
	int rc = clean(f, asked->text, asked->len);

	if (rc)
		return rc;
	key.text = f->clean.s;
	key.len = f->clean.len;
	hash = tfs_hash64(TFS_HASH64_INIT + (uint64_t)key.kind, key.text, key.len);
	hash ^= hash >> 32;
	name = tfs_hashmap_find(&f->names, hash, has_key, &key);
	if (!name) {
		if (f->name_bytes + key.len > TFS_FOLD_NAMES_MAX)
			return 0;
		rc = add_name(f, hash, &key, asked->dso, &name);
		if (rc)
			return rc;
	}
	*index = name->index;
	return 1;
}

/* --- nodes */

static size_t first_slot(const struct tfs_fold *f, uint32_t parent, uint32_t name)
{
	return tfs_hash_int((uint64_t)parent << 32 | name) & (f->n_slots - 1);
}

static void place(struct tfs_fold *f, uint32_t index)
{
	size_t i = first_slot(f, f->node[index].parent, f->node[index].name);

	while (f->slot[i])
		i = (i + 1) & (f->n_slots - 1);
	f->slot[i] = index;
}

/* Twice the slots; at most half of them are used. */
static int grow_slots(struct tfs_fold *f)
{
	uint32_t *slot = calloc(2 * f->n_slots, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	free(f->slot);
	f->slot = slot;
	f->n_slots *= 2;
	for (uint32_t i = 1; i < f->n; i++)
		place(f, i);
	return 0;
}

static int add_node(struct tfs_fold *f, uint32_t parent, uint32_t name, uint32_t *out)
{
	if ((f->n >= f->n_slots / 2 && grow_slots(f)) ||
	    tfs_grow(&f->node, &f->nodes_alloc, (size_t)f->n + 1))
		return -ENOMEM;
	f->node[f->n] = (struct tfs_fold_node){
		.parent = parent,
		.name = name,
		.depth = f->node[parent].depth + 1,
	};
	place(f, f->n);
	*out = f->n++;
	return 0;
}

int tfs_fold_child(struct tfs_fold *f, uint32_t parent, const struct tfs_fold_name *asked,
		   uint32_t *out)
{
	uint32_t name = 0, index;
	int rc = find_name(f, asked, &name);

	*out = parent;
	if (rc < 0)
		return rc;
	if (!rc) {
		f->cut++;
		return 0;
	}
	for (size_t i = first_slot(f, parent, name); (index = f->slot[i]);
	     i = (i + 1) & (f->n_slots - 1)) {
		if (f->node[index].parent == parent && f->node[index].name == name) {
			*out = index;
			return 0;
		}
	}
	if (f->n < f->nodes_max && f->node[parent].depth < TFS_FOLD_DEPTH_MAX)
		return add_node(f, parent, name, out);
	f->cut++;
	return 0;
}

static uint64_t add_up(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

void tfs_fold_add(struct tfs_fold *f, uint32_t node, uint64_t weight)
{
	f->node[node].self = add_up(f->node[node].self, weight);
	f->node[node].samples += f->node[node].samples < UINT32_MAX;
}

uint64_t tfs_fold_sum(struct tfs_fold *f)
{
	uint32_t i;

	for (i = 0; i < f->n; i++)
		f->node[i].total = f->node[i].self;
	/* Parents come before their children. */
	for (i = f->n - 1; i > 0; i--) {
		struct tfs_fold_node *parent = &f->node[f->node[i].parent];

		parent->total = add_up(parent->total, f->node[i].total);
	}
	return f->node[TFS_FOLD_ROOT].total;
}

const struct tfs_fold_node *tfs_fold_nodes(const struct tfs_fold *f, uint32_t *n)
{
	*n = f->n;
	return f->node;
}

struct tfs_fold_name tfs_fold_name(const struct tfs_fold *f, uint32_t index)
{
	const struct name *name = f->name[index];

	return (struct tfs_fold_name){
		.text = name->text,
		.len = name->len,
		.kind = name->kind,
		.dso = name->has_dso ? name->text + name->len + 1 : NULL,
	};
}

uint32_t tfs_fold_n_names(const struct tfs_fold *f)
{
	return f->n_names;
}

uint64_t tfs_fold_cut(const struct tfs_fold *f)
{
	return f->cut;
}

const char *tfs_fold_suffix(enum tfs_frame_kind kind)
{
	static const char *const suffixes[] = {
		[TFS_FRAME_KERNEL] = "_[k]",
		[TFS_FRAME_JIT] = "_[j]",
		[TFS_FRAME_INLINED] = "_[i]",
		[TFS_FRAME_WAKER] = "_[w]",
	};

	return kind < sizeof(suffixes) / sizeof(*suffixes) && suffixes[kind] ? suffixes[kind] : "";
}
