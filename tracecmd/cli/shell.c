/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/shell.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"

#define BLANKS " \t"

int tc_shell_quote(struct tfs_strbuf *sb, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+./:=@%,";
	int rc;

	if (*word && !word[strspn(word, plain)])
		return tfs_strbuf_adds(sb, word);
	rc = tfs_strbuf_addc(sb, '\'');
	for (; *word && !rc; word++)
		rc = *word == '\'' ? tfs_strbuf_adds(sb, "'\\''") : tfs_strbuf_addc(sb, *word);
	return rc ? rc : tfs_strbuf_addc(sb, '\'');
}

/* One that a shell gives a meaning, at @p of @line */
static int refuse(const char *line, const char *p, struct tfs_err *err)
{
	if (*p == '\n')
		tfs_err_say(err, -EINVAL, "a command is one line");
	else
		tfs_err_say(err, -EINVAL, "'%c' is not taken here, unless in single quotes", *p);
	tfs_err_input(err, line, (int)(p - line));
	return -EINVAL;
}

static int unclosed(const char *line, const char *quote, struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "the quote %c is not closed", *quote);
	tfs_err_input(err, line, (int)(quote - line));
	return -EINVAL;
}

/* From the quote at *@p to after the one that closes it */
static int take_quoted(struct tfs_strbuf *word, const char *line, const char **p,
		       struct tfs_err *err)
{
	const char *quote = *p;
	const bool is_double = *quote == '"';
	int rc = 0;

	for (++*p; **p && **p != *quote && !rc; ++*p) {
		if (is_double && strchr("$`\n", **p))
			return refuse(line, *p, err);
		if (is_double && **p == '\\' && (*p)[1] && strchr("\\\"$`", (*p)[1]))
			++*p;
		rc = tfs_strbuf_addc(word, **p);
	}
	if (!rc && !**p)
		return unclosed(line, quote, err);
	++*p;
	return rc;
}

/* The word at *@p, and *@p after it */
static int take_word(struct tfs_strbuf *word, const char *line, const char **p, struct tfs_err *err)
{
	int rc = 0;

	while (**p && !strchr(BLANKS, **p) && !rc) {
		if (**p == '\'' || **p == '"') {
			rc = take_quoted(word, line, p, err);
			continue;
		}
		if (strchr("$`;&|<>()\n\r", **p))
			return refuse(line, *p, err);
		if (**p == '\\' && (!*++*p || **p == '\n'))
			return refuse(line, *p - 1, err);
		rc = tfs_strbuf_addc(word, *(*p)++);
	}
	return rc;
}

int tc_shell_split(struct tfs_strvec *words, const char *line, struct tfs_err *err)
{
	struct tfs_strbuf word = TFS_STRBUF_INIT;
	const char *p = line + strspn(line, BLANKS);
	int rc = 0;

	while (*p && !rc) {
		tfs_strbuf_reset(&word);
		rc = take_word(&word, line, &p, err);
		if (!rc)
			rc = tfs_strvec_push(words, word.s);
		p += strspn(p, BLANKS);
	}
	tfs_strbuf_release(&word);
	return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot split a command line") : rc;
}
