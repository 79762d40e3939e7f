/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_LIVE_H
#define TC_CLI_LIVE_H

#include <stdbool.h>

/*
 * A progress line on stderr that is overwritten. Nothing is printed if stderr is not a terminal, so
 * that logs stay readable.
 */

/** tc_live_color() - is @fd a terminal that shows colours, and is $NO_COLOR empty? */
bool tc_live_color(int fd);
/** tc_live_can() - is stderr a terminal that can write over a line? */
bool tc_live_can(void);
/** tc_live_line() - show @fmt in place of what was shown before */
__attribute__((format(printf, 1, 2))) void tc_live_line(const char *fmt, ...);
/** tc_live_rows() - lines of the terminal, 4 at least; 24 if it does not say */
unsigned int tc_live_rows(void);
/**
 * tc_live_block() - show several lines in place of those that were shown before
 * @text: each with its newline; what does not fit into a line is left out. "": only take them away
 * @before: what it returned the last time; 0: nothing is shown
 *
 * Return: lines that are shown now.
 */
unsigned int tc_live_block(const char *text, unsigned int before);
/** tc_live_end() - erase the line, so that messages begin on an empty one */
void tc_live_end(void);

#endif
