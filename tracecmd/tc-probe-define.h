/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_PROBE_DEFINE_H
#define TC_PROBE_DEFINE_H

struct probe_request;
struct tfs_err;
struct tfs_debuginfo;
struct tfs_probe_defs;
struct tfs_probe_features;
struct tfs_root;

/** probe_define() - -a and -D; 0 or negative errno with @err set */
int probe_define(const struct probe_request *req, struct tfs_debuginfo *dbg, struct tfs_err *err);
/** probe_line_flags() - enum tfs_probe_line_flags: "f a" is a line unless a program is named */
unsigned int probe_line_flags(const struct probe_request *req);
/** probe_resolve() - the definitions that @req's probes come to; notices are printed */
int probe_resolve(const struct probe_request *req, struct tfs_debuginfo *dbg,
		  const struct tfs_probe_features *features, struct tfs_probe_defs *defs,
		  struct tfs_err *err);
/** probe_install() - define all of @defs or none, or with --dry-run print how, and say so */
int probe_install(const struct probe_request *req, struct tfs_root *root,
		  struct tfs_probe_defs *defs, struct tfs_err *err);
/** probe_delete() - -d */
int probe_delete(const struct probe_request *req, struct tfs_err *err);

#endif
