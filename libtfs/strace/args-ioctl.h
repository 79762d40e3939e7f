/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_ARGS_IOCTL_H
#define TFS_STRACE_ARGS_IOCTL_H

#include <stdbool.h>
#include <stdint.h>

struct put;

/**
 * args_put_ioctl_cmd() - the name of an ioctl command, or what its number is made of
 *
 * Names of several commands with this number are joined by " or ": which is meant depends on the
 * file.
 */
void args_put_ioctl_cmd(struct put *p, uint32_t cmd);
/** args_put_ioctl_arg() - what follows the command: a number, or an address in hexadecimal */
void args_put_ioctl_arg(struct put *p, uint32_t cmd, uint64_t value);
/** args_ioctl_has_arg() - does the command look at what follows it? */
bool args_ioctl_has_arg(uint32_t cmd);

#endif
