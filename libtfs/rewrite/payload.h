/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_PAYLOAD_H
#define TFS_REWRITE_PAYLOAD_H

#include "tracedat/dat-format.h"

struct tfs_image;
struct tfs_strbuf;

/**
 * tfs_payload_add() - append the payload of section @id, HEADER_INFO to CMDLINES, as version 6 has
 * it and version 7 before compression
 *
 * Return: 0; -ENOMEM; -EFBIG when there is no place for its size.
 */
int tfs_payload_add(const struct tfs_image *image, enum tfs_dat_id id, struct tfs_strbuf *sb);

#endif
