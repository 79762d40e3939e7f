/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-file.h"

#include <stddef.h>

#include "cli/opt.h"
#include "main.h"

static const struct tc_option no_options[] = { TC_OPT_END };

static const struct tc_command *const verbs[] = {
	&file_split, &file_merge, &file_convert, &file_dump, &file_check, &file_scrub, NULL,
};

const struct tc_command tc_command = {
	.name = FILE_PROGRAM,
	.summary = "cut, join, convert and scrub recordings, and look into them",
	.options = no_options,
	.verbs = verbs,
};
