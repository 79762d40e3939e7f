/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_FEATURES_H
#define TFS_PROBE_FEATURES_H

#include <stdbool.h>

struct tfs_root;

/**
 * enum tfs_probe_feature - what the probe events of some kernels can do and those of others cannot
 * @TFS_PROBE_HAS_X_TYPES: x8 to x64 (4.8)
 * @TFS_PROBE_HAS_CHAR: char (6.2)
 * @TFS_PROBE_HAS_APPEND: a second location for an event that exists (5.4)
 * @TFS_PROBE_HAS_RETURN_ARGS: $argN in a return probe of the kernel (6.9)
 * @TFS_PROBE_HAS_PATH_TYPES: %pd and %pD (6.11)
 * @TFS_PROBE_HAS_NAMES: parameters by name, $arg* (6.4, with CONFIG_PROBE_EVENTS_BTF_ARGS)
 * @TFS_PROBE_HAS_CASTS: $current, this_cpu_read(), (STRUCT)ARG->FIELD, and expressions of 255
 *	characters (7.3)
 * @TFS_PROBE_HAS_README: the kernel's own list was read: what is not in it is not there
 */
enum tfs_probe_feature {
	TFS_PROBE_HAS_X_TYPES = 1 << 0,
	TFS_PROBE_HAS_CHAR = 1 << 1,
	TFS_PROBE_HAS_APPEND = 1 << 2,
	TFS_PROBE_HAS_RETURN_ARGS = 1 << 3,
	TFS_PROBE_HAS_PATH_TYPES = 1 << 4,
	TFS_PROBE_HAS_NAMES = 1 << 5,
	TFS_PROBE_HAS_CASTS = 1 << 6,
	TFS_PROBE_HAS_README = 1 << 7,
};

/** struct tfs_probe_features - @has: enum tfs_probe_feature, all that a kernel has */
struct tfs_probe_features {
	unsigned int has;
};

/** TFS_PROBE_FEATURES_ANY - what every kernel of the last years understands */
#define TFS_PROBE_FEATURES_ANY \
	((struct tfs_probe_features){ TFS_PROBE_HAS_X_TYPES | TFS_PROBE_HAS_APPEND })

/** tfs_probe_features_lack() - is it known that the kernel has not all of @needs? */
bool tfs_probe_features_lack(const struct tfs_probe_features *features, unsigned int needs);

/** tfs_probe_features_parse() - what tracefs' README says; pure */
void tfs_probe_features_parse(const char *readme, struct tfs_probe_features *out);
/** tfs_probe_features_read() - that of @root; TFS_PROBE_FEATURES_ANY where it cannot be read */
void tfs_probe_features_read(const struct tfs_root *root, struct tfs_probe_features *out);

#endif
