/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_MSG_H
#define TC_CLI_MSG_H

struct tfs_err;
struct tfs_strvec;

/*
 * The only code that writes to stderr. Every line begins with the program's name:
 *   tc-record: cannot enable event 'sched:sched_swich': no such event
 *   hint: did you mean 'sched:sched_switch'?
 */

/**
 * tc_msg_error() - an error once, with caret, the kernel's words and hint
 * @program: "tc-record"
 */
void tc_msg_error(const char *program, const struct tfs_err *err);
/** tc_msg_notice() - something the user should know though the program goes on */
void tc_msg_notice(const char *program, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** tc_msg_notices() - each of @lines is one */
void tc_msg_notices(const char *program, const struct tfs_strvec *lines);
/** tc_msg_line() - plain text on stderr, newline added (summaries) */
void tc_msg_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
