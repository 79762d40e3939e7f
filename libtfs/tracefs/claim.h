/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_CLAIM_H
#define TFS_TRACEFS_CLAIM_H

struct tfs_err;
struct tfs_instance;
struct tfs_root;

/*
 * Who takes events out of a ring buffer claims it, by a lock (flock) on its instance's directory.
 * The lock is seen wherever tracefs is, in other containers, too, and ends with the process. It
 * holds among the programs of tracecraft; see tracedat/dat-lost.h for what others do.
 */

/**
 * tfs_claim_take() - claim the ring buffer of an instance that is there
 * @fd: set on success; closing it ends the claim; -1 where the file system has no locks
 *
 * Return: 0; -EBUSY naming who has it, as far as that can be seen; -ENOENT; -errno.
 */
int tfs_claim_take(const struct tfs_root *root, const struct tfs_instance *inst, int *fd,
		   struct tfs_err *err);
/**
 * tfs_claim_make() - make an instance and claim it, before anybody else can
 *
 * Return: as tfs_claim_take(); -EEXIST when it is there already.
 */
int tfs_claim_make(const struct tfs_root *root, const struct tfs_instance *inst, int *fd,
		   struct tfs_err *err);

/**
 * tfs_claim_gate() - from mkdir until the claim of what it made: nobody makes or claims one then
 * @flags: LOCK_NB not to wait for who does now, or 0
 *
 * Return: a descriptor that ends it when it is closed; -1 where it cannot be had.
 */
int tfs_claim_gate(const struct tfs_root *root, int flags);
/**
 * tfs_claim_names() - nobody else defines events from here on: a name that is free stays so
 *
 * The kernel takes a second definition of a name as one more place of the same event.
 * Return: as tfs_claim_gate(), after waiting.
 */
int tfs_claim_names(const struct tfs_root *root);
/** tfs_claim_inside() - tfs_claim_take() for who has the gate */
int tfs_claim_inside(const struct tfs_root *root, const struct tfs_instance *inst, int *fd,
		     struct tfs_err *err);

#endif
