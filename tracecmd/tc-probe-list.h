/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_PROBE_LIST_H
#define TC_PROBE_LIST_H

struct probe_request;
struct tfs_err;

/** probe_list() - -l, with a notice for each program that changed since; 0 or negative errno */
int probe_list(const struct probe_request *req, struct tfs_err *err);

#endif
