/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_SIGNALS_H
#define TC_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct termios;
struct tfs_err;

/** TC_SIGNALS_GUARD - bytes of tc_signals_guard()'s text at most, with the NUL */
#define TC_SIGNALS_GUARD 256

/**
 * tc_signals_start() - save the signal state, ignore SIGPIPE and SIGXFSZ, and exit with an error
 * when a mapped file is truncated (SIGBUS)
 *
 * main() calls it first: from then on a reader that went away is a write error (-EPIPE), and so is
 * a file that reaches its limit (-EFBIG; ulimit -f).
 */
void tc_signals_start(void);
/**
 * tc_signals_accept() - SIGINT and SIGTERM end the program even if ignored at its start
 *
 * For programs that run until they are interrupted. Without job control, shells start a command
 * with "&" ignoring SIGINT (POSIX, Shell Command Language, 2.11). Children get what was inherited:
 * tc_signals_restore().
 */
void tc_signals_accept(void);
/**
 * tc_signals_fd() - SIGINT, SIGTERM, SIGHUP and SIGCHLD as a signalfd; they are blocked from now on
 *
 * Call before threads start. Signals that were ignored at the program's start (nohup, a shell's
 * "&") stay ignored, but for what tc_signals_accept() named. A forked child must call
 * tc_signals_restore() before exec.
 * Return: a descriptor (non-blocking, close-on-exec), or -errno.
 */
int tc_signals_fd(struct tfs_err *err);
/** tc_signals_add() - this signal comes by @fd, too; before threads start. 0 or -errno */
int tc_signals_add(int fd, int sig, struct tfs_err *err);
/** tc_signals_take() - the next pending signal number, 0 if none, -errno */
int tc_signals_take(int fd);
/**
 * tc_signals_block() - SIGINT, SIGTERM and SIGHUP wait until tc_signals_unblock()
 * @before: set to the current mask
 *
 * For changes that must not be interrupted. Signals that were ignored at the start stay ignored.
 */
void tc_signals_block(sigset_t *before);
/** tc_signals_pending() - is one pending that tc_signals_block() keeps from being delivered? */
bool tc_signals_pending(const sigset_t *before);
/** tc_signals_unblock() - restore the mask; a pending signal is delivered now */
void tc_signals_unblock(const sigset_t *before);
/**
 * tc_signals_guard() - if the program crashes, write @text to the terminal @fd and restore @before
 * @fd: -1: no longer; the others are then not used
 * @text: what makes it the main screen with a cursor; shorter than TC_SIGNALS_GUARD
 *
 * On SIGSEGV, SIGABRT, SIGBUS, SIGFPE and SIGILL, which end the program as they would without it.
 */
void tc_signals_guard(int fd, const char *text, const struct termios *before);
/** tc_signals_restore() - the mask and dispositions the program was started with */
void tc_signals_restore(void);

#endif
