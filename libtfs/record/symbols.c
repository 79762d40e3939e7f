/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/symbols.h"

#include <stddef.h>
#include <string.h>

#include "base/strbuf.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"

#define PATH_SIZE 512
#define FIELD "\tfield:"
#define CALL_FIELD "__syscall_nr;"
#define COMMON "common_"

/*
 * In the C source of a print format, '%', flags, width and length, 'p' and one of these letters
 * (Documentation/core-api/printk-formats.rst; f and F are what S and s were before 5.5). The two
 * halves may be in literals that the compiler joins.
 */
static const char *skip_join(const char *p)
{
	const char *q = p;

	if (*q != '"')
		return p;
	q += 1 + strspn(q + 1, " \t");
	return *q == '"' ? q + 1 : p;
}

static bool has_conversion(const char *print)
{
	for (const char *p = strchr(print, '%'); p; p = strchr(p, '%')) {
		const char *before;

		p++;
		do {
			before = p;
			p += strspn(p, "-+ #0123456789.*lhzjt");
			p = skip_join(p);
		} while (p != before);
		if (*p != 'p')
			continue;
		p = skip_join(p + 1);
		if (*p && strchr("sSfFB", *p))
			return true;
	}
	return strstr(print, "__get_stacktrace") != NULL;
}

/* The name in "TYPE NAME" or "TYPE NAME[N]" */
static const char *name_in(const char *decl, size_t *len)
{
	const char *end = decl + *len, *name;

	if (*len && end[-1] == ']') {
		end = memrchr(decl, '[', *len);
		end = end ? end : decl + *len;
	}
	name = memrchr(decl, ' ', (size_t)(end - decl));
	name = name ? name + 1 : decl;
	*len = (size_t)(end - name);
	return name;
}

static bool is_place(const char *decl, size_t len)
{
	static const char *const parts[] = {
		"func", "call", "location", "handler", "stack", "addr", "symbol", "site",
	};
	static const char *const ends[] = { "ip", "pc", "fn" };
	const char *name;

	if (memchr(decl, '*', len))
		return true;
	name = name_in(decl, &len);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (memmem(name, len, parts[i], strlen(parts[i])))
			return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const size_t n = strlen(ends[i]);

		if (len >= n && !memcmp(name + len - n, ends[i], n))
			return true;
	}
	return false;
}

bool tfs_format_names_code(const char *format)
{
	const char *print = strstr(format, "\nprint fmt:");

	if (!print || has_conversion(print))
		return true;
	if (strstr(format, CALL_FIELD))
		return false;
	for (const char *p = strstr(format, FIELD); p && p < print; p = strstr(p, FIELD)) {
		size_t len;

		p += strlen(FIELD);
		len = strcspn(p, ";");
		if (!memmem(p, len, COMMON, strlen(COMMON)) && is_place(p, len))
			return true;
	}
	return false;
}

static bool read_file(const struct tfs_root *root, const struct tfs_instance *inst,
		      const char *file, struct tfs_strbuf *sb)
{
	char path[PATH_SIZE];

	tfs_strbuf_reset(sb);
	return !tfs_instance_path(inst, file, path, sizeof(path)) &&
	       !tfs_file_read(root, path, sb, NULL);
}

const char *tfs_instance_names_code(const struct tfs_root *root, const struct tfs_instance *inst)
{
	/* As lines of trace_options: kernel/trace/trace.h (TRACE_FLAGS). */
	static const char *const options[] = {
		"stacktrace",
		"userstacktrace",
		"trace_printk_dest",
		"copy_trace_marker",
	};
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const char *what = "";

	if (!read_file(root, inst, "current_tracer", &text))
		goto out;
	if (strcmp(text.s, "nop\n") != 0) {
		what = "a tracer";
		goto out;
	}
	if (!read_file(root, inst, "trace_options", &text))
		goto out;
	what = NULL;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]) && !what; i++) {
		const size_t len = strlen(options[i]);

		for (const char *line = text.s; *line && !what; line += strcspn(line, "\n")) {
			line += *line == '\n';
			if (!strncmp(line, options[i], len) && line[len] == '\n')
				what = options[i];
		}
	}
out:
	tfs_strbuf_release(&text);
	return what;
}
