/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_MAIN_H
#define TC_MAIN_H

#include "cli/command.h"

/** tc_command - the program that main() runs; tc-NAME.c defines it */
extern const struct tc_command tc_command;

/** tc_command_print_version() - what --version prints */
void tc_command_print_version(void);

#endif
