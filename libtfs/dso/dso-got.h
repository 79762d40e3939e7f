/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DSO_GOT_H
#define TFS_DSO_DSO_GOT_H

#include <stdint.h>

struct tfs_dso;

/**
 * struct tfs_got_slot - a slot of the global offset table that the loader fills with the address of
 * a variable: where a program has a copy of a library's variable, the library's code finds it so
 * @slot: address of the slot
 * @addr: of the variable, if this dso defines it, else 0
 * @reach: the last byte of this variable or of one that is sorted before it, whichever is greater
 */
struct tfs_got_slot {
	uint64_t slot;
	uint64_t addr;
	uint64_t size;
	uint64_t reach;
	const char *name;
};

/** tfs_dso_got_at() - the slot for the variable of this dso that holds @addr, NULL if none */
const struct tfs_got_slot *tfs_dso_got_at(struct tfs_dso *dso, uint64_t addr);
/** tfs_dso_got_named() - the slot for a variable of another dso, NULL if there is none */
const struct tfs_got_slot *tfs_dso_got_named(struct tfs_dso *dso, const char *name);

#endif
