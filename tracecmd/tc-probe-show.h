/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_PROBE_SHOW_H
#define TC_PROBE_SHOW_H

struct probe_request;
struct tfs_err;
struct tfs_debuginfo;

/** probe_funcs() - -F; 0 or negative errno with @err set, as all of these */
int probe_funcs(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err);
/** probe_vars() - -V */
int probe_vars(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err);
/** probe_explain() - --explain */
int probe_explain(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err);

#endif
