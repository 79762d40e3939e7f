/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/fleet.h"

#include <stddef.h>

#include "cli/opt.h"
#include "main.h"

static const struct tc_option no_options[] = { TC_OPT_END };

static const struct tc_command *const verbs[] = { &fleet_record, &fleet_fetch, &fleet_status,
						  &fleet_stop,   &fleet_check, &fleet_receive,
						  NULL };

const struct tc_command tc_command = {
	.name = FLEET_PROGRAM,
	.summary = "record on several machines at once",
	.options = no_options,
	.verbs = verbs,
};
