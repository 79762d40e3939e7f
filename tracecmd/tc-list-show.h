/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_LIST_SHOW_H
#define TC_LIST_SHOW_H

#include <stddef.h>

#include "base/json.h"

struct list_request;
struct tfs_err;
struct tfs_root;
struct tfs_strbuf;
struct tfs_strvec;

/**
 * struct list_show - state shared by all lists
 * @req: borrowed
 * @root: NULL until list_root() opens it
 * @json: of --json; unused otherwise
 * @refused_printed: the directories whose plugins are refused were printed
 * @missing: number of requested features that do not work
 */
struct list_show {
	const struct list_request *req;
	struct tfs_root *root;
	struct tfs_json json;
	size_t missing;
	bool refused_printed;
};

/** list_root() - tracefs, opened by the first list that needs it */
int list_root(struct list_show *show, const struct tfs_root **root, struct tfs_err *err);

/** list_read() - append a control file's text to @sb */
int list_read(struct list_show *show, const char *path, struct tfs_strbuf *sb, struct tfs_err *err);

/**
 * list_no_match() - set @err: nothing matches @text; the hint suggests similar ones of @names
 * @what: "event"
 */
int list_no_match(const char *what, const char *text, const struct tfs_strvec *names,
		  const char *otherwise, struct tfs_err *err);

/*
 * One list each: text to stdout, or with --json a member of the object that is open. Return: 0 or
 * negative errno with @err set.
 */
int list_events(struct list_show *show, struct tfs_err *err);
int list_systems(struct list_show *show, struct tfs_err *err);
int list_funcs(struct list_show *show, struct tfs_err *err);
int list_tracers(struct list_show *show, struct tfs_err *err);
int list_clocks(struct list_show *show, struct tfs_err *err);
int list_trace_options(struct list_show *show, struct tfs_err *err);
int list_instances(struct list_show *show, struct tfs_err *err);
int list_probes(struct list_show *show, struct tfs_err *err);
int list_plugins(struct list_show *show, struct tfs_err *err);
int list_plugin_options(struct list_show *show, struct tfs_err *err);
int list_compression(struct list_show *show, struct tfs_err *err);

int list_features(struct list_show *show, struct tfs_err *err);
/** list_check_features() - are all of these (with commas between) features? 0 or -EINVAL */
int list_check_features(const char *names, struct tfs_err *err);

/** list_overview() - print how many there are of each, and the commands that list them */
int list_overview(struct list_show *show, struct tfs_err *err);

#endif
