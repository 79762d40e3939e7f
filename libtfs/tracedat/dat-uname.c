/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-uname.h"

#include <string.h>

#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"

bool tfs_dat_uname(const struct tfs_dat *dat, struct tfs_dat_uname *uname)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_UNAME);
	const char *s = o ? o->data.data : "";

	for (int i = 0; i < TFS_UNAME_WORDS; i++) {
		s += strspn(s, " ");
		uname->word[i].s = s;
		uname->word[i].len = strcspn(s, " \n");
		s += uname->word[i].len;
	}
	return uname->word[TFS_UNAME_MACHINE].len && !*s;
}
