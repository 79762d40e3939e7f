/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_IMAGE_MACHINE_H
#define TFS_DSO_IMAGE_MACHINE_H

#include <stdbool.h>

struct tfs_err;
struct tfs_image;

/**
 * tfs_image_check_native() - whether this machine's kernel can have probes in an image
 * Return: 0; -ENOEXEC, naming both machines; the kernel itself would take a probe in any file.
 */
int tfs_image_check_native(struct tfs_image *img, struct tfs_err *err);

/**
 * tfs_image_is_narrow() - a program of 32 bits for a kernel of 64 that this machine runs: a pointer
 * in memory is half of what that kernel follows
 */
bool tfs_image_is_narrow(struct tfs_image *img);

#endif
