/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_NET_H
#define TC_RECORD_NET_H

#include "net/address.h"
#include "record/remote.h"

struct record_request;
struct tfs_err;
struct tfs_sender;

/**
 * struct record_net - -N: the listener that takes the recording
 * @sender: NULL: the recording goes into a file
 * @remote: for the session
 */
struct record_net {
	struct tfs_sender *sender;
	struct tfs_record_remote remote;
};

/** record_net_check() - -N with options that need a file here; pure; 0 or -EINVAL */
int record_net_check(const struct record_request *req, struct tfs_err *err);
/** record_net_connect() - with -N: connect, before anything is changed; 0 or -errno */
int record_net_connect(struct record_net *net, const struct record_request *req,
		       struct tfs_err *err);
/** record_net_tick() - about once a second while recording; 0 or -errno: the listener is gone */
int record_net_tick(struct record_net *net, struct tfs_err *err);
/** record_net_explain() - @err of a reader, where it is about the listener */
void record_net_explain(const struct record_net *net, struct tfs_err *err);
void record_net_release(struct record_net *net);

#endif
