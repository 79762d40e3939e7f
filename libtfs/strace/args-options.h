/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_ARGS_OPTIONS_H
#define TFS_STRACE_ARGS_OPTIONS_H

#include <stdbool.h>

struct sys_proto;
struct sys_set;
struct tfs_call;

/**
 * Calls whose option says how many arguments follow, and of what kind: prctl, ptrace, keyctl, kcmp,
 * reboot, syslog, quotactl.
 */

/** args_option_count() - how many of @proto's parameters are shown; those left out may be before */
unsigned int args_option_count(const struct tfs_call *call, const struct sys_proto *proto);
/** args_option_skips() - is parameter @i left out? */
bool args_option_skips(const struct tfs_call *call, const struct sys_proto *proto, unsigned int i);
/** args_option_kind() - the letter of parameter @i; 0, '*': as its prototype says */
char args_option_kind(const struct tfs_call *call, const struct sys_proto *proto, unsigned int i);
/** args_option_set() - the names that a letter stands for; NULL: none */
const struct sys_set *args_option_set(char letter);

#endif
