/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_FLEET_FLEET_H
#define TC_FLEET_FLEET_H

#include "cli/command.h"

/** FLEET_PROGRAM - what the messages of all verbs begin with */
#define FLEET_PROGRAM "tc-fleet"

/** FLEET_EXIT_SOME - exit status when some hosts failed and others did not */
#define FLEET_EXIT_SOME 3

/* The verbs of tc-fleet */
extern const struct tc_command fleet_receive;
extern const struct tc_command fleet_record;
extern const struct tc_command fleet_fetch;
extern const struct tc_command fleet_status;
extern const struct tc_command fleet_stop;
extern const struct tc_command fleet_check;

#endif
