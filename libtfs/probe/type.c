/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/type.h"

/* fprobes and tprobes came with 6.5, eprobes with 5.15; a kprobe's number of calls with 4.11. */
static const struct tfs_probe_type_info types[TFS_PROBE_TYPES] = {
	[TFS_PROBE_KPROBE] = { .name = "kprobe",
			       .file = "kprobe_events",
			       .group = "kprobes",
			       .letter = 'p',
			       .return_letter = 'r',
			       .form = TFS_PROBE_FORM_SYMBOL,
			       .allows = TFS_PROBE_REGISTERS | TFS_PROBE_KERNEL |
					 TFS_PROBE_MAXACTIVE },
	[TFS_PROBE_UPROBE] = { .name = "uprobe",
			       .file = "uprobe_events",
			       .group = "uprobes",
			       .letter = 'p',
			       .return_letter = 'r',
			       .form = TFS_PROBE_FORM_FILE,
			       .allows = TFS_PROBE_REGISTERS },
	[TFS_PROBE_FPROBE] = { .name = "fprobe",
			       .file = "dynamic_events",
			       .group = "fprobes",
			       .letter = 'f',
			       .return_letter = 'f',
			       .form = TFS_PROBE_FORM_FUNCTION,
			       .allows = TFS_PROBE_KERNEL | TFS_PROBE_MAXACTIVE },
	[TFS_PROBE_TPROBE] = { .name = "tprobe",
			       .file = "dynamic_events",
			       .group = "tracepoints",
			       .letter = 't',
			       .return_letter = 't',
			       .form = TFS_PROBE_FORM_TRACEPOINT,
			       .allows = TFS_PROBE_KERNEL },
	[TFS_PROBE_EPROBE] = { .name = "eprobe",
			       .file = "dynamic_events",
			       .group = "eprobes",
			       .letter = 'e',
			       .return_letter = 'e',
			       .form = TFS_PROBE_FORM_EVENT,
			       .allows = TFS_PROBE_KERNEL },
	/* the letter is that in dynamic_events */
	[TFS_PROBE_SYNTHETIC] = { .name = "synthetic",
				  .file = "synthetic_events",
				  .group = "synthetic",
				  .letter = 's',
				  .return_letter = 's',
				  .form = TFS_PROBE_FORM_NONE },
};

const struct tfs_probe_type_info *tfs_probe_type(enum tfs_probe_type type)
{
	return &types[type];
}

bool tfs_probe_type_has_letter(enum tfs_probe_type type, char letter)
{
	return letter == types[type].letter || letter == types[type].return_letter;
}
