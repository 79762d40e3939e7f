/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session-probes.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "tracefs/file.h"

#define ALL "all"

/*
 * Kinds of dynamic events: where they are defined, and the letter that their lines begin with.
 * Kernel documentation: Documentation/trace/kprobetrace.rst and its neighbours.
 */
static const struct kind {
	const char *name;
	const char *file;
	char letter;
} kinds[] = {
	{ "kprobe", "kprobe_events", 'p' },  { "kretprobe", "kprobe_events", 'r' },
	{ "uprobe", "uprobe_events", 'p' },  { "uretprobe", "uprobe_events", 'r' },
	{ "eprobe", "dynamic_events", 'e' }, { "fprobe", "dynamic_events", 'f' },
	{ "tprobe", "dynamic_events", 't' }, { "synth", "synthetic_events", 0 },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

int session_check_kind(const char *kind, struct tfs_err *err)
{
	int rc;

	for (size_t i = 0; i < N_KINDS; i++) {
		if (!strcmp(kinds[i].name, kind))
			return 0;
	}
	if (!strcmp(kind, ALL))
		return 0;
	rc = tfs_err_say(err, -EINVAL, "'%s' is no kind of dynamic events", kind);
	tfs_err_hint(err,
		     "it is kprobe, kretprobe, uprobe, uretprobe, eprobe, fprobe, tprobe, synth "
		     "or all");
	return rc;
}

static bool is_in(const struct tfs_strvec *names, const struct kind *k)
{
	return tfs_strvec_has(names, k->name) || tfs_strvec_has(names, ALL);
}

/* The definition's "p2:GROUP/EVENT ..." or "EVENT ...", as what deletes it; 0, -ENOENT, -ENOMEM */
static int deletion(const struct kind *k, const char *line, struct tfs_strbuf *sb)
{
	const char *name = strchr(line, ':');

	tfs_strbuf_reset(sb);
	if (!k->letter)
		return tfs_strbuf_addf(sb, "!%s\n", line);
	if (line[0] != k->letter || !name)
		return -ENOENT;
	return tfs_strbuf_addf(sb, "-:%.*s\n", (int)strcspn(name + 1, " \t"), name + 1);
}

static int delete_kind(const struct tfs_root *root, const struct kind *k, struct tfs_err *err)
{
	struct tfs_strbuf held = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	struct tfs_err why;
	int rc = 0, one;

	/* a kernel that has no such file has none of them */
	if (tfs_file_read(root, k->file, &held, NULL))
		goto out;
	rc = tfs_strvec_split(&lines, held.s, "\n");
	for (size_t i = 0; i < lines.n && rc != -ENOMEM; i++) {
		one = deletion(k, lines.v[i], &text);
		if (one == -ENOENT)
			continue;
		why = TFS_ERR_INIT;
		if (!one)
			one = tfs_file_write(root, k->file, TFS_WRITE_APPEND, text.s, text.len,
					     &why);
		/* one event at several instances is gone with the first */
		if (one == -ENOENT)
			continue;
		if (one && !rc) {
			rc = one;
			*err = why;
		}
	}
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot list what is in '%s'", k->file);
out:
	tfs_strvec_release(&lines);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&held);
	return rc;
}

int session_delete_probes(const struct tfs_root *root, const struct tfs_strvec *names,
			  const struct tfs_strvec *keep, struct tfs_err *err)
{
	struct tfs_err why;
	int rc = 0, one;

	for (size_t i = 0; i < N_KINDS; i++) {
		if (!is_in(names, &kinds[i]) || is_in(keep, &kinds[i]))
			continue;
		why = TFS_ERR_INIT;
		one = delete_kind(root, &kinds[i], &why);
		if (one && !rc) {
			rc = one;
			*err = why;
		}
	}
	return rc;
}
