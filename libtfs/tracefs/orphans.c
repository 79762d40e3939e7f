/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/orphans.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "tracefs/claim.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/journal.h"
#include "tracefs/status.h"

#define INSTANCES "instances"
#define PROBES "dynamic_events"
/* A number of that many digits follows the pid only where it is that of a namespace. */
#define NS_DIGITS 9

/*
 * struct private_name - the parts of the name of an instance that a program made for itself
 * @group: of its probes
 * @is_contained: it has the number of a pid namespace
 */
struct private_name {
	char group[64];
	bool is_contained;
};

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* tc-PROGRAM.PID, tc-PROGRAM.PID.NAMESPACE, and either with one more part */
static bool parse_private(const char *name, struct private_name *out)
{
	const char *p = name + strcspn(name, ".");
	size_t n = *p ? digits(p + 1) : 0, len;

	if (strncmp(name, "tc-", 3) != 0 || !n)
		return false;
	p += 1 + n;
	n = *p == '.' ? digits(p + 1) : 0;
	out->is_contained = n >= NS_DIGITS;
	if (out->is_contained)
		p += 1 + n;
	if (*p && *p != '.')
		return false;
	if (!strncmp(p, "." TFS_INSTANCE_KEPT, strlen("." TFS_INSTANCE_KEPT)))
		return false;
	len = (size_t)(p - name);
	if (len >= sizeof(out->group))
		return false;
	for (size_t i = 0; i < len; i++)
		out->group[i] = isalnum((unsigned char)name[i]) ? name[i] : '_';
	out->group[len] = '\0';
	return true;
}

/* A line is "p:GROUP/EVENT ...", with a number after the letter for some. */
static void remove_probe(const struct tfs_root *root, const char *line, const char *group)
{
	const char *where = strchr(line, ':');
	const size_t len = strlen(group);
	char text[256];

	if (!where || strncmp(where + 1, group, len) != 0 || where[1 + len] != '/')
		return;
	snprintf(text, sizeof(text), "-%.*s\n", (int)strcspn(where, " \t"), where);
	tfs_file_write(root, PROBES, TFS_WRITE_APPEND, text, strlen(text), NULL);
}

static void remove_probes(const struct tfs_root *root, const char *group)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_strvec lines = TFS_STRVEC_INIT;

	if (!tfs_file_read(root, PROBES, &text, NULL) && !tfs_strvec_split(&lines, text.s, "\n"))
		for (size_t i = 0; i < lines.n; i++)
			remove_probe(root, lines.v[i], group);
	tfs_strvec_release(&lines);
	tfs_strbuf_release(&text);
}

/* Return: was it one, and could it be removed? */
static bool remove_orphan(const struct tfs_root *root, const char *name, unsigned int flags)
{
	struct private_name private;
	struct tfs_instance inst;
	char path[sizeof(inst.prefix)];
	bool removed;
	int fd;

	if (!parse_private(name, &private) || tfs_instance_named(&inst, name, NULL) ||
	    (!private.is_contained && !(flags & TFS_ORPHANS_ALL)))
		return false;
	if (tfs_claim_inside(root, &inst, &fd, NULL) || fd < 0)
		return false;
	snprintf(path, sizeof(path), INSTANCES "/%s", inst.name);
	removed = !tfs_file_rmdir(root, path, NULL);
	if (removed)
		remove_probes(root, private.group);
	tfs_close(&fd);
	return removed;
}

size_t tfs_orphans_remove(const struct tfs_root *root, const char *dir, unsigned int flags)
{
	struct tfs_strvec names = TFS_STRVEC_INIT, kept = TFS_STRVEC_INIT;
	/* Where another program makes an instance or removes orphans, it is not waited for. */
	int gate = tfs_claim_gate(root, LOCK_NB);
	size_t n = 0;

	if (gate >= 0 && !tfs_journal_kept(dir, &kept) && !tfs_status_instances(root, &names, NULL))
		for (size_t i = 0; i < names.n; i++)
			if (!tfs_strvec_has(&kept, names.v[i]))
				n += remove_orphan(root, names.v[i], flags);
	tfs_strvec_release(&names);
	tfs_strvec_release(&kept);
	tfs_close(&gate);
	return n;
}
