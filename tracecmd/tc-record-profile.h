/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_PROFILE_H
#define TC_RECORD_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "record/session.h"

struct record_request;
struct tfs_err;
struct tfs_instance;
struct tfs_root;
struct tfs_sampler;
struct tfs_strvec;

/*
 * --profile-cpu: two buffers of their own beside the recording's others. One has the samples, with
 * kernel and user stacks; that takes options of the whole buffer, so nothing else is recorded into
 * it. The other one has the run time of the tasks, without stacks.
 */

/**
 * struct record_profile_opts - --profile-cpu
 * @on: it was given
 * @tick: sample at the ticks of the scheduler: asked for, or the kernel allows nothing better
 * @hz: samples a second of each CPU; 0: the default
 * @samples: index of the buffer with samples; set by record_profile_request()
 * @runtime: index of the buffer with run times
 */
struct record_profile_opts {
	bool on, tick;
	uint64_t hz;
	size_t samples, runtime;
};

/** record_profile_parse() - the argument of --profile-cpu, NULL for none; 0 or -EINVAL, -ERANGE */
int record_profile_parse(const char *arg, struct record_profile_opts *opts, struct tfs_err *err);

/**
 * record_profile_request() - add the buffers and events that a profile needs; pure
 *
 * After the options were parsed, before trace_check(). The tasks and CPUs are those of the main
 * buffer. With a COMMAND and none of these, only COMMAND and what it starts is profiled.
 * Return: 0; -EINVAL if a -B has the name of one of the buffers; -ENOMEM.
 */
int record_profile_request(struct record_request *req, struct tfs_err *err);

/**
 * record_profile_place() - choose the instances, and the events that this kernel has
 * @main: that of the main buffer
 * @notices: lines for the user about what this kernel cannot do
 *
 * Before trace_find(). Return: 0; -ENOENT if the kernel has no event to sample with; -ENOMEM.
 */
int record_profile_place(struct record_request *req, const struct tfs_instance *main,
			 const struct tfs_root *root, struct tfs_strvec *notices,
			 struct tfs_err *err);

/**
 * struct record_profile - a profile that is being recorded; zeroed, there is none
 * @sampler: its threads; NULL: the tick
 * @filter: of the samples
 * @payload: content of the file's option
 */
struct record_profile {
	struct tfs_sampler *sampler;
	struct tfs_strbuf filter;
	struct tfs_strbuf payload;
};

/**
 * record_profile_begin() - start the threads that sample, which wait, and make the filter
 *
 * Does nothing without --profile-cpu. After trace_find_tasks(), before trace_plan(); @p lives as
 * long as @req is used.
 * Return: 0 or -errno with @err set.
 */
int record_profile_begin(struct record_profile *p, struct record_request *req, struct tfs_err *err);
/** record_profile_dry_run() - the filter, for a plan that is only shown; 0 or -ENOMEM */
int record_profile_dry_run(struct record_profile *p, struct record_request *req);
/** record_profile_option() - the option of the file; its size is 0 without a profile */
struct tfs_session_option record_profile_option(const struct record_profile *p);
/** record_profile_own() - add the threads that sample, to exclude them from other buffers */
int record_profile_own(const struct record_profile *p, struct tfs_strvec *own);
/**
 * record_profile_start() - sample, once tracing is on
 * @notices: lines for the user about what is not sampled
 */
void record_profile_start(struct record_profile *p, struct tfs_strvec *notices);
/** record_profile_follow() - sample CPUs that came online; about once a second */
void record_profile_follow(const struct record_profile *p);
/** record_profile_show() - end the threads, and append what they cost, and what they do not see */
int record_profile_show(const struct record_profile *p, const struct record_request *req,
			struct tfs_strbuf *sb);
void record_profile_release(struct record_profile *p);

#endif
