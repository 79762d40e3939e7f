/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DSO_GO_H
#define TFS_DSO_DSO_GO_H

struct tfs_dso;
struct tfs_gopclntab;

/** tfs_dso_go_table() - Go's own table of functions and lines, NULL if there is none */
const struct tfs_gopclntab *tfs_dso_go_table(struct tfs_dso *dso);

#endif
