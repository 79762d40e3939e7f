/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_INSTANCES_H
#define TC_SESSION_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/opt.h"
#include "tracefs/instance.h"

struct tfs_err;
struct tfs_plan;
struct tfs_root;
struct tfs_strbuf;

/** SESSION_NAME - the instance of a session that was started without -B or -t */
#define SESSION_NAME "tc-session"

/**
 * struct session_selector - one -B, -a or -t
 * @name: argument of -B; NULL for -a and -t
 * @top: -t
 * @all: -a
 * @buffer_bytes: the -b that follows it (reset), 0 without
 * @remove: -d follows it (reset)
 */
struct session_selector {
	const char *name;
	bool top, all;
	uint64_t buffer_bytes;
	bool remove;
};

/**
 * struct session_selection - the instances that a verb acts on, as typed
 *
 * The first member of the request of every verb that takes session_instance_options. A zeroed one
 * is empty and stands for the session of the default name.
 */
struct session_selection {
	struct session_selector *v;
	size_t n;
};

/**
 * struct session_instance - one instance to act on, or the top level
 * @ours: a session was started there and not reset yet
 */
struct session_instance {
	struct tfs_instance inst;
	bool ours;
	uint64_t buffer_bytes;
	bool remove;
};

/** struct session_instances - what a struct session_selection resolves to; owns @root and @v */
struct session_instances {
	struct tfs_root *root;
	struct session_instance *v;
	size_t n;
};

enum session_flags {
	SESSION_ALL_WITH_TOP = 1 << 0, /* -a includes the top level, as for trace-cmd clear */
	SESSION_ALLOW_NONE = 1 << 1,   /* no instance is not an error */
	SESSION_DEFAULT_ALL = 1 << 2,  /* without -B, -a and -t: every session there is */
	SESSION_HALF_RESET = 1 << 3,   /* also sessions whose instance a killed reset removed */
};

/** session_instance_options - -B, -a and -t, for the option table of a verb */
extern const struct tc_option session_instance_options[];

/** session_last_selector() - the selector typed last, for options that belong to it; NULL: none */
struct session_selector *session_last_selector(struct session_selection *sel);

/** session_selection_release() - free what it owns; also the release() of verbs that own no more */
void session_selection_release(void *selection);

/**
 * session_open() - open tracefs and find the selected instances; operands are refused
 * @argc: number of operands of the verb
 * @instances: zeroed; release it with session_close(), also after a failure
 *
 * Return: an exit status, with @err set unless it is TC_EXIT_OK.
 */
int session_open(const struct session_selection *sel, unsigned int flags, int argc, char **argv,
		 struct session_instances *instances, struct tfs_err *err);
void session_close(struct session_instances *instances);

/**
 * session_claim() - claim the ring buffers of all, to read them (see tracefs/claim.h)
 * @claims: tfs_plan_free() ends it, also after a failure
 *
 * Return: 0; -EBUSY when another program reads one; -errno.
 */
int session_claim(const struct session_instances *instances, struct tfs_plan **claims,
		  struct tfs_err *err);

/** session_title() - "session 'x'", "instance 'x'", "the top level"; 0 or -ENOMEM */
int session_title(const struct session_instance *p, struct tfs_strbuf *sb);
/** session_option() - "", " -t" or " -B NAME": the option that selects the instance */
void session_option(const struct tfs_instance *inst, char *buf, size_t size);
/** session_has_markers() - was it started with copies of markers (see tracefs/tracing-on.h)? */
bool session_has_markers(const struct session_instance *p);
/** session_write() - write @text to a control file of the instance; 0 or -errno */
int session_write(const struct session_instances *instances, const struct session_instance *p,
		  const char *file, const char *text, struct tfs_err *err);
/** session_write_path() - the same for a path below the root of tracefs */
int session_write_path(const struct session_instances *instances, const char *path,
		       const char *text, struct tfs_err *err);

#endif
