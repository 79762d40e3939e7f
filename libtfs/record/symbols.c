/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/symbols.h"

#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "format/event-format.h"
#include "tracefs/instance.h"

static bool is_place(const struct tfs_format_field *f)
{
	static const char *const parts[] = {
		"func", "call", "location", "handler", "stack", "addr", "symbol", "site",
	};
	static const char *const ends[] = { "ip", "pc", "fn" };

	if (memchr(f->decl, '*', f->decl_len))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (memmem(f->name, f->name_len, parts[i], strlen(parts[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		const size_t n = strlen(ends[i]);

		if (f->name_len >= n && !memcmp(f->name + f->name_len - n, ends[i], n))
			return true;
	}
	return false;
}

bool tfs_format_names_code(const char *format, size_t size)
{
	const char *p, *print;
	struct tfs_format_field f;
	bool first = true;
	size_t len;

	print = tfs_event_format_print(format, size, &len);
	if (!print || tfs_format_prints_code(print, len))
		return true;
	/* An empty line separates the common fields, which are not looked at: that saves half. */
	p = memmem(format, (size_t)(print - format), "\n\n", 2);
	for (p = p ? p : format; tfs_format_next(&p, print, &f);) {
		if (f.common)
			continue;
		/* a system call's event begins with its number; its pointers are the caller's */
		if (first && tfs_format_is(&f, "__syscall_nr"))
			return false;
		if (is_place(&f))
			return true;
		first = false;
	}
	return false;
}

static bool read_file(const struct tfs_root *root, const struct tfs_instance *inst,
		      const char *file, struct tfs_strbuf *sb)
{
	tfs_strbuf_reset(sb);
	return !tfs_instance_read(root, inst, file, sb, NULL);
}

const char *tfs_instance_names_code(const struct tfs_root *root, const struct tfs_instance *inst)
{
	/* As lines of trace_options: kernel/trace/trace.h (TRACE_FLAGS). */
	static const char *const options[] = {
		"stacktrace",
		"userstacktrace",
		"trace_printk_dest",
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
	for (size_t i = 0; i < ARRAY_SIZE(options) && !what; i++) {
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
