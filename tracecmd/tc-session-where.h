/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_WHERE_H
#define TC_SESSION_WHERE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/opt.h"
#include "tracefs/instance.h"

struct tfs_err;
struct tfs_root;
struct tfs_strbuf;

/** SESSION_NAME - the instance of a session whose user names none */
#define SESSION_NAME "tc-session"

/**
 * struct session_choice - a -B, -a or -t
 * @name: of -B; NULL for the others
 * @top: -t
 * @all: -a
 * @buffer_bytes: reset's -b behind it, 0 without
 * @remove: reset's -d behind it
 */
struct session_choice {
	const char *name;
	bool top, all;
	uint64_t buffer_bytes;
	bool remove;
};

/**
 * struct session_where - the buffers that a verb is to act on, as typed
 *
 * The first member of the request of every verb that takes session_where_options. A zeroed one is
 * empty: the session of the default name.
 */
struct session_where {
	struct session_choice *v;
	size_t n;
};

/**
 * struct session_place - one buffer to act on
 * @ours: a session was started there that was not reset yet
 */
struct session_place {
	struct tfs_instance inst;
	bool ours;
	uint64_t buffer_bytes;
	bool remove;
};

/** struct session_places - what a struct session_where comes to; @root and @v are owned */
struct session_places {
	struct tfs_root *root;
	struct session_place *v;
	size_t n;
};

enum session_flags {
	SESSION_ALL_HAS_TOP = 1 << 0, /* -a is the top level, too, as for trace-cmd clear */
	SESSION_MAY_BE_NONE = 1 << 1, /* no place is no failure */
	SESSION_ALL_OF_OURS = 1 << 2, /* without -B, -a and -t: every session there is */
	SESSION_HALF_RESET = 1 << 3,  /* also those whose instance is gone but not all else */
};

/** session_where_options - -B, -a and -t, for the option table of a verb */
extern const struct tc_option session_where_options[];

/** session_last() - the choice typed last, for options that belong to it; NULL: none was typed */
struct session_choice *session_last(struct session_where *w);

/** session_where_release() - free what it owns (also as release() of a verb that has no more) */
void session_where_release(void *where);

/**
 * session_begin() - open tracefs and find the buffers; operands are refused
 * @argc: operands of the verb
 * @places: zeroed; session_end() releases it, also after a failure
 * Return: an exit status, with @err set unless it is TC_EXIT_OK.
 */
int session_begin(const struct session_where *w, unsigned int flags, int argc, char **argv,
		  struct session_places *places, struct tfs_err *err);
void session_end(struct session_places *places);

/** session_title() - "session 'x'", "instance 'x'", "the top level"; 0 or -ENOMEM */
int session_title(const struct session_place *p, struct tfs_strbuf *sb);
/** session_option() - "" or " -t" or " -B NAME": what chooses the instance, after a verb */
void session_option(const struct tfs_instance *inst, char *buf, size_t size);
/** session_write() - write @text to a control file of the buffer; 0 or -errno */
int session_write(const struct session_places *places, const struct session_place *p,
		  const char *file, const char *text, struct tfs_err *err);
/** session_write_path() - the same to a path below the root of tracefs */
int session_write_path(const struct session_places *places, const char *path, const char *text,
		       struct tfs_err *err);

#endif
