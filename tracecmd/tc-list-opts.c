/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-list-opts.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/err.h"

/* The lists that take patterns. */
static int add_glob(struct tfs_strvec *globs, bool *list, const char *arg, struct tfs_err *err)
{
	*list = true;
	if (arg && tfs_strvec_push(globs, arg))
		return tfs_err_set(err, -ENOMEM, "cannot keep the arguments");
	return 0;
}

static int on_events(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct list_request *req = request;

	(void)opt;
	return add_glob(&req->event_globs, &req->events, arg, err);
}

static int on_funcs(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct list_request *req = request;

	(void)opt;
	return add_glob(&req->func_globs, &req->funcs, arg, err);
}

static int on_probes(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct list_request *req = request;

	(void)opt;
	return add_glob(&req->probe_globs, &req->probes, arg, err);
}

static int on_features(void *request, const struct tc_option *opt, const char *arg,
		       struct tfs_err *err)
{
	struct list_request *req = request;

	(void)opt;
	(void)err;
	req->features = true;
	req->features_of = arg;
	return 0;
}

#define AT(member) .offset = offsetof(struct list_request, member)

const struct tc_option list_options[] = {
	{ .type = TC_OPT_GROUP, .help = "Events" },
	{ 'e', "events", "GLOB", "events; also as the operands", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG | TC_OPT_REPEATS, .call = on_events, .complete = "event" },
	{ 's', "systems", NULL, "systems of events; with --full, how many each has", TC_OPT_FLAG,
	  AT(systems) },
	{ 'F', "fields", NULL, "-e: the fields and types of each event", TC_OPT_FLAG, AT(fields) },
	{ 0, "full", NULL, "-F: the print format as well", TC_OPT_FLAG, AT(full) },
	{ 'l', "filters", NULL,
	  "-e: the filter of each event; without GLOB, only events that have one", TC_OPT_FLAG,
	  AT(filters) },
	{ 'R', "triggers", NULL, "-e: the triggers of each event; without GLOB, as -l", TC_OPT_FLAG,
	  AT(triggers) },
	{ 0, "probes", "[GROUP:]EVENT", "probes and synthetic events, whoever defined them",
	  TC_OPT_CALL, TC_OPT_OPTIONAL_ARG | TC_OPT_REPEATS, .call = on_probes,
	  .complete = "probe" },
	{ .type = TC_OPT_GROUP, .help = "Functions and tracers" },
	{ 'f', "functions", "GLOB", "functions that can be traced", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG | TC_OPT_REPEATS, .call = on_funcs, .complete = "none" },
	{ 0, "proto", NULL, "-f: with parameters and their types", TC_OPT_FLAG, AT(proto) },
	{ 't', "tracers", NULL, "tracers", TC_OPT_FLAG, AT(tracers) },
	{ 'p', NULL, NULL, "the same, as in older trace-cmd", TC_OPT_FLAG, AT(tracers) },
	{ .type = TC_OPT_GROUP, .help = "Settings and files" },
	{ 'C', "clocks", NULL, "clocks; the one in brackets is in use", TC_OPT_FLAG, AT(clocks) },
	{ 'o', "options", NULL, "trace options with their values", TC_OPT_FLAG, AT(options) },
	{ 'B', "instances", NULL, "tracing instances", TC_OPT_FLAG, AT(instances) },
	{ 'P', "plugins", NULL, "plugins that print events", TC_OPT_FLAG, AT(plugins) },
	{ 'O', "plugin-options", NULL, "options of plugins, for tc-report -O", TC_OPT_FLAG,
	  AT(plugin_options) },
	{ 'c', "compression", NULL, "compression algorithms of recordings", TC_OPT_FLAG,
	  AT(compression) },
	{ .type = TC_OPT_GROUP, .help = "Features" },
	{ 0, "features", "NAME,...",
	  "test what tracecraft can use; for what does not work, why and the alternative",
	  TC_OPT_CALL, TC_OPT_OPTIONAL_ARG | TC_OPT_ONCE, .call = on_features,
	  .complete = "feature" },
	{ .type = TC_OPT_GROUP, .help = "Output" },
	{ 0, "json", NULL, "print JSON, for other programs", TC_OPT_FLAG, AT(json) },
	{ 'q', "quiet", NULL, "print no notices", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END_ANY_ORDER,
};

void list_release(void *request)
{
	struct list_request *req = request;

	tfs_strvec_release(&req->event_globs);
	tfs_strvec_release(&req->func_globs);
	tfs_strvec_release(&req->probe_globs);
}

/* "-e sched -F": as for trace-cmd, a word of its own is the option's all the same. */
static int take_operands(struct list_request *req, int argc, char **argv, struct tfs_err *err)
{
	struct tfs_strvec *globs = &req->event_globs;

	if (!argc)
		return 0;
	if (req->events + req->funcs + req->probes > 1) {
		tfs_err_say(err, -EINVAL, "'%s' could be for more than one of -e, -f and --probes",
			    argv[0]);
		tfs_err_hint(err, "attach it to its option: -e'%s', --functions='%s'", argv[0],
			     argv[0]);
		return -EINVAL;
	}
	if (req->funcs) {
		globs = &req->func_globs;
	} else if (req->probes) {
		globs = &req->probe_globs;
	} else if (req->any && !req->events) {
		tfs_err_say(err, -EINVAL,
			    "'%s': only events, functions and probes are listed by name", argv[0]);
		tfs_err_hint(err, "search the list: tc-list OPTION | grep '%s'", argv[0]);
		return -EINVAL;
	} else {
		req->events = true;
	}
	for (int i = 0; i < argc; i++) {
		if (tfs_strvec_push(globs, argv[i]))
			return tfs_err_set(err, -ENOMEM, "cannot keep the arguments");
	}
	return 0;
}

static bool any_list(const struct list_request *req)
{
	return req->events || req->systems || req->tracers || req->funcs || req->clocks ||
	       req->options || req->plugins || req->plugin_options || req->instances ||
	       req->compression || req->probes || req->features;
}

int list_check(struct list_request *req, int argc, char **argv, struct tfs_err *err)
{
	int rc;

	/* what is about events asks for them */
	if (req->fields || req->filters || req->triggers)
		req->events = true;
	if (req->proto)
		req->funcs = true;
	req->any = any_list(req);
	rc = take_operands(req, argc, argv, err);
	if (rc)
		return rc;
	req->any = any_list(req);
	if (req->full && !req->fields && !req->systems)
		return tfs_err_say(err, -EINVAL, "--full needs -F or -s");
	return 0;
}
