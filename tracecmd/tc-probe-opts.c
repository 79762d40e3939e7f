/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-probe-opts.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "probe/validate.h"

#define MAX_PROBES 128

static int on_list(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct probe_request *req = request;

	(void)opt;
	(void)err;
	req->list = true;
	req->list_glob = arg;
	return 0;
}

static int on_funcs(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct probe_request *req = request;

	(void)opt;
	(void)err;
	req->funcs = true;
	req->funcs_glob = arg;
	return 0;
}

#define AT(member) .offset = offsetof(struct probe_request, member)

const struct tc_option probe_options[] = {
	{ .type = TC_OPT_GROUP, .help = "Define, list, delete" },
	{ 'a', "add", "PROBE", "define [[GROUP:]EVENT=]POINT [ARG...]; operands do the same",
	  TC_OPT_LIST, TC_OPT_REPEATS, AT(add), .complete = "function" },
	{ 'D', "definition", "PROBE", "print what -a would write to tracefs, change nothing",
	  TC_OPT_LIST, TC_OPT_REPEATS, AT(print), .complete = "function" },
	{ 'd', "del", "[GROUP:]EVENT", "delete the probes that match this glob", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(delete), .complete = "probe" },
	{ 'l', "list", "[GROUP:]EVENT", "list defined probes", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG | TC_OPT_ONCE, .call = on_list, .complete = "probe" },
	{ 0, "plan", "FILE", "write the definitions to FILE, for another machine; define nothing",
	  TC_OPT_STRING, TC_OPT_ONCE, AT(plan), .complete = "file" },
	{ 0, "apply", "FILE", "define the probes of a plan, if the build-ids match", TC_OPT_STRING,
	  TC_OPT_ONCE, AT(apply), .complete = "file" },
	{ .type = TC_OPT_GROUP, .help = "Look before you probe" },
	{ 'F', "funcs", "FILTER", "list functions that can be probed", TC_OPT_CALL,
	  TC_OPT_OPTIONAL_ARG | TC_OPT_ONCE, .call = on_funcs, .complete = "function" },
	{ 0, "filter", "FILTER", "globs for -F; !GLOB excludes (!_*)", TC_OPT_STRING, TC_OPT_ONCE,
	  AT(filter), .complete = "none" },
	{ 'L', "line", "FUNC|FILE[:LINES]",
	  "show source, with numbers before lines that can "
	  "be probed",
	  TC_OPT_STRING, TC_OPT_ONCE, AT(lines), .complete = "function" },
	{ 'V', "vars", "POINT", "list the variables that can be read there", TC_OPT_STRING,
	  TC_OPT_ONCE, AT(vars), .complete = "function" },
	{ 0, "externs", NULL, "-V: include global variables", TC_OPT_FLAG, AT(externs) },
	{ 0, "range", NULL, "-V: where in the function each is alive", TC_OPT_FLAG, AT(range) },
	{ 0, "explain", "POINT", "where the variables named after it live and how to read them",
	  TC_OPT_STRING, TC_OPT_ONCE, AT(explain), .complete = "function" },
	{ .type = TC_OPT_GROUP, .help = "Selecting the target" },
	{ 'x', "exec", "FILE", "program or library: a path, or a name to search for", TC_OPT_STRING,
	  TC_OPT_ONCE, AT(exec), .complete = "file" },
	{ 'k', "vmlinux", "FILE", "kernel image, of this machine or another (running kernel)",
	  TC_OPT_STRING, TC_OPT_ONCE, AT(vmlinux), .complete = "file" },
	{ 'm', "module", "NAME", "kernel module, by name or path", TC_OPT_STRING, TC_OPT_ONCE,
	  AT(module), .complete = "file" },
	{ 0, "target-ns", "PID", "FILE is in the mount namespace of this process", TC_OPT_U64,
	  AT(target_ns), .min = 1, .max = INT_MAX, .complete = "pid" },
	{ 0, "pid", "PID", "like --target-ns; without -x, the program it runs", TC_OPT_U64, AT(pid),
	  .min = 1, .max = INT_MAX, .complete = "pid" },
	{ 0, "symfs", "DIR", "look for files below DIR", TC_OPT_STRING, TC_OPT_ONCE, AT(symfs),
	  .complete = "file" },
	{ 's', "source", "DIR", "look for sources below DIR", TC_OPT_STRING, TC_OPT_ONCE,
	  AT(source), .complete = "file" },
	{ .type = TC_OPT_GROUP, .help = "Controlling definitions" },
	{ 'n', "dry-run", NULL, "print what would be done, as shell commands", TC_OPT_FLAG,
	  AT(dry_run) },
	{ 'f', "force", NULL, "rename events whose name is taken; accept any offset", TC_OPT_FLAG,
	  AT(force) },
	{ 0, "all", NULL, "if several functions have the name, probe all", TC_OPT_FLAG, AT(all) },
	{ 0, "max-probes", "N", "allow at most N locations for one PROBE (128)", TC_OPT_U64,
	  AT(max_probes), .min = 1, .max = 10000000, .complete = "none" },
	{ 0, "fprobe", NULL, "kernel: fprobes instead of kprobes, at entries and returns only",
	  TC_OPT_FLAG, AT(fprobe) },
	{ 0, "maxactive", "N", "kernel: return probes follow at most N calls at a time", TC_OPT_U64,
	  AT(maxactive), .min = 1, .max = TFS_PROBE_MAXACTIVE_MAX, .complete = "none" },
	{ 0, "no-inlines", NULL, "skip inlined copies of functions", TC_OPT_FLAG, AT(no_inlines) },
	{ 'v', "verbose", NULL, "print where debug information came from, and every location",
	  TC_OPT_FLAG, AT(verbose) },
	{ 'q', "quiet", NULL, "print no notices", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

void probe_init(void *request)
{
	struct probe_request *req = request;

	req->max_probes = MAX_PROBES;
}

void probe_release(void *request)
{
	struct probe_request *req = request;

	tfs_strvec_release(&req->add);
	tfs_strvec_release(&req->print);
	tfs_strvec_release(&req->delete);
	tfs_strvec_release(&req->names);
}

/* Operands are one definition, as if they had been quoted. */
static int join(struct probe_request *req, int argc, char **argv, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (int i = 0; i < argc && !rc; i++)
		rc = tfs_strbuf_addf(&sb, "%s%s", i ? " " : "", argv[i]);
	if (!rc)
		rc = tfs_strvec_push(&req->add, sb.s);
	tfs_strbuf_release(&sb);
	return rc ? tfs_err_set(err, rc, "cannot keep the arguments") : 0;
}

/* Read as an argument it would be a definition that nobody meant; "-8(%bp)" is an argument. */
static int check_operands(int argc, char **argv, struct tfs_err *err)
{
	for (int i = 0; i < argc; i++) {
		const char *word = argv[i];

		if (word[0] != '-' || (!isalpha((unsigned char)word[1]) && word[1] != '-'))
			continue;
		tfs_err_say(err, -EINVAL, "'%s': options go before the operands", word);
		if (i)
			tfs_err_hint(err, "put it before '%s'", argv[0]);
		return -EINVAL;
	}
	return 0;
}

/* An option's argument was given already, and an operand is another one. */
static int refuse_operand(const struct probe_request *req, const char *operand, struct tfs_err *err)
{
	static const char *const quote = "quote a probe and its arguments: 'FUNC ARG...'";
	const struct {
		bool is;
		const char *takes, *hint;
	} options[] = {
		{ req->add.n > 0, "-a takes one PROBE", quote },
		{ req->print.n > 0, "-D takes one PROBE", quote },
		{ req->delete.n > 0, "-d takes one EVENT", "it may be given more than once" },
		{ req->list, "-l takes one EVENT", "a glob, in quotes, means several" },
		{ req->funcs, "-F takes one FILTER", "a glob, in quotes, means several" },
		{ req->lines, "-L takes one FUNC or FILE", "quote what has blanks" },
		{ req->vars, "-V takes one POINT", "--explain POINT shows single variables" },
		{ req->apply, "--apply takes one FILE", "plans can be joined with cat" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (!options[i].is)
			continue;
		tfs_err_say(err, -EINVAL, "'%s': %s", operand, options[i].takes);
		tfs_err_hint(err, "%s", options[i].hint);
		return -EINVAL;
	}
	return 0;
}

static int take_operands(struct probe_request *req, int argc, char **argv, struct tfs_err *err)
{
	bool taken;
	int rc = check_operands(argc, argv, err);

	if (rc)
		return rc;
	if (req->explain) {
		for (int i = 0; i < argc; i++) {
			if (tfs_strvec_push(&req->names, argv[i]))
				return tfs_err_set(err, -ENOMEM, "cannot keep the arguments");
		}
		return 0;
	}
	/* as in perf probe, what follows -l and -F is theirs, in a word of its own too */
	taken = argc && ((req->list && !req->list_glob) || (req->funcs && !req->funcs_glob));
	if (taken && req->list)
		req->list_glob = argv[0];
	else if (taken)
		req->funcs_glob = argv[0];
	if (argc == taken)
		return 0;
	rc = refuse_operand(req, argv[taken], err);
	return rc ? rc : join(req, argc, argv, err);
}

/* --plan changes what is done with definitions. */
static int choose_plan(struct probe_request *req, struct tfs_err *err)
{
	if (!req->plan)
		return 0;
	if (req->action != PROBE_ADD && req->action != PROBE_PRINT)
		return tfs_err_say(err, -EINVAL, "--plan is for the PROBEs that -a and -D define");
	if (req->dry_run)
		return tfs_err_say(err, -EINVAL,
				   "--plan defines nothing, so --dry-run has no meaning");
	req->action = PROBE_PLAN;
	return 0;
}

/* The one action. */
static int choose(struct probe_request *req, struct tfs_err *err)
{
	const struct {
		bool is;
		enum probe_action action;
		const char *option;
	} actions[] = {
		{ req->add.n > 0, PROBE_ADD, "-a" },
		{ req->print.n > 0, PROBE_PRINT, "-D" },
		{ req->delete.n > 0, PROBE_DELETE, "-d" },
		{ req->list, PROBE_LIST, "-l" },
		{ req->funcs, PROBE_FUNCS, "-F" },
		{ req->lines, PROBE_LINES, "-L" },
		{ req->vars, PROBE_VARS, "-V" },
		{ req->explain, PROBE_EXPLAIN, "--explain" },
		{ req->apply, PROBE_APPLY, "--apply" },
	};
	const char *option = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (!actions[i].is)
			continue;
		if (option) {
			tfs_err_say(err, -EINVAL, "%s and %s cannot be used together", option,
				    actions[i].option);
			tfs_err_hint(err, "one at a time");
			return -EINVAL;
		}
		option = actions[i].option;
		req->action = actions[i].action;
	}
	if (option)
		return choose_plan(req, err);
	tfs_err_say(err, -EINVAL, "there is nothing to do");
	tfs_err_hint(err, "name a PROBE, or -l, -d, -F, -L or -V; -h lists all options");
	return -EINVAL;
}

/* Probes are listed and deleted by name, whatever they are in. */
static int check_by_name(const struct probe_request *req, struct tfs_err *err)
{
	const char *option = req->action == PROBE_LIST ? "-l" : "-d";

	if (req->action != PROBE_LIST && req->action != PROBE_DELETE)
		return 0;
	if (!req->exec && !req->vmlinux && !req->module && !req->pid && !req->target_ns)
		return 0;
	tfs_err_say(err, -EINVAL, "%s takes no %s: it selects by event name", option,
		    req->exec    ? "-x" :
		    req->vmlinux ? "-k" :
		    req->module  ? "-m" :
		    req->pid     ? "--pid" :
				   "--target-ns");
	tfs_err_hint(err, "%s 'probe_FILE:*' selects all probes of a program", option);
	return -EINVAL;
}

/* "-F xfs.ko" is what "-m xfs.ko -F" is: no function is called so. */
static void take_module(struct probe_request *req)
{
	static const char *const ends[] = { ".ko", ".ko.xz", ".ko.gz", ".ko.zst" };
	const char *glob = req->funcs_glob;

	if (!glob || req->exec || req->module || req->pid || req->target_ns ||
	    strpbrk(glob, "*?!, |&"))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		size_t len = strlen(glob), end = strlen(ends[i]);

		if (len <= end || strcmp(glob + len - end, ends[i]) != 0)
			continue;
		req->module = glob;
		req->funcs_glob = NULL;
		return;
	}
}

/* Checks options for kinds of probes that only the kernel has */
static int check_kind(const struct probe_request *req, struct tfs_err *err)
{
	if (req->fprobe && req->exec)
		return tfs_err_say(err, -EINVAL, "--fprobe is for the kernel, -x for programs");
	if (req->fprobe && req->action != PROBE_ADD && req->action != PROBE_PRINT)
		return tfs_err_say(err, -EINVAL, "--fprobe is for -a and -D");
	if (req->maxactive && (req->exec || req->pid || req->target_ns))
		return tfs_err_say(err, -EINVAL,
				   "--maxactive is for return probes of the kernel; in a program "
				   "the kernel follows each call");
	if (req->maxactive && req->action != PROBE_ADD && req->action != PROBE_PRINT &&
	    req->action != PROBE_PLAN)
		return tfs_err_say(err, -EINVAL, "--maxactive is for -a and -D");
	return 0;
}

static int check_target(const struct probe_request *req, struct tfs_err *err)
{
	if (req->exec && req->vmlinux)
		return tfs_err_say(err, -EINVAL, "-x is for programs, -k for the kernel");
	if (req->exec && req->module)
		return tfs_err_say(err, -EINVAL, "-x is for programs, -m for the kernel's modules");
	if (req->action == PROBE_APPLY && (req->module || req->vmlinux))
		return tfs_err_say(err, -EINVAL,
				   "--apply is for the running kernel: no -k and no -m");
	if (req->target_ns && !req->exec && req->action != PROBE_APPLY)
		return tfs_err_say(err, -EINVAL, "--target-ns is where the FILE of -x is");
	if ((req->target_ns || req->pid) && req->symfs)
		return tfs_err_say(err, -EINVAL,
				   "--target-ns, --pid and --symfs all say where FILE is");
	if (req->target_ns && req->pid)
		return tfs_err_say(err, -EINVAL, "--target-ns and --pid are two processes");
	if (req->pid && (req->module || req->vmlinux))
		return tfs_err_say(err, -EINVAL, "--pid is for programs, not for the kernel");
	return 0;
}

int probe_check(struct probe_request *req, int argc, char **argv, struct tfs_err *err)
{
	int rc = take_operands(req, argc, argv, err);

	if (!rc)
		rc = choose(req, err);
	if (!rc)
		take_module(req);
	if (!rc)
		rc = check_by_name(req, err);
	if (!rc)
		rc = check_kind(req, err);
	if (!rc)
		rc = check_target(req, err);
	if (rc)
		return rc;
	if ((req->externs || req->range) && req->action != PROBE_VARS)
		return tfs_err_say(err, -EINVAL, "--externs and --range are for -V");
	if (req->filter && req->action != PROBE_FUNCS)
		return tfs_err_say(err, -EINVAL, "--filter is for -F");
	if (req->filter && req->funcs_glob)
		return tfs_err_say(err, -EINVAL, "-F has a filter already");
	if (req->dry_run && req->action != PROBE_ADD && req->action != PROBE_DELETE &&
	    req->action != PROBE_APPLY)
		return tfs_err_say(err, -EINVAL, "--dry-run is for -a, -d and --apply");
	if (req->action == PROBE_EXPLAIN && !req->names.n)
		return tfs_err_say(err, -EINVAL,
				   "--explain needs the name of a variable after its "
				   "point");
	return 0;
}
