/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/profile-name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "decode/task.h"

/* A name of a task; a task that is called otherwise has another one. */
#define NAMES_MAX 262144

struct tfs_profile_name {
	struct tfs_profile_name *next;
	struct tfs_task task; /* without a column: its name is there */
};

static uint64_t key_of(uint32_t input, int pid)
{
	return (uint64_t)input << 32 | (uint32_t)pid;
}

int tfs_profile_name_learn(struct tfs_profile_names *names, uint32_t input, int pid,
			   const char *comm)
{
	const uint64_t key = key_of(input, pid);
	struct tfs_profile_name *name = tfs_hashmap_int(&names->latest, key);
	const size_t size = strlen(comm) + 1;

	if (size == 1 || (name && !strcmp(name->task.comm, comm)) || names->n >= NAMES_MAX)
		return 0;
	if (name)
		tfs_hashmap_remove(&names->latest, tfs_hash_int(key), name);
	name = calloc(1, sizeof(*name) + size);
	if (!name || tfs_hashmap_add(&names->latest, tfs_hash_int(key), name)) {
		free(name);
		return -ENOMEM;
	}
	name->task.pid = pid;
	name->task.comm = memcpy(name->task.column, comm, size);
	name->next = names->all;
	names->all = name;
	names->n++;
	return 0;
}

const struct tfs_task *tfs_profile_name_find(const struct tfs_profile_names *names, uint32_t input,
					     int pid)
{
	const struct tfs_profile_name *name = tfs_hashmap_int(&names->latest, key_of(input, pid));

	return name ? &name->task : NULL;
}

void tfs_profile_names_release(struct tfs_profile_names *names)
{
	while (names->all) {
		struct tfs_profile_name *name = names->all;

		names->all = name->next;
		free(name);
	}
	tfs_hashmap_release(&names->latest);
}
