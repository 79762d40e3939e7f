/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/fd-names.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct key {
	const char *text;
	size_t len;
	enum tfs_fd_form form;
};

static bool has_key(const void *entry, const void *key)
{
	const struct tfs_fd_name *name = entry;
	const struct key *k = key;

	return name->form == k->form && !strncmp(name->text, k->text, k->len) &&
	       !name->text[k->len];
}

static uint64_t hash_of(const struct key *key)
{
	return tfs_hash64(TFS_HASH64_INIT + key->form, key->text, key->len);
}

void tfs_fd_names_release(struct tfs_fd_names *names)
{
	struct tfs_fd_name *name;
	size_t i;

	tfs_hashmap_for_each(&names->map, i, name) free(name);
	tfs_hashmap_release(&names->map);
}

struct tfs_fd_name *tfs_fd_name_get(struct tfs_fd_names *names, const char *text, size_t len,
				    enum tfs_fd_form form)
{
	const struct key key = { text, len, form };
	uint64_t hash = hash_of(&key);
	struct tfs_fd_name *name = tfs_hashmap_find(&names->map, hash, has_key, &key);

	if (name)
		return tfs_fd_name_ref(name);
	name = calloc(1, sizeof(*name) + len + 1);
	if (!name)
		return NULL;
	memcpy(name->text, text, len);
	name->form = form;
	name->hash = hash;
	name->refs = 1;
	if (tfs_hashmap_add(&names->map, hash, name)) {
		free(name);
		return NULL;
	}
	return name;
}

struct tfs_fd_name *tfs_fd_name_ref(struct tfs_fd_name *name)
{
	if (name)
		name->refs++;
	return name;
}

/* A file that is opened by the same name later is another one. */
static void take_out(struct tfs_fd_names *names, struct tfs_fd_name *name)
{
	if (!name->deleted && !name->renamed)
		tfs_hashmap_remove(&names->map, name->hash, name);
}

void tfs_fd_name_put(struct tfs_fd_names *names, struct tfs_fd_name *name)
{
	if (!name || --name->refs)
		return;
	take_out(names, name);
	free(name);
}

void tfs_fd_names_deleted(struct tfs_fd_names *names, const char *path, size_t len)
{
	static const enum tfs_fd_form forms[] = { TFS_FD_RESOLVED, TFS_FD_TYPED };

	for (size_t i = 0; i < 2; i++) {
		const struct key key = { path, len, forms[i] };
		struct tfs_fd_name *name =
			tfs_hashmap_find(&names->map, hash_of(&key), has_key, &key);

		if (!name)
			continue;
		take_out(names, name);
		name->deleted = true;
	}
}

static struct tfs_fd_name *find_below(const struct tfs_fd_names *names, const char *path,
				      size_t len)
{
	struct tfs_fd_name *name;
	size_t i;

	tfs_hashmap_for_each(&names->map, i, name)
	{
		if (name->form <= TFS_FD_TYPED && !strncmp(name->text, path, len) &&
		    (!name->text[len] || name->text[len] == '/'))
			return name;
	}
	return NULL;
}

void tfs_fd_names_renamed(struct tfs_fd_names *names, const char *path, size_t len)
{
	struct tfs_fd_name *name;

	while ((name = find_below(names, path, len))) {
		take_out(names, name);
		name->renamed = true;
	}
}
