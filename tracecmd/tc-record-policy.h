/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_POLICY_H
#define TC_RECORD_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "base/strvec.h"

struct record_request;
struct tfs_err;
struct tfs_root;

/*
 * --policy: what whoever holds a key may record. sshd starts tc-record instead of the command that
 * was asked for, which is in SSH_ORIGINAL_COMMAND; its words are options of tc-record, of which
 * only some are taken, within limits. Nothing of it reaches a shell.
 */

/** RECORD_POLICY_VARIABLE - where sshd(8) puts the command that the client asked for */
#define RECORD_POLICY_VARIABLE "SSH_ORIGINAL_COMMAND"

/**
 * struct record_policy - one policy, and the command that it judges
 * @file: --policy; NULL: there is none
 * @events: what may be recorded, each as for -e
 * @duration_ns: of a recording, at most
 * @buffer_bytes: of each CPU's ring buffer, at most
 * @spool_bytes: that wait on this host, at most
 * @max_bytes: of a recording as stored, at most, about
 * @rate: bytes of a recording sent in a second, at most; 0: no limit
 * @recordings: spools that there may be
 * @lines: the lines of the file, as options; owned
 * @words: of the command, which the request points to; owned
 */
struct record_policy {
	const char *file;
	struct tfs_strvec events;
	uint64_t duration_ns;
	uint64_t buffer_bytes;
	uint64_t spool_bytes;
	uint64_t max_bytes;
	uint64_t rate;
	uint64_t recordings;
	struct tfs_strvec lines;
	struct tfs_strvec words;
};

void record_policy_release(struct record_policy *p);

/**
 * record_policy_parse() - fill in the limits from the text of a policy; pure
 * Return: 0; -EINVAL, -ERANGE or -ENOMEM with @err set.
 */
int record_policy_parse(struct record_policy *p, const char *text, size_t len, struct tfs_err *err);

/**
 * record_policy_take() - add the options of a command to the request, if the policy knows them
 * @line: the command; NULL: there is none
 * @n_operands: how many words follow the options
 *
 * Return: 0; 1 when it asks for the version; -EPERM for another program or an option that is not
 * for strangers; -EINVAL, -ERANGE or -ENOMEM with @err set.
 */
int record_policy_take(struct record_request *req, const char *line, size_t *n_operands,
		       struct tfs_err *err);

/**
 * record_policy_begin() - read the policy and take the command out of the environment, which is
 *	emptied but for PATH. It needs a --spool
 * @n_operands: of tc-record's own command line, on return of the command
 *
 * Return: as record_policy_take().
 */
int record_policy_begin(struct record_request *req, size_t *n_operands, struct tfs_err *err);

/**
 * record_policy_limit() - refuse what goes beyond the limits, and fill in what was not said; pure
 *
 * Return: 0; -EPERM with @err set.
 */
int record_policy_limit(struct record_request *req, struct tfs_err *err);

/**
 * record_policy_check_events() - refuse events that are not allowed; pure
 * @names: all events, tfs_event_list()
 *
 * After trace_find(), so that it does not matter how they were named.
 * Return: 0; -EPERM or -ENOMEM with @err set.
 */
int record_policy_check_events(const struct record_request *req, const struct tfs_strvec *names,
			       struct tfs_err *err);

/**
 * record_policy_check_filters() - refuse filters that compare a text which is not in the event
 *
 * The kernel follows a field of type char * wherever it points to (trace/events.rst, 5.1), so that
 * a filter would reveal, guess by guess, what is in memory. After record_policy_check_events().
 * Return: 0; -EPERM or -errno with @err set.
 */
int record_policy_check_filters(const struct record_request *req, const struct tfs_root *root,
				const struct tfs_strvec *names, struct tfs_err *err);

#endif
