/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_CONVS_H
#define TFS_PRINTFMT_CONVS_H

#include <stdbool.h>
#include <stddef.h>

struct tep_print_arg;

/**
 * struct tfs_conv - one conversion of a print format and the arguments libtraceevent gives it
 * @start, @len: "%-5ld"
 * @conv: the conversion character: 'd', 's', 'p', ...; 0 for one that takes no argument
 * @suffix: for 'p' what follows it ("IS4", "S", ""); borrowed, not terminated
 * @longs: 'l's less 'h's; 'z' counts as one
 * @width_arg: of '*', else NULL
 * @arg: NULL when the arguments ran out
 */
struct tfs_conv {
	const char *start;
	size_t len;
	char conv;
	const char *suffix;
	int longs;
	struct tep_print_arg *width_arg;
	struct tep_print_arg *arg;
};

/** struct tfs_convs - walk of a format; fields are private to convs.c */
struct tfs_convs {
	const char *p;
	struct tep_print_arg *arg;
};

/** tfs_convs_init() - @format as libtraceevent keeps it, @args its argument list (may be NULL) */
void tfs_convs_init(struct tfs_convs *it, const char *format, struct tep_print_arg *args);
/** tfs_convs_next() - the next conversion; "%%" is none */
bool tfs_convs_next(struct tfs_convs *it, struct tfs_conv *conv);

#endif
