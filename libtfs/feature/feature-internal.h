/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FEATURE_FEATURE_INTERNAL_H
#define TFS_FEATURE_FEATURE_INTERNAL_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "feature/feature.h"
#include "tracefs/instance.h"

struct tfs_plan;

/** TFS_TRIAL_UNTRIED - what a trial returns that could not be made without harm; @err says why */
#define TFS_TRIAL_UNTRIED 1

/**
 * struct tfs_feature_lab - see tfs_feature_lab_new()
 * @inst: its instance; made once @plan is set, with @inst_rc and @inst_err what came of it
 * @config: of the kernel, "" if it cannot be read
 */
struct tfs_feature_lab {
	const struct tfs_root *root;
	struct tfs_err no_root;
	struct tfs_journal *journal;
	struct tfs_instance inst;
	struct tfs_plan *plan;
	int inst_rc;
	struct tfs_err inst_err;
	struct tfs_strbuf config;
};

/**
 * struct tfs_trial - how a feature is tried
 * @run: does it. Return: 0 if it works, TFS_TRIAL_UNTRIED, negative errno with @err set
 * @file: control file, of the instance or the top level as @run has it
 * @text: what is written; '@' stands for this process's number
 * @undo: written after it by appending; NULL for nothing
 * @hit: makes what is traced happen
 * @shows: what is in the trace then
 * @no_tracefs: does not need it
 */
struct tfs_trial {
	struct tfs_feature feature;
	int (*run)(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
	const char *file, *text, *undo;
	void (*hit)(void);
	const char *shows;
	bool no_tracefs;
};

/** tfs_trials - all of them; @n rows */
extern const struct tfs_trial tfs_trials[];
extern const size_t tfs_trials_n;

/** tfs_lab_instance() - see that the instance is there; 0 or why not */
int tfs_lab_instance(struct tfs_feature_lab *lab, struct tfs_err *err);
/** tfs_lab_plan() - a plan that the journal has; free it with tfs_plan_free() */
int tfs_lab_plan(struct tfs_feature_lab *lab, struct tfs_plan **out, struct tfs_err *err);

/* What to run for one kind of trial; see struct tfs_trial. */

/** tfs_try_read() - the file of the top level can be read, and something is in it */
int tfs_try_read(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
/** tfs_try_rewrite() - a file takes the value that it has; an absolute path is that of another */
int tfs_try_rewrite(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
/** tfs_try_write() - a file of the instance takes the text */
int tfs_try_write(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
/** tfs_try_append() - the same, by appending */
int tfs_try_append(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
/** tfs_try_define() - the top level's file takes a definition, which @undo takes away */
int tfs_try_define(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
/** tfs_try_probe() - the same, with an event that is recorded when @hit is called */
int tfs_try_probe(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
/** tfs_try_event() - the event whose enable file it is is recorded when @hit is called */
int tfs_try_event(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
/** tfs_try_tracer() - the instance takes the tracer */
int tfs_try_tracer(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
/** tfs_try_top() - the top level takes the text, if nobody uses it */
int tfs_try_top(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);

/* Trials of one feature each */
int tfs_try_tracefs(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_instances(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_uprobe(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_error_log(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_marker(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_raw_read(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_raw_splice(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_raw_mmap(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_kallsyms(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_btf(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_debuginfod(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_zstd(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);
int tfs_try_plugins(struct tfs_feature_lab *lab, const struct tfs_trial *t, struct tfs_err *err);

/* What is traced */
void tfs_hit_switch(void);
void tfs_hit_getppid(void);
void tfs_hit_read(void);

#endif
