/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DSO_SUPPLIER_H
#define TFS_DSO_DSO_SUPPLIER_H

struct tfs_dso;

/**
 * tfs_dso_debug_supplier() - what to do to get debug information, and which paths were tried: for
 * the hint of an error
 * Return: the dso's; NULL without memory.
 */
const char *tfs_dso_debug_supplier(struct tfs_dso *dso);

#endif
