/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-elf.h"

#include <errno.h>

#include "dso/dso-internal.h"

Elf *tfs_dso_elf(const struct tfs_dso *dso)
{
	return dso->elf;
}

Dwfl_Module *tfs_dso_dwfl(const struct tfs_dso *dso)
{
	return dso->mod;
}

bool tfs_dso_is_relocatable(const struct tfs_dso *dso)
{
	return dso->rel;
}

uint64_t tfs_dso_code_size(const struct tfs_dso *dso)
{
	uint64_t size = 0;

	for (size_t i = 0; i < dso->n_seg; i++)
		size += dso->seg[i].flags & PF_X ? dso->seg[i].file_size : 0;
	return size;
}

int tfs_dso_root(const struct tfs_dso *dso)
{
	return dso->root;
}

const char *tfs_dso_symfs(const struct tfs_dso *dso)
{
	return dso->symfs;
}

bool tfs_dso_is_in_namespace(const struct tfs_dso *dso)
{
	return dso->ns;
}

int tfs_dso_attach(struct tfs_dso *dso, void (*free_data)(void *data), void *data)
{
	if (dso->n_attached == TFS_DSO_ATTACHED_MAX)
		return -ENOMEM;
	dso->attached[dso->n_attached++] = (struct tfs_attached){ free_data, data };
	return 0;
}

void *tfs_dso_attached(const struct tfs_dso *dso, void (*free_data)(void *data))
{
	for (size_t i = 0; i < dso->n_attached; i++)
		if (dso->attached[i].free_data == free_data)
			return dso->attached[i].data;
	return NULL;
}
