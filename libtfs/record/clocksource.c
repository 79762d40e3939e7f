/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/clocksource.h"

#include <stddef.h>
#include <string.h>

#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"

#define CURRENT "/sys/devices/system/clocksource/clocksource0/current_clocksource"

bool tfs_clocksource_agrees(const char *name)
{
	static const char *const agree[] = { "tsc", "arch_sys_counter" };
	const size_t len = strcspn(name, "\n");

	for (size_t i = 0; i < ARRAY_SIZE(agree); i++)
		if (strlen(agree[i]) == len && !memcmp(name, agree[i], len))
			return true;
	return false;
}

const char *tfs_clocksource_trace_clock(void)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	const bool agree = !tfs_read_path(CURRENT, &name) && tfs_clocksource_agrees(name.s);

	tfs_strbuf_release(&name);
	return agree ? "local" : "mono";
}
