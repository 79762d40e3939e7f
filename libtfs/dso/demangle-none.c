/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/demangle.h"

#include <errno.h>
#include <stddef.h>

char *tfs_demangle(const char *symbol, unsigned int flags)
{
	(void)symbol;
	(void)flags;
	errno = 0;
	return NULL;
}

bool tfs_demangle_is_mangled(const char *symbol)
{
	return symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R');
}

bool tfs_demangle_is_built_in(void)
{
	return false;
}
