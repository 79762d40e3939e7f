/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FEATURE_FEATURE_H
#define TFS_FEATURE_FEATURE_H

#include <stddef.h>

#include "base/err.h"

struct tfs_sandbox;
struct tfs_journal;
struct tfs_root;

/**
 * struct tfs_feature - something of the kernel, or of this machine, that tracecraft can use
 * @name: "kprobes"
 * @what: what it is for
 * @config: what the kernel has to be built with, NULL for nothing in particular
 * @fallback: what is done, or can be done, without it; NULL for nothing
 * @via: the feature that @fallback takes; NULL: none of them
 * @otherwise: what can be done where @via does not work either; NULL for nothing
 *
 * Static.
 */
struct tfs_feature {
	const char *name;
	const char *what;
	const char *config;
	const char *fallback;
	const char *via;
	const char *otherwise;
};

/** tfs_features() - how many there are */
size_t tfs_features(void);
/** tfs_feature() - the @i-th; borrowed, static */
const struct tfs_feature *tfs_feature(size_t i);
/** tfs_feature_find() - its index by name; 0, or -EINVAL with near names as the hint */
int tfs_feature_find(const char *name, size_t *i, struct tfs_err *err);

enum tfs_verdict { TFS_FAILS, TFS_WORKS, TFS_UNTRIED };

/**
 * struct tfs_feature_result - what a probe showed
 * @why: why it does not work, or was not tried; empty if it works
 * @built: @config of the feature: 'y', 'm', 'n'; 0 where that is not known
 */
struct tfs_feature_result {
	enum tfs_verdict verdict;
	struct tfs_err why;
	char built;
};

/**
 * tfs_sandbox_new() - what probes share: an instance of its own that is made for the first that
 * needs one, and the kernel's configuration
 * @root: borrowed; NULL where there is none
 * @no_root: why, then; borrowed
 * @journal: borrowed, NULL for none
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_sandbox_new(const struct tfs_root *root, const struct tfs_err *no_root,
		    struct tfs_journal *journal, struct tfs_sandbox **out);
/**
 * tfs_sandbox_free() - take the instance away
 * Return: 0, or why it could not be. NULL is fine.
 */
int tfs_sandbox_free(struct tfs_sandbox *sandbox, struct tfs_err *err);

/**
 * tfs_feature_try() - use it, and take back what that changed
 *
 * It does not rely on what the kernel says of itself (its README, its version, existing files).
 * Outside of the sandbox's instance a probe defines probes of a group of its own for as long as it
 * lasts, writes to a setting the value that it has, and, if nobody uses the top level, a tracer
 * there.
 */
void tfs_feature_try(struct tfs_sandbox *sandbox, size_t i, struct tfs_feature_result *out);

#endif
