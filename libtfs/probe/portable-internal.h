/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_PORTABLE_INTERNAL_H
#define TFS_PROBE_PORTABLE_INTERNAL_H

#include "probe/portable.h"

/**
 * tfs_portable_compare() - is what is here what the plan is for?
 * @what: for the message, quoted if it is a name
 * @id: of what is here, "" if it has none
 *
 * Return: 0, or -ESTALE naming both.
 */
int tfs_portable_compare(const struct tfs_portable_target *t, const char *what, const char *id,
			 struct tfs_err *err);

#endif
