/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_PROBE_LINES_H
#define TC_PROBE_LINES_H

struct probe_request;
struct tfs_err;
struct tfs_debuginfo;

/** probe_lines() - -L; 0 or negative errno with @err set */
int probe_lines(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err);

#endif
