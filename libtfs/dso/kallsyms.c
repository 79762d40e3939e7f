/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/kallsyms.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dso/symbol.h"

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

int tfs_kallsyms_line(char *line, struct tfs_symbol *s)
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
