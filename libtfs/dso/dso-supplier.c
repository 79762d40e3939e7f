/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-supplier.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/open-in.h"
#include "base/strbuf-core.h"
#include "dso/dso-internal.h"
#include "dso/dso.h"

/* As much of a file that describes a system as is read */
#define OS_RELEASE_MAX (64u << 10)
#define ENTRIES_MAX 100000
#define LISTS_BYTES_MAX (256u << 20)

/*
 * struct distribution - how a distribution hands out debug information
 * @id: ID or a word of ID_LIKE in os-release
 * @command, @middle, @end: what to type; between them the build-id's first two digits and the
 *	others. NULL: by package
 * @server: its debuginfod
 */
struct distribution {
	const char *id;
	const char *command, *middle, *end;
	const char *server;
};

static const struct distribution distributions[] = {
	{ "debian", NULL, NULL, NULL, "https://debuginfod.debian.net" },
	{ "ubuntu", NULL, NULL, NULL, "https://debuginfod.ubuntu.com" },
	{ "fedora", "dnf --enablerepo='*debug*' install /usr/lib/debug/.build-id/", "/", ".debug",
	  "https://debuginfod.fedoraproject.org" },
	{ "arch", NULL, NULL, NULL, "https://debuginfod.archlinux.org" },
	{ "opensuse", "zypper install -C 'debuginfo(build-id)=", "", "'",
	  "https://debuginfod.opensuse.org" },
};
static const struct distribution other = { "", NULL, NULL, NULL,
					   "https://debuginfod.elfutils.org" };

/* Is @word the value of KEY= in os-release, or one of its words? */
static bool has_word(const char *text, const char *key, const char *word)
{
	size_t key_len = strlen(key), len = strlen(word);
	const char *line = text;

	while (line) {
		if (!strncmp(line, key, key_len)) {
			const char *end = strchrnul(line, '\n'), *p = line + key_len;

			for (; p + len <= end; p++)
				if (!strncmp(p, word, len) && strchr("=\" -", p[-1]) &&
				    (p + len == end || strchr("\" -", p[len])))
					return true;
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return false;
}

static const struct distribution *find_distribution(int root)
{
	static const char *const keys[] = { "ID=", "ID_LIKE=" };
	const struct distribution *found = &other;
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	if (tfs_read_in(root, "/etc/os-release", OS_RELEASE_MAX, &text))
		goto out;
	for (size_t k = 0; k < ARRAY_SIZE(keys) && found == &other; k++)
		for (size_t i = 0; i < ARRAY_SIZE(distributions); i++)
			if (has_word(text.s, keys[k], distributions[i].id))
				found = &distributions[i];
out:
	tfs_strbuf_release(&text);
	return found;
}

/* A line of a package's list of files is @path; /usr may have been merged since. */
static bool lists(const char *text, const char *path)
{
	size_t len = strlen(path);

	for (const char *p = text; (p = strstr(p, path)); p += len)
		if ((p == text || p[-1] == '\n') && (p[len] == '\n' || !p[len]))
			return true;
	return false;
}

/* How much of the lists may be read: of a machine's own packages, all; no more of a hostile one. */
struct budget {
	size_t entries;
	size_t bytes;
};

/* Is the file one of the package's? @fd: of the directory of lists */
static bool is_in_list(int fd, const char *list, const char *path, struct budget *left)
{
	const char *unmerged = strncmp(path, "/usr/", 5) ? path : path + 4;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	bool is;

	is = !tfs_read_in(fd, list, left->bytes, &text) &&
	     (lists(text.s, path) || lists(text.s, unmerged));
	left->bytes -= text.len;
	tfs_strbuf_release(&text);
	return is;
}

/* The Debian package that a file is from: its name, for NAME.list and NAME:ARCH.list. */
static int find_package(int root, const char *path, char **package)
{
	struct budget left = { ENTRIES_MAX, LISTS_BYTES_MAX };
	int fd = tfs_open_dir_in(root, "/var/lib/dpkg/info");
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	int rc = 0;

	if (!dir && fd >= 0)
		tfs_close(&fd);
	while (!rc && !*package && dir && left.entries-- && left.bytes && (e = readdir(dir))) {
		size_t len = strlen(e->d_name);

		if (len < 6 || strcmp(e->d_name + len - 5, ".list") != 0 ||
		    !is_in_list(fd, e->d_name, path, &left))
			continue;
		*package = strndup(e->d_name, strcspn(e->d_name, ":"));
		rc = *package ? 0 : -ENOMEM;
	}
	if (*package && strlen(*package) > 5 && !strcmp(*package + strlen(*package) - 5, ".list"))
		(*package)[strlen(*package) - 5] = '\0';
	if (dir)
		closedir(dir);
	return rc;
}

/* Packages put files nowhere else; to look for one is to read some hundred lists. */
static bool is_installed(const char *path)
{
	static const char *const tops[] = { "/usr/", "/bin/", "/sbin/", "/lib", "/boot/", "/opt/" };

	for (size_t i = 0; i < ARRAY_SIZE(tops); i++)
		if (!strncmp(path, tops[i], strlen(tops[i])))
			return true;
	return false;
}

static int add_package(const struct tfs_dso *dso, struct tfs_strbuf *sb)
{
	const char *path = tfs_dso_inner(dso);
	char *package = NULL;
	int rc = is_installed(path) ? find_package(dso->root, path, &package) : 0;

	if (!rc && package)
		rc = tfs_strbuf_addf(sb, "install package %s%s, ", package,
				     !strcmp(package, "libc6") ? "-dbg" : "-dbgsym");
	else if (!rc && dso->kind == TFS_DSO_PROGRAM)
		rc = tfs_strbuf_adds(sb, "compile with -g, ");
	free(package);
	return rc;
}

/* How to get the debug file on this distribution. */
static int add_supplier(const struct tfs_dso *dso, struct tfs_strbuf *sb)
{
	const struct distribution *d = find_distribution(dso->root);
	const char *id = dso->build_id;
	const char *urls = getenv("DEBUGINFOD_URLS");
	int rc = 0;

	if (d->command && d->middle && d->end && id && strlen(id) > 2) {
		rc = tfs_strbuf_addf(sb, "type: %s%.2s%s%s%s; ", d->command, id, d->middle, id + 2,
				     d->end);
	} else {
		rc = add_package(dso, sb);
	}
	if (!rc && !id)
		rc = tfs_strbuf_adds(sb, "without a build-id no server can be asked");
	else if (!rc && urls && *urls)
		rc = tfs_strbuf_addf(sb, "the servers of DEBUGINFOD_URLS do not have it");
	else if (!rc)
		rc = tfs_strbuf_addf(sb, "or set DEBUGINFOD_URLS=%s", d->server);
	return rc;
}

static int add_tried(const struct tfs_dso *dso, struct tfs_strbuf *sb)
{
	int rc = 0;

	for (size_t i = 0; i < dso->tried.n && !rc; i++)
		rc = tfs_strbuf_addf(sb, "%s" TFS_ERR_ROW "%s",
				     i ? "" : "; tried:", dso->tried.v[i]);
	return rc;
}

const char *tfs_dso_debug_supplier(struct tfs_dso *dso)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	/* Reported for each of many functions, it is the same each time. */
	if (!dso->supplier && !add_supplier(dso, &sb) && !add_tried(dso, &sb) &&
	    tfs_strbuf_detach(&sb, &dso->supplier))
		dso->supplier = NULL;
	tfs_strbuf_release(&sb);
	return dso->supplier;
}
