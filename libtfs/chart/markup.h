/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_MARKUP_H
#define TFS_CHART_MARKUP_H

#include <stddef.h>
#include <stdint.h>

struct tfs_strbuf;

/**
 * tfs_markup_text() - any bytes as text of XML or HTML, also between quotes
 * @chars: characters at most, of which the last two are dots where it is cut; 0: all
 *
 * Control characters and what is no UTF-8 are shown as \n, \x1b: XML has no way to hold them.
 * Return: 0 or -ENOMEM.
 */
int tfs_markup_text(struct tfs_strbuf *sb, const char *s, size_t len, size_t chars);

/** tfs_markup_count() - a number with a comma between thousands; 0 or -ENOMEM */
int tfs_markup_count(struct tfs_strbuf *sb, uint64_t n);

#endif
