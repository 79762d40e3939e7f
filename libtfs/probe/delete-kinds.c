/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/delete-kinds.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "probe/type.h"
#include "tracefs/file.h"

#define ALL "all"

/* The words of --probes and --keep. */
static const struct kind {
	const char *name;
	enum tfs_probe_type type;
	bool ret;
} kinds[] = {
	{ "kprobe", TFS_PROBE_KPROBE, false }, { "kretprobe", TFS_PROBE_KPROBE, true },
	{ "uprobe", TFS_PROBE_UPROBE, false }, { "uretprobe", TFS_PROBE_UPROBE, true },
	{ "eprobe", TFS_PROBE_EPROBE, false }, { "fprobe", TFS_PROBE_FPROBE, false },
	{ "tprobe", TFS_PROBE_TPROBE, false }, { "synth", TFS_PROBE_SYNTHETIC, false },
};

int tfs_probe_check_kind(const char *kind, struct tfs_err *err)
{
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kinds[i].name, kind))
			return 0;
	}
	if (!strcmp(kind, ALL))
		return 0;
	rc = tfs_err_say(err, -EINVAL, "'%s' is not a kind of dynamic event", kind);
	tfs_err_hint(
		err,
		"the kinds are kprobe, kretprobe, uprobe, uretprobe, eprobe, fprobe, tprobe, synth "
		"and all");
	return rc;
}

static bool is_in(const struct tfs_strvec *names, const struct kind *k)
{
	return tfs_strvec_has(names, k->name) || tfs_strvec_has(names, ALL);
}

/* The definition's "p2:GROUP/EVENT ..." or "EVENT ...", as what deletes it; 0, -ENOENT, -ENOMEM */
static int deletion(const struct kind *k, const char *line, struct tfs_strbuf *sb)
{
	const struct tfs_probe_type_info *type = tfs_probe_type(k->type);
	const char *name = strchr(line, ':');

	tfs_strbuf_reset(sb);
	if (k->type == TFS_PROBE_SYNTHETIC)
		return tfs_strbuf_addf(sb, "!%s\n", line);
	if (line[0] != (k->ret ? type->return_letter : type->letter) || !name)
		return -ENOENT;
	return tfs_strbuf_addf(sb, "-:%.*s\n", (int)strcspn(name + 1, " \t"), name + 1);
}

static int delete_kind(const struct tfs_root *root, const struct kind *k, struct tfs_err *err)
{
	const char *file = tfs_probe_type(k->type)->file;
	struct tfs_strbuf held = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	struct tfs_err why;
	int rc = 0, one;

	/* a kernel that has no such file has none of them */
	if (tfs_file_read(root, file, &held, NULL))
		goto out;
	rc = tfs_strvec_split(&lines, held.s, "\n");
	for (size_t i = 0; i < lines.n && rc != -ENOMEM; i++) {
		one = deletion(k, lines.v[i], &text);
		if (one == -ENOENT)
			continue;
		why = TFS_ERR_INIT;
		if (!one)
			one = tfs_file_write(root, file, TFS_WRITE_APPEND, text.s, text.len, &why);
		/* one event at several instances is gone with the first */
		if (one == -ENOENT)
			continue;
		if (one && !rc) {
			rc = one;
			*err = why;
		}
	}
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot list what is in '%s'", file);
out:
	tfs_strvec_release(&lines);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&held);
	return rc;
}

int tfs_probe_delete_kinds(const struct tfs_root *root, const struct tfs_strvec *names,
			   const struct tfs_strvec *keep, struct tfs_err *err)
{
	struct tfs_err why;
	int rc = 0, one;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
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
