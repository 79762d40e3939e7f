/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/verb.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "cli/command.h"

static bool is_verb(const struct tc_command *verb, const char *word)
{
	return !strcmp(verb->verb, word) || (verb->alias && !strcmp(verb->alias, word));
}

/* "start, stop, ... and reset" */
static int list_verbs(const struct tc_command *cmd, struct tfs_strvec *names, struct tfs_strbuf *sb)
{
	const struct tc_command *const *v;
	const char *gap = "";
	int rc = 0;

	for (v = cmd->verbs; *v && !rc; v++) {
		rc = tfs_strvec_push(names, (*v)->verb);
		if (!rc)
			rc = tfs_strbuf_addf(sb, "%s%s", gap, (*v)->verb);
		gap = v[1] && !v[2] ? " and " : ", ";
	}
	return rc;
}

/* A hint for a verb of trace-cmd; NULL: it has none of this name either */
static const char *foreign_hint(const struct tc_command *cmd, const char *word)
{
	for (const struct tc_foreign_verb *f = cmd->foreign; f && f->verb; f++) {
		if (!strcmp(f->verb, word))
			return f->hint;
	}
	return NULL;
}

int tc_verb_find(const struct tc_command *cmd, const char *word, const struct tc_command **out,
		 struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_strbuf all = TFS_STRBUF_INIT;
	const struct tc_command *const *v;
	const char *hint = word ? foreign_hint(cmd, word) : NULL;
	int rc;

	for (v = cmd->verbs; word && *v; v++) {
		if (is_verb(*v, word)) {
			*out = *v;
			return 0;
		}
	}
	if (hint) {
		tfs_err_say(err, -EINVAL, "'%s' is a verb of trace-cmd, not of %s", word,
			    cmd->name);
		tfs_err_hint(err, "%s", hint);
		return -EINVAL;
	}
	rc = tfs_strbuf_adds(&all, "the verbs are ");
	if (!rc)
		rc = list_verbs(cmd, &names, &all);
	if (!rc)
		rc = tfs_strbuf_addf(&all, "; see '%s -h'", cmd->name);
	if (rc) {
		tfs_err_set(err, rc, "cannot list the verbs of %s", cmd->name);
	} else if (word) {
		rc = tfs_err_say(err, -EINVAL, "unknown verb '%s'", word);
		tfs_suggest_hint(err, word, &names, all.s);
	} else {
		rc = tfs_err_say(err, -EINVAL, "a verb is missing");
		tfs_err_hint(err, "%s", all.s);
	}
	tfs_strbuf_release(&all);
	tfs_strvec_release(&names);
	return rc;
}

void tc_verb_help(const struct tc_command *cmd, FILE *to)
{
	const struct tc_command *const *v;
	int width = 0, len;

	fprintf(to, "Usage: %s VERB [OPTION...]\n%s\n\n", cmd->name, cmd->summary);
	for (v = cmd->verbs; *v; v++) {
		len = (int)strlen((*v)->verb);
		width = len > width ? len : width;
	}
	for (v = cmd->verbs; *v; v++)
		fprintf(to, "  %-*s  %s\n", width, (*v)->verb, (*v)->summary);
	fprintf(to, "\n  -h, --help     show this help; after a verb: its options\n"
		    "      --version  show the version\n");
	fprintf(to, "\nThe manual page is %s(1).\n", cmd->name);
}

void tc_verb_dump(const struct tc_command *cmd, FILE *to)
{
	const struct tc_command *const *v;

	for (v = cmd->verbs; *v; v++)
		fprintf(to, "verb\t%s\t-\t-\t-\n", (*v)->verb);
}
