/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_PROBE_DEFINE_H
#define TC_PROBE_DEFINE_H

struct probe_request;
struct tfs_err;
struct tfs_image;

/** probe_define() - -a and -D; 0 or negative errno with @err set */
int probe_define(const struct probe_request *req, struct tfs_image *img, struct tfs_err *err);
/** probe_delete() - -d */
int probe_delete(const struct probe_request *req, struct tfs_err *err);
/** probe_list() - -l */
int probe_list(const struct probe_request *req, struct tfs_err *err);

#endif
