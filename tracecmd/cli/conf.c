/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/conf.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/open-in.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"

#define BYTES_MAX 65536
#define BLANKS " \t\r\v\f"

static const struct tc_option *find_key(const struct tc_option *table, const char *key)
{
	for (; table->letter != -1; table++) {
		const struct tc_option *found = NULL;

		if (table->type == TC_OPT_TABLE)
			found = find_key(table->table, key);
		else if (table->name && !strcmp(table->name, key))
			found = table;
		if (found)
			return found;
	}
	return NULL;
}

static void list_keys(const struct tc_option *table, struct tfs_strvec *keys)
{
	for (; table->letter != -1; table++) {
		if (table->type == TC_OPT_TABLE)
			list_keys(table->table, keys);
		else if (table->name && tfs_strvec_push(keys, table->name))
			return; /* only suggestions are lost */
	}
}

/*
 * struct parser - a file while it is read
 * @seen: keys so far
 */
struct parser {
	const struct tc_conf *conf;
	size_t line;
	struct tfs_strvec seen;
};

static int unknown_key(const struct tc_conf *c, const char *key, struct tfs_err *err)
{
	struct tfs_strvec keys = TFS_STRVEC_INIT;
	char otherwise[128];
	int rc = tfs_err_say(err, -EINVAL, "unknown key '%s'", key);

	for (size_t i = 0; i < c->n_tables; i++)
		list_keys(c->tables[i].options, &keys);
	snprintf(otherwise, sizeof(otherwise), "%s lists the keys", c->manual);
	tfs_suggest_hint(err, key, &keys, otherwise);
	tfs_strvec_release(&keys);
	return rc;
}

static bool may_repeat(const struct tc_option *opt)
{
	return opt->type == TC_OPT_LIST || (opt->flags & TC_OPT_REPEATS);
}

/* Flags are "yes", "no" or the key alone. 1: set, 0: not, -EINVAL */
static int read_flag(const char *key, const char *value, struct tfs_err *err)
{
	if (!value || !strcmp(value, "yes"))
		return 1;
	if (!strcmp(value, "no"))
		return 0;
	return tfs_err_say(err, -EINVAL, "'%s' is yes or no, not '%s'", key, value);
}

int tc_conf_give(const struct tc_conf *c, const struct tc_conf_table *table, const char *key,
		 const char *value, struct tfs_err *err)
{
	char program[] = "";
	struct tc_opt_result res;
	char *argv[3] = { program };
	int rc = value ? tfs_strvec_pushf(c->words, "--%s=%s", key, value) :
			 tfs_strvec_pushf(c->words, "--%s", key);

	if (rc)
		return tfs_err_set(err, rc, "cannot keep '%s'", key);
	argv[1] = c->words->v[c->words->n - 1];
	return tc_opt_parse(table->options, 2, argv, table->request, &res, err);
}

/* One line that is not empty */
static int set(struct parser *p, const char *key, const char *value, struct tfs_err *err)
{
	const struct tc_conf *c = p->conf;
	const struct tc_option *opt = NULL;
	size_t at = 0;
	int rc = 1;

	if (c->reserved && !strcmp(key, c->reserved))
		return tfs_err_say(err, -EINVAL, "%s", c->reserved_why);
	while (at < c->n_tables && !(opt = find_key(c->tables[at].options, key)))
		at++;
	if (!opt)
		return unknown_key(c, key, err);
	if (!may_repeat(opt) && tfs_strvec_has(&p->seen, key))
		return tfs_err_say(err, -EINVAL, "'%s' is given twice", key);
	if (tfs_strvec_push(&p->seen, key))
		return tfs_err_set(err, -ENOMEM, "cannot keep '%s'", key);
	if (!opt->arg)
		rc = read_flag(key, value, err);
	else if (!value || !*value)
		rc = tfs_err_say(err, -EINVAL, "'%s' needs a value: %s = %s", key, key, opt->arg);
	return rc <= 0 ? rc : tc_conf_give(c, &c->tables[at], key, opt->arg ? value : NULL, err);
}

/* @line is changed: "key = value", "key", a comment, or empty */
static int parse_line(struct parser *p, char *line, struct tfs_err *err)
{
	char *key = line + strspn(line, BLANKS), *value, *end;

	if (!*key || *key == '#' || *key == ';')
		return 0;
	end = key + strcspn(key, "=");
	value = *end ? end + 1 + strspn(end + 1, BLANKS) : NULL;
	while (end > key && strchr(BLANKS, end[-1]))
		end--;
	*end = '\0';
	if (!*key)
		return tfs_err_say(err, -EINVAL, "there is no key before '='");
	if (value) {
		for (end = value + strlen(value); end > value && strchr(BLANKS, end[-1]); end--)
			;
		*end = '\0';
	}
	return set(p, key, value, err);
}

static int parse_lines(struct parser *p, char *text, struct tfs_err *err)
{
	char *next;
	int rc = 0;

	for (char *line = text; line && !rc; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		p->line++;
		rc = parse_line(p, line, err);
	}
	if (rc)
		tfs_err_prefix(err, "%s:%zu", p->conf->path, p->line);
	return rc;
}

int tc_conf_parse(const struct tc_conf *c, const char *text, size_t len, struct tfs_err *err)
{
	struct parser p = { .conf = c, .seen = TFS_STRVEC_INIT };
	struct tfs_strbuf copy = TFS_STRBUF_INIT;
	int rc;

	if (memchr(text, '\0', len))
		return tfs_err_say(err, -EINVAL, "%s: this is not a text file", c->path);
	rc = tfs_strbuf_add(&copy, text, len);
	if (rc)
		tfs_err_set(err, rc, "cannot read '%s'", c->path);
	else
		rc = parse_lines(&p, copy.s, err);
	tfs_strbuf_release(&copy);
	tfs_strvec_release(&p.seen);
	return rc;
}

/* Programs do as root what their files say. */
static int check_owner(int fd, const char *path, struct tfs_err *err)
{
	struct stat st;
	int rc;

	if (fstat(fd, &st))
		return tfs_err_set(err, -errno, "cannot read '%s'", path);
	if ((!st.st_uid || st.st_uid == geteuid()) && !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return 0;
	rc = tfs_err_say(err, -EPERM, "'%s' may have been written by another user", path);
	tfs_err_hint(err, "chown root '%s'; chmod go-w '%s'", path, path);
	return rc;
}

int tc_conf_read(const struct tc_conf *c, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int fd = tfs_open_in(TFS_NO_ROOT, c->path, BYTES_MAX);
	int rc;

	if (fd < 0)
		return tfs_err_set(err, fd, "cannot read the configuration '%s'", c->path);
	rc = check_owner(fd, c->path, err);
	if (!rc) {
		rc = tfs_read_fd(fd, &text);
		if (rc)
			tfs_err_set(err, rc, "cannot read '%s'", c->path);
	}
	if (!rc)
		rc = tc_conf_parse(c, text.len ? text.s : "", text.len, err);
	tfs_strbuf_release(&text);
	tfs_close(&fd);
	return rc;
}
