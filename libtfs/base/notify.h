/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_NOTIFY_H
#define TFS_BASE_NOTIFY_H

struct tfs_err;

/**
 * tfs_notify() - send the state of this process to its service manager
 * @state: lines of sd_notify(3): "READY=1", "STATUS=...\nSTOPPING=1"
 *
 * By a datagram to the socket that NOTIFY_SOCKET names: a path, or @NAME of the abstract
 * namespace. Without the variable nothing is sent.
 *
 * Return: 0 or -errno with @err set.
 */
int tfs_notify(const char *state, struct tfs_err *err);

#endif
