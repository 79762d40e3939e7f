/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_PROBE_PORTABLE_H
#define TC_PROBE_PORTABLE_H

struct probe_request;
struct tfs_err;
struct tfs_debuginfo;

/** probe_plan() - --plan; 0 or negative errno with @err set */
int probe_plan(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err);
/** probe_apply() - --apply */
int probe_apply(const struct probe_request *req, struct tfs_err *err);

#endif
