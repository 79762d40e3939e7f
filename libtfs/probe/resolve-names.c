/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/resolve-internal.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/strmap.h"
#include "probe/define.h"
#include "probe/features.h"
#include "probe/name.h"

/*
 * struct names - events that have got their names
 * @defs: of one request
 * @append: the kernel takes several places for one event
 * @first: the first definition of each event and 1, by GROUP/EVENT: one request for markers may
 *	find those of several providers, and each has a group of its own
 * @slot: hash table of the named definitions, by event and location: index + 1, or 0. A glob may
 *	have hundreds of thousands, and their texts are in @defs already
 * @n_slots: a power of two, a quarter more than there are definitions or more
 */
struct names {
	struct tfs_probe_defs *defs;
	bool append;
	struct tfs_strmap first;
	uint32_t *slot;
	size_t n_slots;
};

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* May @a be one more place of the event of @b? */
static bool fits(const struct names *names, const struct tfs_probe_def *a,
		 const struct tfs_probe_def *b)
{
	return names->append && a->ret == b->ret && same_text(a->shape, b->shape);
}

/* The slot of its event and place, free if there is no such: no event is twice at one place. */
static uint32_t *slot_of(const struct names *names, const struct tfs_probe_def *def)
{
	uint64_t hash = tfs_hash64(TFS_HASH64_INIT, def->group, strlen(def->group) + 1);
	size_t i;

	hash = tfs_hash64(hash, def->event, strlen(def->event) + 1);
	hash = tfs_hash64(hash, def->location, strlen(def->location));
	i = (hash ^ hash >> 32) & (names->n_slots - 1);
	while (names->slot[i]) {
		const struct tfs_probe_def *o = &names->defs->v[names->slot[i] - 1];

		if (!strcmp(o->location, def->location) && !strcmp(o->event, def->event) &&
		    !strcmp(o->group, def->group))
			break;
		i = (i + 1) & (names->n_slots - 1);
	}
	return &names->slot[i];
}

/* Counts for the event of @def; NULL without memory. */
static size_t *first_of(struct names *names, const struct tfs_probe_def *def)
{
	char key[2 * (TFS_PROBE_NAME_MAX + 1)];

	snprintf(key, sizeof(key), "%s/%s", def->group, def->event);
	return tfs_strmap_at(&names->first, key);
}

/* Names of places that cannot be of one event get numbers. */
static int name_event(struct names *names, size_t i)
{
	struct tfs_probe_def *def = &names->defs->v[i];
	char base[TFS_PROBE_NAME_MAX + 1], next[TFS_PROBE_NAME_MAX + 1];
	uint32_t *slot = slot_of(names, def);

	memcpy(base, def->event, strlen(def->event) + 1);
	for (unsigned int n = 1;; n++) {
		size_t *first = first_of(names, def);

		if (!first)
			return -ENOMEM;
		if (!*first) {
			*first = i + 1;
			break;
		}
		/* all places of an event fit its first */
		if (fits(names, def, &names->defs->v[*first - 1]) && !*slot)
			break;
		tfs_probe_name_numbered(base, n, next);
		free(def->event);
		def->event = strdup(next);
		if (!def->event)
			return -ENOMEM;
		slot = slot_of(names, def);
	}
	*slot = (uint32_t)i + 1;
	return 0;
}

int tfs_probe_name_events(struct tfs_probe_defs *defs, const struct tfs_probe_features *features)
{
	struct names names = { .defs = defs,
			       .append = features->has & TFS_PROBE_HAS_APPEND,
			       .n_slots = 16 };
	int rc;

	if (defs->n >= UINT32_MAX)
		return -ENOMEM;
	while (names.n_slots < defs->n + defs->n / 4 + 1)
		names.n_slots *= 2;
	names.slot = calloc(names.n_slots, sizeof(*names.slot));
	rc = names.slot ? 0 : -ENOMEM;
	/* the name that was asked for is for the places that have all arguments */
	for (int partial = 0; partial <= 1; partial++) {
		for (size_t i = 0; i < defs->n && !rc; i++)
			if (defs->v[i].partial == partial)
				rc = name_event(&names, i);
	}
	tfs_strmap_release(&names.first);
	free(names.slot);
	return rc;
}
