/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_PAGER_H
#define TC_CLI_PAGER_H

#include <sys/types.h>

/**
 * tc_pager_start() - if stdout is a terminal, send it through $TC_PAGER, $PAGER or less -FRX
 * Return: the pager's pid, 0 when there is none (not a terminal, "cat", no pager found).
 */
pid_t tc_pager_start(void);
/** tc_pager_wait() - close stdout and wait for the pager to be left; nothing for pid 0 */
void tc_pager_wait(pid_t pid);

#endif
