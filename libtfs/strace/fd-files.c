/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/fd-files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "strace/fd-names.h"

/*
 * A slot:
 * @changed: when the last call that changed it returned
 * @since: when it was opened, or was known to be open
 * @open: it is open for certain, whether its file is known or not
 * @freed: the last change closed what was open since @since
 * @displaced: a call returned its number while it was open here: a close that has not returned yet
 *	came before
 */
struct slot {
	struct tfs_fd_name *name;
	uint64_t changed, since;
	enum tfs_fd_cloexec cloexec;
	bool open, freed, displaced;
};

/* @refs: tables that have the same slots and did not change any since they were copied */
struct tfs_fd_slots {
	size_t refs, n, alloc;
	struct slot *v;
};

static void put_slots(struct tfs_fd_names *names, struct tfs_fd_slots *slots)
{
	if (!slots || --slots->refs)
		return;
	for (size_t i = 0; i < slots->n; i++)
		tfs_fd_name_put(names, slots->v[i].name);
	free(slots->v);
	free(slots);
}

struct tfs_fd_files *tfs_fd_files_new(struct tfs_fd_names *names)
{
	struct tfs_fd_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->names = names;
	files->sharers = 1;
	return files;
}

void tfs_fd_files_put(struct tfs_fd_files *files)
{
	if (!files || --files->sharers)
		return;
	put_slots(files->names, files->slots);
	free(files);
}

/* Slots of its own, so that they can be changed; everything is forgotten if there is no memory. */
static int own_slots(struct tfs_fd_files *files)
{
	struct tfs_fd_slots *old = files->slots, *own;

	if (old && old->refs == 1)
		return 0;
	own = calloc(1, sizeof(*own));
	if (!own)
		goto fail;
	own->refs = 1;
	if (old && old->n) {
		if (tfs_grow(&own->v, &own->alloc, old->n)) {
			free(own);
			goto fail;
		}
		memcpy(own->v, old->v, old->n * sizeof(*old->v));
		own->n = old->n;
		for (size_t i = 0; i < own->n; i++)
			tfs_fd_name_ref(own->v[i].name);
	}
	put_slots(files->names, old);
	files->slots = own;
	return 0;
fail:
	tfs_fd_files_forget(files, UINT64_MAX);
	return -ENOMEM;
}

/* The slot of a descriptor, to be changed. -ERANGE: it has none */
static int slot_at(struct tfs_fd_files *files, int64_t fd, struct slot **out)
{
	struct tfs_fd_slots *slots;
	int rc;

	if (fd < 0 || fd >= TFS_FD_MAX)
		return -ERANGE;
	rc = own_slots(files);
	if (rc)
		return rc;
	slots = files->slots;
	if ((size_t)fd >= slots->n) {
		rc = tfs_grow(&slots->v, &slots->alloc, (size_t)fd + 1);
		if (rc)
			return rc;
		memset(slots->v + slots->n, 0, ((size_t)fd + 1 - slots->n) * sizeof(*slots->v));
		slots->n = (size_t)fd + 1;
	}
	*out = &slots->v[fd];
	return 0;
}

static const struct slot *find_slot(const struct tfs_fd_files *files, int fd)
{
	const struct tfs_fd_slots *slots = files->slots;

	return slots && fd >= 0 && (size_t)fd < slots->n ? &slots->v[fd] : NULL;
}

static uint64_t changed_at(const struct tfs_fd_files *files, const struct slot *slot)
{
	return slot && slot->changed > files->forgotten ? slot->changed : files->forgotten;
}

struct tfs_fd_files *tfs_fd_files_copy(struct tfs_fd_files *files, uint64_t begin)
{
	struct tfs_fd_files *copy = tfs_fd_files_new(files->names);
	const struct tfs_fd_slots *slots = files->slots;

	if (!copy)
		return NULL;
	copy->forgotten = files->forgotten;
	copy->unsure = files->unsure;
	copy->slots = files->slots;
	if (!slots)
		return copy;
	copy->slots->refs++;
	for (size_t i = 0; i < slots->n; i++) {
		/* it may have been copied before or after the change */
		if (slots->v[i].changed > begin &&
		    tfs_fd_files_doubt(copy, (unsigned int)i, (unsigned int)i, slots->v[i].changed))
			break;
	}
	return copy;
}

const struct tfs_fd_name *tfs_fd_files_name(const struct tfs_fd_files *files, int fd)
{
	const struct slot *slot = find_slot(files, fd);

	return slot && !files->unsure && slot->name && !slot->name->renamed ? slot->name : NULL;
}

bool tfs_fd_files_was_stable(const struct tfs_fd_files *files, int fd,
			     const struct tfs_fd_span *span)
{
	return changed_at(files, find_slot(files, fd)) < span->begin;
}

struct tfs_fd_name *tfs_fd_files_source(const struct tfs_fd_files *files, int fd,
					const struct tfs_fd_span *span)
{
	const struct slot *slot = find_slot(files, fd);

	if (!slot || files->unsure || changed_at(files, slot) > span->begin)
		return NULL;
	return tfs_fd_name_ref(slot->name);
}

static void set(struct tfs_fd_files *files, struct slot *slot, struct tfs_fd_name *name)
{
	tfs_fd_name_put(files->names, slot->name);
	slot->name = name;
}

int tfs_fd_files_open(struct tfs_fd_files *files, int fd, struct tfs_fd_name *name,
		      enum tfs_fd_cloexec cloexec, const struct tfs_fd_span *span)
{
	struct slot *slot;
	int rc = slot_at(files, fd, &slot);
	bool overlaps, follows;

	if (rc) {
		tfs_fd_name_put(files->names, name);
		return rc == -ERANGE ? 0 : rc;
	}
	overlaps = changed_at(files, slot) > span->begin;
	/* The number was in use when this call began, so it can only come after the close. */
	follows = slot->freed && slot->since <= span->begin && files->forgotten <= span->begin;
	if (overlaps && !follows) {
		tfs_fd_name_put(files->names, name);
		name = NULL;
		cloexec = TFS_FD_CLOEXEC_UNKNOWN;
	}
	set(files, slot, name);
	slot->displaced = slot->open && !overlaps;
	slot->open = !overlaps || follows;
	slot->freed = false;
	slot->cloexec = cloexec;
	slot->changed = slot->since = span->end;
	return 0;
}

int tfs_fd_files_replace(struct tfs_fd_files *files, int fd, struct tfs_fd_name *name,
			 enum tfs_fd_cloexec cloexec, const struct tfs_fd_span *span)
{
	struct slot *slot;
	int rc = slot_at(files, fd, &slot);

	if (rc) {
		tfs_fd_name_put(files->names, name);
		return rc == -ERANGE ? 0 : rc;
	}
	slot->open = changed_at(files, slot) <= span->begin;
	if (!slot->open) {
		tfs_fd_name_put(files->names, name);
		name = NULL;
		cloexec = TFS_FD_CLOEXEC_UNKNOWN;
	}
	set(files, slot, name);
	slot->freed = slot->displaced = false;
	slot->cloexec = cloexec;
	slot->changed = slot->since = span->end;
	return 0;
}

int tfs_fd_files_learn(struct tfs_fd_files *files, int fd, struct tfs_fd_name *name,
		       enum tfs_fd_cloexec cloexec)
{
	struct slot *slot;
	int rc = slot_at(files, fd, &slot);

	if (rc) {
		tfs_fd_name_put(files->names, name);
		return rc == -ERANGE ? 0 : rc;
	}
	set(files, slot, name);
	if (!slot->open)
		slot->since = changed_at(files, slot);
	slot->open = true;
	slot->freed = false;
	slot->cloexec = cloexec;
	return 0;
}

/* The slots of a range that exist: [*first, *end) */
static int range(struct tfs_fd_files *files, unsigned int *first, unsigned int last, size_t *end)
{
	size_t n = files->slots ? files->slots->n : 0;
	int rc;

	*end = last < n ? (size_t)last + 1 : n;
	if (*first >= *end) {
		*end = *first;
		return 0;
	}
	rc = own_slots(files);
	if (rc)
		*end = *first;
	return rc;
}

int tfs_fd_files_close(struct tfs_fd_files *files, unsigned int first, unsigned int last,
		       const struct tfs_fd_span *span)
{
	struct slot *slot;
	size_t end;
	int rc = 0;

	/* a single one is noted even if it was not known: calls that overlap must see the change */
	if (first == last) {
		rc = slot_at(files, first, &slot);
		if (rc)
			return rc == -ERANGE ? 0 : rc;
	}
	rc = range(files, &first, last, &end);
	for (size_t i = first; i < end; i++) {
		slot = &files->slots->v[i];
		if (changed_at(files, slot) > span->begin && slot->displaced) {
			slot->displaced = false;
			continue;
		}
		slot->freed = slot->open && changed_at(files, slot) <= span->begin;
		set(files, slot, NULL);
		slot->open = slot->displaced = false;
		slot->changed = span->end;
	}
	return rc;
}

int tfs_fd_files_set_cloexec(struct tfs_fd_files *files, unsigned int first, unsigned int last,
			     enum tfs_fd_cloexec cloexec)
{
	size_t end;
	int rc = range(files, &first, last, &end);

	for (size_t i = first; i < end; i++)
		files->slots->v[i].cloexec = cloexec;
	return rc;
}

int tfs_fd_files_doubt(struct tfs_fd_files *files, unsigned int first, unsigned int last,
		       uint64_t end)
{
	struct slot *slot;
	size_t end_slot;
	int rc;

	if (first == last) {
		rc = slot_at(files, first, &slot);
		if (rc)
			return rc == -ERANGE ? 0 : rc;
	}
	rc = range(files, &first, last, &end_slot);
	for (size_t i = first; i < end_slot; i++) {
		slot = &files->slots->v[i];
		set(files, slot, NULL);
		slot->open = slot->freed = slot->displaced = false;
		slot->cloexec = TFS_FD_CLOEXEC_UNKNOWN;
		if (slot->changed < end)
			slot->changed = end;
	}
	return rc;
}

void tfs_fd_files_forget(struct tfs_fd_files *files, uint64_t end)
{
	put_slots(files->names, files->slots);
	files->slots = NULL;
	if (files->forgotten < end)
		files->forgotten = end;
}

int tfs_fd_files_exec(struct tfs_fd_files *files, uint64_t end)
{
	int rc = files->slots ? own_slots(files) : 0;

	if (rc || !files->slots)
		return rc;
	for (size_t i = 0; i < files->slots->n; i++) {
		struct slot *slot = &files->slots->v[i];

		if (slot->cloexec == TFS_FD_KEPT)
			continue;
		set(files, slot, NULL);
		slot->open = slot->freed = slot->displaced = false;
		slot->changed = end;
	}
	return 0;
}
