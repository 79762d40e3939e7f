/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_EMIT_H
#define TFS_PROBE_EMIT_H

struct tfs_probe_spec;
struct tfs_strbuf;

/**
 * tfs_probe_emit() - a probe as a person would type it; what tfs_probe_parse() reads gives it back
 * Return: 0 or -ENOMEM.
 */
int tfs_probe_emit(const struct tfs_probe_spec *spec, struct tfs_strbuf *sb);
/** tfs_probe_emit_point() - the point alone: without names and arguments */
int tfs_probe_emit_point(const struct tfs_probe_spec *spec, struct tfs_strbuf *sb);

#endif
