/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/func-filter.h"

#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/suggest.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

#define LIST "available_filter_functions"

void tfs_func_filter_release(struct tfs_func_filter *f)
{
	tfs_strvec_release(&f->only);
	tfs_strvec_release(&f->except);
	tfs_strvec_release(&f->graph);
	f->module = NULL;
}

/* As trace-cmd distinguishes them from globs. */
static bool is_regex(const char *text)
{
	size_t len = strlen(text);

	return text[0] == '^' || (len && text[len - 1] == '$');
}

static bool is_plain(const char *text)
{
	return !is_regex(text) && !strpbrk(text, "*?[:");
}

/* "name" or "name [module]", a line each: the names of all, or of @module. */
static int read_functions(const char *text, const char *module, struct tfs_strvec *out)
{
	int rc = 0;

	for (size_t len; *text && !rc; text += len + (text[len] == '\n')) {
		size_t name;

		len = strcspn(text, "\n");
		name = strcspn(text, " \t\n");
		if (module) {
			const char *open = memchr(text, '[', len);
			size_t mod = strlen(module);

			if (!open || strncmp(open + 1, module, mod) != 0 || open[mod + 1] != ']')
				continue;
		}
		if (name)
			rc = tfs_strvec_pushn(out, text, name);
	}
	return rc;
}

static int expand(const char *text, const struct tfs_strvec *names, struct tfs_strvec *out,
		  struct tfs_err *err)
{
	size_t before = out->n;
	regex_t re;
	char why[128];
	int rc;

	rc = regcomp(&re, text, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &re, why, sizeof(why));
		tfs_err_say(err, -EINVAL, "'%s' is not a regular expression: %s", text, why);
		tfs_err_hint(err, "a name with a ^ before it or a $ after it is one");
		return -EINVAL;
	}
	for (size_t i = 0; i < names->n && !rc; i++) {
		if (!regexec(&re, names->v[i], 0, NULL, 0))
			rc = tfs_strvec_push(out, names->v[i]);
	}
	regfree(&re);
	if (!rc && out->n == before)
		rc = tfs_err_say(err, -ENOENT, "no function that can be traced matches '%s'", text);
	return rc;
}

static int no_function(const char *text, const struct tfs_strvec *names, const char *module,
		       struct tfs_err *err)
{
	tfs_err_say(err, -ENOENT, "there is no function '%s' that can be traced%s%s", text,
		    module ? " in module " : "", module ? module : "");
	tfs_suggest_hint(err, text, names,
			 LIST
			 " in tracefs lists those that can be traced; what the compiler put into "
			 "its callers cannot");
	return -ENOENT;
}

static int resolve(struct tfs_strvec *list, const struct tfs_strvec *names, const char *module,
		   struct tfs_err *err)
{
	struct tfs_strvec out = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < list->n && !rc; i++) {
		if (is_regex(list->v[i]))
			rc = expand(list->v[i], names, &out, err);
		else if (is_plain(list->v[i]) && !tfs_strvec_has(names, list->v[i]))
			rc = no_function(list->v[i], names, module, err);
		else
			rc = tfs_strvec_push(&out, list->v[i]);
	}
	if (rc) {
		tfs_strvec_release(&out);
		return rc;
	}
	tfs_strvec_release(list);
	*list = out;
	return 0;
}

static bool some(const struct tfs_strvec *list, bool (*is)(const char *text))
{
	for (size_t i = 0; i < list->n; i++) {
		if (is(list->v[i]))
			return true;
	}
	return false;
}

static bool some_of(const struct tfs_func_filter *f, bool (*is)(const char *text))
{
	return some(&f->only, is) || some(&f->except, is) || some(&f->graph, is);
}

int tfs_func_filter_resolve(struct tfs_func_filter *f, const struct tfs_root *root,
			    struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT, graph = TFS_STRVEC_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	bool need = some_of(f, is_regex);
	int rc;

	if (!need && !some_of(f, is_plain))
		return 0;
	rc = tfs_file_read(root, LIST, &text, need ? err : NULL);
	if (rc) {
		if (need)
			tfs_err_prefix(err, "cannot look for the functions of an expression");
		rc = need ? rc : 0;
		goto out;
	}
	rc = read_functions(text.s, f->module, &names);
	if (!rc)
		rc = resolve(&f->only, &names, f->module, err);
	if (!rc)
		rc = resolve(&f->except, &names, f->module, err);
	if (!rc && f->graph.n)
		rc = read_functions(text.s, NULL, &graph);
	if (!rc)
		rc = resolve(&f->graph, &graph, NULL, err);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot list the functions");
out:
	tfs_strvec_release(&names);
	tfs_strvec_release(&graph);
	tfs_strbuf_release(&text);
	return rc;
}

/* The kernel takes one name at each write: the first empties the list. */
static int plan_name(const struct tfs_instance *inst, const char *file, const char *name,
		     bool first, struct tfs_plan *plan)
{
	struct tfs_strbuf says = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&says, "cannot select the function '%s'", name);

	if (!rc && first)
		rc = tfs_instance_write(inst, file, name, NULL, plan);
	else if (!rc)
		rc = tfs_instance_append(inst, file, name, NULL, plan);
	if (!rc)
		rc = tfs_plan_says(plan, says.s, name);
	tfs_strbuf_release(&says);
	return rc;
}

static int plan_list(const struct tfs_strvec *list, const struct tfs_instance *inst,
		     const char *file, const char *module, struct tfs_plan *plan)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < list->n && !rc; i++) {
		tfs_strbuf_reset(&name);
		rc = tfs_strbuf_adds(&name, list->v[i]);
		if (!rc && module)
			rc = tfs_strbuf_addf(&name, ":mod:%s", module);
		if (!rc)
			rc = plan_name(inst, file, name.s, !i, plan);
	}
	tfs_strbuf_release(&name);
	return rc;
}

int tfs_func_filter_plan(const struct tfs_func_filter *f, const struct tfs_instance *inst,
			 struct tfs_plan *plan)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	struct tfs_instance top;
	int rc = 0;

	if (f->module && !f->only.n && !f->except.n) {
		rc = tfs_strbuf_addf(&name, ":mod:%s", f->module);
		if (!rc)
			rc = plan_name(inst, "set_ftrace_filter", name.s, true, plan);
	}
	if (!rc)
		rc = plan_list(&f->only, inst, "set_ftrace_filter", f->module, plan);
	if (!rc)
		rc = plan_list(&f->except, inst, "set_ftrace_notrace", f->module, plan);
	tfs_instance_top(&top);
	if (!rc)
		rc = plan_list(&f->graph, &top, "set_graph_function", NULL, plan);
	tfs_strbuf_release(&name);
	return rc;
}

int tfs_func_graph_depth_plan(uint64_t depth, struct tfs_plan *plan)
{
	struct tfs_instance top;

	tfs_instance_top(&top);
	return tfs_instance_write_number(&top, "max_graph_depth", depth,
					 "cannot limit the depth of the graph", plan);
}
