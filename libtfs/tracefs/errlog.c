/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/errlog.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "tracefs/file.h"

static const char command_tag[] = "\n  Command: ";

/* The last occurrence of @tag in @text. */
static const char *last_of(const char *text, const char *tag)
{
	const char *found = NULL, *p;

	for (p = strstr(text, tag); p; p = strstr(p + 1, tag))
		found = p;
	return found;
}

/* @s without white space at its ends. */
static size_t trimmed(const char **s, size_t len)
{
	while (len && strchr(" \t\n", **s)) {
		(*s)++;
		len--;
	}
	while (len && strchr(" \t\n", (*s)[len - 1]))
		len--;
	return len;
}

/* Does the entry's command, @len bytes at @cmd, say @want? The kernel may have cut off blanks. */
static bool same_command(const char *cmd, size_t len, const char *want)
{
	size_t n = trimmed(&want, strlen(want));

	return trimmed(&cmd, len) == n && !memcmp(cmd, want, n);
}

/*
 * An entry is three lines (Documentation/trace/ftrace.rst; kernel/trace/trace.c, tracing_log_err):
 *   [  117.404295] hist:sched:sched_wakeup: error: Couldn't find field
 *     Command: hist:keys=pid:vals=bytes_req
 *                                 ^
 * Newest last. The caret stands below the command, two columns of indent and "Command: " before it.
 */
bool tfs_errlog_parse(const char *log, const char *command, struct tfs_err *err)
{
	const char *tag = last_of(log, command_tag);
	const char *cmd, *cmd_end, *head, *caret;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	size_t indent = strlen(command_tag) - 1;
	int pos = -1;

	if (!tag)
		return false;
	cmd = tag + strlen(command_tag);
	cmd_end = strchrnul(cmd, '\n');
	if (!same_command(cmd, (size_t)(cmd_end - cmd), command))
		return false;
	caret = *cmd_end ? cmd_end + 1 : cmd_end;
	if (caret[strspn(caret, " ")] == '^' && strspn(caret, " ") >= indent)
		pos = (int)(strspn(caret, " ") - indent);
	/* Text missing at the end is reported after the newline that the kernel cut off. */
	if (pos > cmd_end - cmd)
		pos = (int)(cmd_end - cmd);

	for (head = tag; head > log && head[-1] != '\n'; head--)
		;
	if (*head == '[' && memchr(head, ']', (size_t)(tag - head))) {
		head = strchr(head, ']') + 1;
		head += strspn(head, " ");
	}
	if (!tfs_strbuf_add(&text, head, (size_t)(tag - head)))
		tfs_err_kernel(err, text.s);
	tfs_strbuf_reset(&text);
	if (!tfs_strbuf_add(&text, cmd, (size_t)(cmd_end - cmd)))
		tfs_err_input(err, text.s, pos);
	tfs_strbuf_release(&text);
	return true;
}

void tfs_errlog_add(const struct tfs_root *root, const char *prefix, const char *command,
		    struct tfs_err *err)
{
	struct tfs_strbuf log = TFS_STRBUF_INIT;
	char path[256];
	int n;

	if (!err)
		return;
	n = snprintf(path, sizeof(path), "%serror_log", prefix);
	if (n > 0 && (size_t)n < sizeof(path) && !tfs_file_read(root, path, &log, NULL))
		tfs_errlog_parse(log.s, command, err);
	tfs_strbuf_release(&log);
}
