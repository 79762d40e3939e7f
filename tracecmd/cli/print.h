/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_PRINT_H
#define TC_CLI_PRINT_H

/*
 * Text on stdout that has names in it which a file holds: symbols, types, paths, lines of a source.
 * Nothing in it may act on the terminal that shows it: each byte of a control character is printed
 * as '?'. A failed write is found by main(), as for all of stdout.
 */

/** tc_print() - as printf(); tabs stay, and line ends but those of names: tfs_inert_format() */
void tc_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** tc_print_line() - a text and a line end; a line end within the text does not stay */
void tc_print_line(const char *text);
/** tc_print_exact() - for programs to read: as it is, but on a terminal as tc_print() */
void tc_print_exact(const char *text);

#endif
