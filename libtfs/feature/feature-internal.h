/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FEATURE_FEATURE_INTERNAL_H
#define TFS_FEATURE_FEATURE_INTERNAL_H

#include <stdbool.h>

#include "base/strbuf-core.h"
#include "feature/feature.h"
#include "tracefs/instance.h"

struct tfs_plan;

/** TFS_FEATURE_UNTRIED - what a probe returns that could not be made without harm; @err says why */
#define TFS_FEATURE_UNTRIED 1

/**
 * struct tfs_sandbox - see tfs_sandbox_new()
 * @inst: its instance; made once @plan is set, with @inst_rc and @inst_err what came of it
 * @config: of the kernel, "" if it cannot be read
 */
struct tfs_sandbox {
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
 * struct tfs_feature_probe - how a feature is tried
 * @run: does it. Return: 0 if it works, TFS_FEATURE_UNTRIED, negative errno with @err set
 * @file: control file, of the instance or the top level as @run has it
 * @text: what is written; '@' stands for this process's number
 * @undo: written after it by appending; NULL for nothing
 * @trigger: makes what is traced happen
 * @shows: what is in the trace then
 * @no_tracefs: it is tried even if there is no tracefs
 * @is_tracefs: it is tracefs itself: without it, it fails; others are untried
 */
struct tfs_feature_probe {
	struct tfs_feature feature;
	int (*run)(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		   struct tfs_err *err);
	const char *file, *text, *undo;
	void (*trigger)(void);
	const char *shows;
	bool no_tracefs, is_tracefs;
};

/** tfs_feature_probes - all of them; @n rows */
extern const struct tfs_feature_probe tfs_feature_probes[];
extern const size_t tfs_feature_probes_n;

/** tfs_sandbox_instance() - see that the instance is there; 0 or why not */
int tfs_sandbox_instance(struct tfs_sandbox *sandbox, struct tfs_err *err);
/** tfs_sandbox_plan() - a plan that the journal has; free it with tfs_plan_free() */
int tfs_sandbox_plan(struct tfs_sandbox *sandbox, struct tfs_plan **out, struct tfs_err *err);

/* Functions for one kind of probe; see struct tfs_feature_probe. */

/** tfs_try_read() - the file of the top level can be read, and something is in it */
int tfs_try_read(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		 struct tfs_err *err);
/** tfs_try_rewrite() - a file takes the value that it has; an absolute path is that of another */
int tfs_try_rewrite(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		    struct tfs_err *err);
/** tfs_try_write() - a file of the instance takes the text */
int tfs_try_write(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		  struct tfs_err *err);
/** tfs_try_append() - the same, by appending */
int tfs_try_append(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		   struct tfs_err *err);
/** tfs_try_define() - the top level's file takes a definition, which @undo takes away */
int tfs_try_define(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		   struct tfs_err *err);
/** tfs_try_probe() - the same, with an event that is recorded when @trigger is called */
int tfs_try_probe(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		  struct tfs_err *err);
/** tfs_try_event() - the event whose enable file it is is recorded when @trigger is called */
int tfs_try_event(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		  struct tfs_err *err);
/** tfs_try_tracer() - the instance takes the tracer */
int tfs_try_tracer(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		   struct tfs_err *err);
/** tfs_try_top() - the top level takes the text, if nobody uses it */
int tfs_try_top(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		struct tfs_err *err);

/* Probes of one feature each */
int tfs_try_instances(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		      struct tfs_err *err);
int tfs_try_uprobe(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		   struct tfs_err *err);
int tfs_try_getname(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		    struct tfs_err *err);
int tfs_try_syscall_strings(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
			    struct tfs_err *err);
int tfs_try_error_log(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		      struct tfs_err *err);
int tfs_try_marker(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		   struct tfs_err *err);
int tfs_try_raw_read(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		     struct tfs_err *err);
int tfs_try_raw_splice(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		       struct tfs_err *err);
int tfs_try_raw_mmap(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		     struct tfs_err *err);
int tfs_try_kallsyms(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		     struct tfs_err *err);
int tfs_try_btf(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		struct tfs_err *err);
int tfs_try_debuginfod(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		       struct tfs_err *err);
int tfs_try_zstd(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		 struct tfs_err *err);
int tfs_try_plugins(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		    struct tfs_err *err);

/* Code that is traced */
void tfs_trigger_switch(void);
void tfs_trigger_getppid(void);
void tfs_trigger_read(void);

#endif
