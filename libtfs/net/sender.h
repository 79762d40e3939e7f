/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_NET_SENDER_H
#define TFS_NET_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/address.h"

struct tfs_clock_sample;
struct tfs_err;
struct tfs_record_head;

/**
 * struct tfs_sender - a recording that a listener takes: trace-cmd listen, or tc-listen
 *
 * connect -> begin -> open_cpu for each CPU, tick now and then -> finish -> free. One thread at a
 * time; the descriptors of CPUs are others' to write to.
 */
struct tfs_sender;

/**
 * tfs_sender_connect() - connect, and see that a listener is there
 *
 * It waits for the rest as long as it takes. Return: 0; -errno; -EPROTO for another kind of server.
 */
int tfs_sender_connect(const struct tfs_net_host *host, struct tfs_sender **out,
		       struct tfs_err *err);
void tfs_sender_free(struct tfs_sender *s);

/**
 * tfs_sender_begin() - agree on the protocol, and send the first metadata
 * @head: its file is borrowed until the end; tfs_sender_tick() may send its zeros
 *
 * Return: 0; -EPROTO when the listener does not answer as it should; -errno.
 */
int tfs_sender_begin(struct tfs_sender *s, const struct tfs_record_head *head, struct tfs_err *err);
/**
 * tfs_sender_compare() - compare a clock of this machine with the listener's, by round trips
 * @clock: such as "mono" (clock/round-trip.h)
 * @out: @local is @clock, @ref the listener's, of the name tfs_sender_clock()
 *
 * Waits for the answers: half a second, if the listener is not slower. Return: 0; -EOPNOTSUPP when
 * the listener is not tc-listen; -EINVAL for a clock that cannot be read; -errno.
 */
int tfs_sender_compare(struct tfs_sender *s, const char *clock, struct tfs_clock_sample *out);
/** tfs_sender_clock() - name of the listener's clock; "": it cannot be asked. Borrowed */
const char *tfs_sender_clock(const struct tfs_sender *s);
/** tfs_sender_open_cpu() - connect for the data of a CPU, once; *@fd: blocking, the caller's */
int tfs_sender_open_cpu(struct tfs_sender *s, uint32_t cpu, int *fd, struct tfs_err *err);
/**
 * tfs_sender_tick() - every second or so: show that this side is there
 * Return: 0; -EPIPE when the listener has gone away; -errno.
 */
int tfs_sender_tick(struct tfs_sender *s, struct tfs_err *err);
/**
 * tfs_sender_finish() - all data were written: send the rest of the metadata, and end
 * @size: bytes of the metadata
 * @fds: descriptors of CPUs, which are shut down
 *
 * Waits until the listener has all data, and tc-listen has completed its file. Return: 0; -EPIPE
 * when the listener did not take everything; -errno.
 */
int tfs_sender_finish(struct tfs_sender *s, uint64_t size, const int *fds, size_t n,
		      struct tfs_err *err);
/** tfs_sender_explain() - say of a failure to write to a CPU's descriptor what it means here */
void tfs_sender_explain(const struct tfs_sender *s, struct tfs_err *err);
/** tfs_sender_sent() - bytes of metadata so far */
uint64_t tfs_sender_sent(const struct tfs_sender *s);

#endif
