/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_FEATURES_H
#define TFS_PROBE_FEATURES_H

#include <stdbool.h>

struct tfs_root;

/**
 * struct tfs_probe_features - what a kernel's probe events can do that others cannot
 * @x_types: x8 to x64 (4.8)
 * @char_type: char (6.2)
 * @append: a second place for an event that exists (5.4)
 * @path_types: %pd and %pD (6.11)
 * @return_args: $argN in a return probe of the kernel (6.9)
 */
struct tfs_probe_features {
	bool x_types;
	bool char_type;
	bool append;
	bool return_args;
	bool path_types;
};

/** TFS_PROBE_FEATURES_ANY - what is understood by every kernel of the last years */
#define TFS_PROBE_FEATURES_ANY ((struct tfs_probe_features){ true, false, true, false, false })

/** tfs_probe_features_parse() - what tracefs' README says; pure */
void tfs_probe_features_parse(const char *readme, struct tfs_probe_features *out);
/** tfs_probe_features_read() - that of @root; TFS_PROBE_FEATURES_ANY where it cannot be read */
void tfs_probe_features_read(const struct tfs_root *root, struct tfs_probe_features *out);

#endif
