/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/image-internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "sym/symbol.h"

#define KALLSYMS "/proc/kallsyms"

static enum tfs_symbol_type type_of(char letter)
{
	switch (tolower((unsigned char)letter)) {
	case 't':
	case 'w':
		return TFS_SYMBOL_FUNC;
	case 'd':
	case 'b':
	case 'r':
		return TFS_SYMBOL_DATA;
	default:
		return TFS_SYMBOL_OTHER;
	}
}

/* "ffffffff81000000 T _text" and, of a module, "\t[ext4]"; @line is cut into its words. */
static int parse_line(char *line, struct tfs_symbol *s)
{
	char *end, *tab;

	s->addr = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !end[3])
		return -EBADMSG;
	s->type = type_of(end[1]);
	s->local = islower((unsigned char)end[1]) != 0;
	s->name = end + 3;
	tab = strchr(end + 3, '\t');
	if (tab) {
		*tab++ = '\0';
		if (*tab == '[') {
			tab[strcspn(tab, "]")] = '\0';
			s->module = tab + 1;
		}
	}
	return 0;
}

int tfs_image_load_kallsyms(struct tfs_image *img, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	bool any = false;
	char *text, *line;
	int rc;

	rc = tfs_read_path(KALLSYMS, &sb);
	if (rc) {
		tfs_err_set(err, rc, "cannot read '" KALLSYMS "'");
		goto out;
	}
	/* The names stay in the text, which the table of names keeps. */
	rc = tfs_strvec_push(&img->symbols.names, sb.s);
	text = rc ? NULL : img->symbols.names.v[0];
	while (!rc && (line = strsep(&text, "\n"))) {
		struct tfs_symbol s = { 0 };

		if (parse_line(line, &s))
			continue;
		any = any || s.addr;
		rc = tfs_symbol_add(img, &s);
	}
	if (rc) {
		tfs_err_set(err, rc, "cannot read '" KALLSYMS "'");
	} else if (!any) {
		rc = tfs_err_say(err, -EACCES, "'" KALLSYMS "' shows no addresses");
		tfs_err_hint(err, "be root, or see kernel.kptr_restrict");
	}
out:
	tfs_strbuf_release(&sb);
	return rc;
}
