/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_PRESSURE_H
#define TFS_BASE_PRESSURE_H

struct tfs_err;

/**
 * struct tfs_pressure - a threshold of the kernel's accounting/psi.rst
 * @resource: "cpu", the file in /proc/pressure
 * @trigger: the text that is written to it: "some 500000 2000000"
 */
struct tfs_pressure {
	char resource[16];
	char trigger[64];
};

/**
 * tfs_pressure_parse() - "cpu some 500ms 2s": resource, some or full, time of stalls, window; pure
 *
 * Return: 0, -EINVAL, -ERANGE or -ENOMEM with @err set.
 */
int tfs_pressure_parse(const char *text, struct tfs_pressure *p, struct tfs_err *err);

/**
 * tfs_pressure_open() - have the kernel watch for it
 * @fd: a descriptor, yours: poll() for POLLPRI, at most once in a window
 *
 * Return: 0 or -errno with @err set.
 */
int tfs_pressure_open(const struct tfs_pressure *p, int *fd, struct tfs_err *err);

#endif
