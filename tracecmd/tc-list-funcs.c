/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/pattern.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "btf/btf-name.h"
#include "btf/btf-running.h"
#include "btf/btf.h"
#include "cli/msg.h"
#include "cli/print.h"
#include "dso/kallsyms.h"
#include "dso/symbol.h"
#include "tc-list-opts.h"
#include "tc-list-show.h"

#define PROGRAM "tc-list"
#define FILTER_FUNCTIONS "available_filter_functions"

/*
 * struct prototypes - the kernel's type information and that of one module
 * @kernel: NULL if there is none
 * @module: of @module_name; modules' functions stand together
 */
struct prototypes {
	struct tfs_btf *kernel, *module;
	char module_name[64];
};

static void prototypes_release(struct prototypes *p)
{
	tfs_btf_free(p->module);
	tfs_btf_free(p->kernel);
}

static const struct tfs_btf *btf_of(struct prototypes *p, const char *module)
{
	if (!module || !p->kernel)
		return p->kernel;
	if (strcmp(p->module_name, module) != 0) {
		snprintf(p->module_name, sizeof(p->module_name), "%s", module);
		tfs_btf_free(p->module);
		p->module = NULL;
		if (tfs_btf_running(module, p->kernel, &p->module, NULL))
			p->module = NULL;
	}
	return p->module;
}

/* struct func - one that is listed; strings are borrowed */
struct func {
	const char *name, *module;
};

/* "name" or "name [module]"; the line is cut */
static bool parse_filter_line(char *line, struct func *f)
{
	char *blank = strchr(line, ' '), *open = strchr(line, '[');

	*f = (struct func){ .name = line };
	if (blank)
		*blank = '\0';
	if (blank && open > blank) {
		open[strcspn(open, "]")] = '\0';
		f->module = open + 1;
	}
	return *line;
}

/* A function's symbol, but not that of padding before a function, or of a part of one */
static bool parse_symbol_line(char *line, struct func *f)
{
	struct tfs_symbol sym = { 0 };

	if (tfs_kallsyms_line(line, &sym) || sym.type != TFS_SYMBOL_FUNC)
		return false;
	*f = (struct func){ .name = sym.name, .module = sym.module };
	return strncmp(sym.name, "__pfx_", 6) != 0 && strncmp(sym.name, "__cfi_", 6) != 0 &&
	       !strstr(sym.name, ".cold");
}

static int show_func(struct list_show *show, const struct func *f, struct prototypes *protos,
		     struct tfs_err *err)
{
	struct tfs_strbuf proto = TFS_STRBUF_INIT;
	const struct tfs_btf *btf = show->req->proto ? btf_of(protos, f->module) : NULL;
	int rc = btf ? tfs_btf_prototype(btf, f->name, &proto) : -ENOENT;

	if (rc && rc != -ENOENT) {
		tfs_err_set(err, rc, "cannot print the prototype of '%s'", f->name);
	} else if (show->req->json) {
		tfs_json_open(&show->json, NULL, '{');
		tfs_json_text(&show->json, "name", f->name);
		tfs_json_text(&show->json, "module", f->module);
		if (show->req->proto)
			tfs_json_text(&show->json, "proto", rc ? NULL : proto.s);
		tfs_json_close(&show->json, '}');
	} else {
		tc_print("%s%s%s%s\n", rc ? f->name : proto.s, f->module ? " [" : "",
			 f->module ? f->module : "", f->module ? "]" : "");
	}
	tfs_strbuf_release(&proto);
	return rc == -ENOENT ? 0 : rc;
}

/*
 * The functions that ftrace's filters take; if the kernel does not list them, its function symbols,
 * with a notice, since probes can be put on most of them.
 */
static int read_functions(struct list_show *show, struct tfs_strbuf *text,
			  bool (**parse)(char *line, struct func *f), struct tfs_err *err)
{
	struct tfs_err why = TFS_ERR_INIT;
	int rc;

	*parse = parse_filter_line;
	if (!list_read(show, FILTER_FUNCTIONS, text, &why))
		return 0;
	*parse = parse_symbol_line;
	tfs_strbuf_reset(text);
	rc = tfs_read_path(TFS_KALLSYMS, text);
	if (rc) {
		if (err)
			*err = why;
		return rc;
	}
	if (!show->req->quiet)
		tc_msg_notice(
			PROGRAM,
			"%s; the kernel's function symbols are listed instead, not all of which "
			"can be traced",
			why.msg);
	return 0;
}

static bool matches(const struct tfs_pattern *patterns, bool *hit, size_t n, const char *name)
{
	bool any = !n;

	for (size_t i = 0; i < n; i++) {
		if (tfs_pattern_match(&patterns[i], name))
			any = hit[i] = true;
	}
	return any;
}

/*
 * struct selection - patterns, which of them matched, and all names to suggest for the others
 */
struct selection {
	struct tfs_pattern *patterns;
	bool *hit;
	size_t n;
	struct tfs_strvec names;
};

static void selection_release(struct selection *s)
{
	for (size_t i = 0; i < s->n; i++)
		tfs_pattern_release(&s->patterns[i]);
	free(s->patterns);
	free(s->hit);
	tfs_strvec_release(&s->names);
}

static int selection_init(struct selection *s, const struct tfs_strvec *globs, struct tfs_err *err)
{
	int rc = 0;

	*s = (struct selection){ .names = TFS_STRVEC_INIT };
	s->patterns = calloc(globs->n + 1, sizeof(*s->patterns));
	s->hit = calloc(globs->n + 1, sizeof(*s->hit));
	if (!s->patterns || !s->hit)
		return tfs_err_set(err, -ENOMEM, "cannot list functions");
	for (; s->n < globs->n && !rc; s->n += !rc)
		rc = tfs_pattern_init(&s->patterns[s->n], globs->v[s->n], err);
	return rc;
}

static int check_hits(struct selection *s, struct tfs_err *err)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!s->hit[i])
			return list_no_match(
				"function", s->patterns[i].text, &s->names,
				"functions that are inlined everywhere or not compiled in are not "
				"listed",
				err);
	}
	return 0;
}

/* Patterns without a match are reported at the end, since the list is long. */
static int show_functions(struct list_show *show, char *text,
			  bool (*parse)(char *line, struct func *f), struct prototypes *protos,
			  struct tfs_err *err)
{
	struct selection s;
	struct func f;
	char *line;
	int rc = selection_init(&s, &show->req->func_globs, err);

	while (!rc && (line = strsep(&text, "\n"))) {
		if (!parse(line, &f))
			continue;
		if (matches(s.patterns, s.hit, s.n, f.name))
			rc = show_func(show, &f, protos, err);
		if (!rc && s.n)
			rc = tfs_strvec_push(&s.names, f.name);
	}
	if (!rc)
		rc = check_hits(&s, err);
	selection_release(&s);
	return rc;
}

int list_funcs(struct list_show *show, struct tfs_err *err)
{
	bool (*parse)(char *line, struct func *f);
	struct prototypes protos = { 0 };
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc;

	rc = read_functions(show, &text, &parse, err);
	if (!rc && show->req->proto)
		rc = tfs_btf_running("vmlinux", NULL, &protos.kernel, err);
	if (!rc && show->req->json)
		tfs_json_open(&show->json, "functions", '[');
	if (!rc)
		rc = show_functions(show, text.s, parse, &protos, err);
	if (!rc && show->req->json)
		tfs_json_close(&show->json, ']');
	prototypes_release(&protos);
	tfs_strbuf_release(&text);
	return rc;
}
