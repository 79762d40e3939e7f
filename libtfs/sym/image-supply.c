/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/image-internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"

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

static const struct distribution *find_distribution(const char *root)
{
	static const char *const keys[] = { "ID=", "ID_LIKE=" };
	const struct distribution *found = &other;
	struct tfs_strbuf path = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;

	if (tfs_strbuf_addf(&path, "%s/etc/os-release", root) || tfs_read_path(path.s, &text))
		goto out;
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]) && found == &other; k++)
		for (size_t i = 0; i < sizeof(distributions) / sizeof(distributions[0]); i++)
			if (has_word(text.s, keys[k], distributions[i].id))
				found = &distributions[i];
out:
	tfs_strbuf_release(&path);
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

/* The Debian package that a file is from: its name, for NAME.list and NAME:ARCH.list. */
static int find_package(const char *root, const char *path, char **package)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	const char *unmerged = strncmp(path, "/usr/", 5) ? path : path + 4;
	struct dirent *e;
	DIR *dir = NULL;
	int rc = tfs_strbuf_addf(&name, "%s/var/lib/dpkg/info", root);

	if (!rc)
		dir = opendir(name.s);
	while (!rc && !*package && dir && (e = readdir(dir))) {
		size_t len = strlen(e->d_name);

		if (len < 6 || strcmp(e->d_name + len - 5, ".list") != 0)
			continue;
		tfs_strbuf_reset(&name);
		tfs_strbuf_reset(&text);
		rc = tfs_strbuf_addf(&name, "%s/var/lib/dpkg/info/%s", root, e->d_name);
		if (!rc && !tfs_read_path(name.s, &text) &&
		    (lists(text.s, path) || lists(text.s, unmerged)))
			*package = strndup(e->d_name, strcspn(e->d_name, ":"));
	}
	if (*package && strlen(*package) > 5 && !strcmp(*package + strlen(*package) - 5, ".list"))
		(*package)[strlen(*package) - 5] = '\0';
	if (dir)
		closedir(dir);
	tfs_strbuf_release(&name);
	tfs_strbuf_release(&text);
	return rc;
}

/* Packages put files nowhere else; to look for one is to read some hundred lists. */
static bool is_installed(const char *path)
{
	static const char *const tops[] = { "/usr/", "/bin/", "/sbin/", "/lib", "/boot/", "/opt/" };

	for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++)
		if (!strncmp(path, tops[i], strlen(tops[i])))
			return true;
	return false;
}

static int add_package(const struct tfs_image *img, const char *root, const char *path,
		       struct tfs_strbuf *sb)
{
	char *package = NULL;
	int rc = is_installed(path) ? find_package(root, path, &package) : 0;

	if (!rc && package)
		rc = tfs_strbuf_addf(sb, "install package %s%s, ", package,
				     !strcmp(package, "libc6") ? "-dbg" : "-dbgsym");
	else if (!rc && img->kind == TFS_IMAGE_PROGRAM)
		rc = tfs_strbuf_adds(sb, "compile with -g, ");
	free(package);
	return rc;
}

/* What to do to get it. */
static int add_supplier(const struct tfs_image *img, struct tfs_strbuf *sb)
{
	const char *root = img->symfs ? img->symfs : "", *id = img->build_id;
	const char *path = img->path;
	const struct distribution *d = find_distribution(root);
	const char *urls = getenv("DEBUGINFOD_URLS");
	int rc = 0;

	if (*root && !strncmp(path, root, strlen(root)))
		path += strlen(root);
	if (d->command && d->middle && d->end && id && strlen(id) > 2) {
		rc = tfs_strbuf_addf(sb, "type: %s%.2s%s%s%s; ", d->command, id, d->middle, id + 2,
				     d->end);
	} else {
		rc = add_package(img, root, path, sb);
	}
	if (!rc && !id)
		rc = tfs_strbuf_adds(sb, "without a build-id no server can be asked");
	else if (!rc && urls && *urls)
		rc = tfs_strbuf_addf(sb, "the servers of DEBUGINFOD_URLS do not have it");
	else if (!rc)
		rc = tfs_strbuf_addf(sb, "or set DEBUGINFOD_URLS=%s", d->server);
	return rc;
}

static int add_tried(const struct tfs_image *img, struct tfs_strbuf *sb)
{
	int rc = 0;

	for (size_t i = 0; i < img->tried.n && !rc; i++)
		rc = tfs_strbuf_addf(sb, "%s" TFS_ERR_ROW "%s",
				     i ? "" : "; tried:", img->tried.v[i]);
	return rc;
}

const char *tfs_image_split_missing(const struct tfs_image *img)
{
	return img->split_missing;
}

/* The units' own files are elsewhere, or are in a package that this libdw does not open. */
static int no_split(const struct tfs_image *img, struct tfs_err *err)
{
	const char *base = strrchr(img->split_missing, '/');
	const char *slash = strrchr(img->debug_path ? img->debug_path : img->file, '/');
	const char *file = img->debug_path ? img->debug_path : img->file;
	char *package = NULL;

	tfs_err_say(err, -ENODATA, "the debug information of '%s' is in '%s', which cannot be read",
		    img->path, img->split_missing);
	if (asprintf(&package, "%s.dwp", file) < 0)
		return -ENODATA;
	if (!access(package, R_OK))
		tfs_err_hint(err,
			     "'%s' is there, but libdw %s does not read such packages (0.191 "
			     "does): keep the .dwo files where they were made",
			     package, dwfl_version(NULL));
	else
		tfs_err_hint(err,
			     "put the .dwo file there, or into %.*s, or link without "
			     "-gsplit-dwarf; tried: %s, %.*s/%s",
			     (int)(slash ? slash - file : 1), slash ? file : ".",
			     img->split_missing, (int)(slash ? slash - file : 1),
			     slash ? file : ".", base ? base + 1 : img->split_missing);
	free(package);
	return -ENODATA;
}

int tfs_image_no_dwarf(struct tfs_image *img, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	if (tfs_image_dwarf(img) && img->split_missing)
		return no_split(img, err);
	tfs_err_say(err, -ENODATA, "no debug information for '%s'%s%s%s%s%s",
		    img->path ? img->path : "the running kernel",
		    img->build_id ? " (build-id " : "", img->build_id ? img->build_id : "",
		    img->build_id ? ")" : "", *img->why_not ? ": " : "", img->why_not);
	if (img->kind == TFS_IMAGE_SYMBOLS) {
		tfs_err_hint(err,
			     "install the kernel's package with debug information "
			     "(Debian: linux-image-$(uname -r)-dbg), or give its vmlinux with -k");
		return -ENODATA;
	}
	/* Said of each of many functions, it is the same each time. */
	if (err && !img->supplier && !add_supplier(img, &sb) && !add_tried(img, &sb) &&
	    tfs_strbuf_detach(&sb, &img->supplier))
		img->supplier = NULL;
	if (err && img->supplier)
		tfs_err_hint(err, "%s", img->supplier);
	tfs_strbuf_release(&sb);
	return -ENODATA;
}
