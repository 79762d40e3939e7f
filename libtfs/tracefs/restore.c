/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/restore.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf.h"

/* "[local] global counter": the word in brackets. */
static int bracketed(const char *held, struct tfs_strbuf *out)
{
	const char *open = strchr(held, '[');
	const char *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return -ENOTSUP;
	return tfs_strbuf_add(out, open + 1, (size_t)(close - open - 1));
}

/*
 * "1408", or "7 (expanded: 1408)" before the first use. The size of the first use is put back: the
 * kernel does not return to the unused state, and 7 KiB would surprise whoever comes next.
 */
static int buffer_size(const char *held, struct tfs_strbuf *out)
{
	static const char expanded[] = "(expanded: ";
	const char *p = strstr(held, expanded);

	p = p ? p + strlen(expanded) : held;
	if (!strspn(p, "0123456789"))
		return -ENOTSUP;
	return tfs_strbuf_add(out, p, strspn(p, "0123456789"));
}

/* "0", "1"; a star follows where a trigger holds the event ready; "X": some of the system's. */
static int enabled(const char *held, struct tfs_strbuf *out)
{
	if (held[0] != '0' && held[0] != '1')
		return -ENOTSUP;
	return tfs_strbuf_addc(out, held[0]);
}

/* "none", or the filter; after a refused one, its text, a caret and the error: not in force */
static int filter(const char *held, struct tfs_strbuf *out)
{
	if (!strncmp(held, "none", 4) || held[0] == '#' || held[0] == '\n' ||
	    strstr(held, "\nparse_error:"))
		return tfs_strbuf_addc(out, '0');
	return tfs_strbuf_add(out, held, strcspn(held, "\n"));
}

/* Everything else: as it is, without comments. */
static int list(const char *held, struct tfs_strbuf *out)
{
	const char *end;
	int rc = 0;

	for (; !rc && *held; held = end) {
		end = strchrnul(held, '\n');
		if (*end)
			end++;
		if (*held != '#')
			rc = tfs_strbuf_add(out, held, (size_t)(end - held));
	}
	tfs_strbuf_rtrim(out);
	return rc;
}

/* "do_exit:traceoff:unlimited": so it reads where no count was given, but it is not written so */
static int functions(const char *held, struct tfs_strbuf *out)
{
	static const char endless[] = ":unlimited";
	struct tfs_strbuf all = TFS_STRBUF_INIT;
	const char *p, *found;
	int rc = list(held, &all);

	for (p = all.s; !rc && p && *p; p = found + strlen(endless)) {
		found = strstr(p, endless);
		if (!found) {
			rc = tfs_strbuf_adds(out, p);
			break;
		}
		rc = tfs_strbuf_add(out, p, (size_t)(found - p));
	}
	tfs_strbuf_release(&all);
	return rc;
}

/* "no pid" where there is no restriction */
static int function_pids(const char *held, struct tfs_strbuf *out)
{
	return strncmp(held, "no pid", 6) ? list(held, out) : 0;
}

static const struct {
	const char *file;
	int (*text)(const char *held, struct tfs_strbuf *out);
} readers[] = {
	{ "trace_clock", bracketed },
	{ "buffer_size_kb", buffer_size },
	{ "enable", enabled },
	{ "filter", filter },
	{ "set_ftrace_filter", functions },
	{ "set_ftrace_pid", function_pids },
	{ "set_ftrace_notrace_pid", function_pids },
};

int tfs_restore_text(const char *path, const char *held, struct tfs_strbuf *out)
{
	const char *file = strrchr(path, '/');
	size_t i;

	file = file ? file + 1 : path;
	for (i = 0; i < ARRAY_SIZE(readers); i++) {
		if (!strcmp(file, readers[i].file))
			return readers[i].text(held, out);
	}
	return list(held, out);
}
