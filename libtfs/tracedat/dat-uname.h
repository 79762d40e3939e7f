/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_UNAME_H
#define TFS_TRACEDAT_DAT_UNAME_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_dat;

/** enum tfs_dat_uname_word - words of option UNAME, "Linux host 6.18.0 x86_64" */
enum tfs_dat_uname_word {
	TFS_UNAME_SYSNAME,
	TFS_UNAME_NODENAME,
	TFS_UNAME_RELEASE,
	TFS_UNAME_MACHINE,
	TFS_UNAME_WORDS,
};

/** struct tfs_dat_uname - the words; borrowed from the file, not terminated */
struct tfs_dat_uname {
	struct {
		const char *s;
		size_t len;
	} word[TFS_UNAME_WORDS];
};

/** tfs_dat_uname() - the machine that was recorded; false: the file does not have these words */
bool tfs_dat_uname(const struct tfs_dat *dat, struct tfs_dat_uname *uname);

#endif
