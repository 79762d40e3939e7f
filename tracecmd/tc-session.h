/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_H
#define TC_SESSION_H

#include <stdbool.h>

#include "cli/command.h"

/** SESSION_PROGRAM - what the messages of all verbs begin with */
#define SESSION_PROGRAM "tc-session"

/* The verbs of tc-session; each is defined in tc-session-VERB.c. */
extern const struct tc_command session_start;
extern const struct tc_command session_stop;
extern const struct tc_command session_restart;
extern const struct tc_command session_status;
extern const struct tc_command session_show;
extern const struct tc_command session_extract;
extern const struct tc_command session_snapshot;
extern const struct tc_command session_dump;
extern const struct tc_command session_flight;

/** session_flight_runs() - does a process run the flight recorder @name? */
bool session_flight_runs(const char *name);
extern const struct tc_command session_clear;
extern const struct tc_command session_reset;

#endif
