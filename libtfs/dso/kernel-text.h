/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_KERNEL_TEXT_H
#define TFS_DSO_KERNEL_TEXT_H

#include <stdint.h>

struct tfs_dso;

/**
 * struct tfs_kernel_text - which code of a kernel or module takes no kprobe, by its file;
 * made once for a dso, which owns it
 */
struct tfs_kernel_text;

/**
 * tfs_kernel_text_refuses() - would the kernel refuse a kprobe at an address, whatever is fetched?
 *
 * register_kprobe() and the notrace rule of kprobe events refuse code that is freed after boot,
 * that the kernel needs to handle a probe, that it patches itself, or that it keeps out of tracing.
 * Nothing is known of the running kernel without its image.
 *
 * Return: why, for "the kernel takes no probe there: WHY"; NULL if it would not refuse.
 */
const char *tfs_kernel_text_refuses(struct tfs_dso *dso, uint64_t addr);

#endif
