/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-names.h"

#include <stdbool.h>
#include <string.h>

#include "format/event-format.h"
#include "printfmt/print-lex.h"
#include "printfmt/print-type.h"

static bool is(const char *text, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(text, name, len);
}

/* "jiffies_to_msecs", "jiffies_to_usecs": their results depend on HZ. */
static bool needs_hz(const char *text, size_t len)
{
	static const char prefix[] = "jiffies_to_";

	return len > sizeof(prefix) - 1 && !memcmp(text, prefix, sizeof(prefix) - 1);
}

/* Names whose first argument is a field's name: "__get_str(name)". */
static bool takes_field(const char *text, size_t len)
{
	return len > 6 && !memcmp(text, "__get_", 6);
}

int tfs_print_names(const char *format, size_t size, tfs_print_name_func *found, void *context)
{
	size_t len;
	const char *print = tfs_event_format_print(format, size, &len), *name;
	bool member = false, tag = false;
	struct tfs_lex lex;
	int rc = 0;

	if (!print)
		return 0;
	tfs_lex_init(&lex, print, len);
	while (lex.token != TFS_TOKEN_END && !rc) {
		name = lex.text;
		len = lex.len;
		if (lex.token != TFS_TOKEN_NAME) {
			member = tfs_lex_is(&lex, "->") || tfs_lex_is(&lex, ".");
			tag = false;
			tfs_lex_next(&lex);
			continue;
		}
		tfs_lex_next(&lex);
		if (tfs_lex_is(&lex, "(")) {
			if (needs_hz(name, len))
				rc = found(context, "HZ", 2);
			if (takes_field(name, len)) {
				tfs_lex_next(&lex);
				tfs_lex_next(&lex);
			}
		} else if (!member && !tag && !is(name, len, "REC") &&
			   !tfs_ctype_is_name(name, len)) {
			rc = found(context, name, len);
		}
		tag = is(name, len, "struct") || is(name, len, "union") || is(name, len, "enum");
		member = false;
	}
	return rc;
}
