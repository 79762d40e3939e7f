/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_PROBE_TEXT_H
#define TESTS_LIB_PROBE_TEXT_H

struct tfs_probe_spec;
struct tfs_strbuf;

/**
 * probe_text() - a probe as a person would type it; what tfs_probe_parse() reads gives it back
 * Return: 0 or -ENOMEM.
 */
int probe_text(const struct tfs_probe_spec *spec, struct tfs_strbuf *sb);
/** probe_text_point() - the point alone: without names and arguments */
int probe_text_point(const struct tfs_probe_spec *spec, struct tfs_strbuf *sb);

#endif
