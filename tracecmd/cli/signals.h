/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_SIGNALS_H
#define TC_CLI_SIGNALS_H

struct tfs_err;

/**
 * tc_signals_fd() - SIGINT, SIGTERM, SIGHUP and SIGCHLD as a signalfd; they are blocked from now on
 *
 * Call before threads start. SIGPIPE is ignored (write errors tell). A forked child must call
 * tc_signals_restore() before exec. Return: a descriptor, or -errno.
 */
int tc_signals_fd(struct tfs_err *err);
/** tc_signals_take() - the next pending signal number, 0 if none, -errno */
int tc_signals_take(int fd);
/** tc_signals_restore() - the mask and dispositions the program was started with */
void tc_signals_restore(void);

#endif
