/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/names.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "decode/trace-internal.h"

int tfs_names_no_event(struct tfs_trace *trace, const char *typed, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	const char *sys = NULL;
	size_t i;
	int rc = 0;

	/* It may be there, and could not be parsed. */
	if (trace->starved)
		return tfs_err_set(err, -ENOMEM, "cannot look for events");
	for (i = 0; i < trace->index.n && !rc; i++) {
		const struct tfs_event_type *t = &trace->index.types[i];

		if (!sys || strcmp(sys, t->system))
			rc = tfs_strvec_push(&names, t->system);
		sys = t->system;
		if (!rc && strpbrk(typed, ":/"))
			rc = tfs_strvec_pushf(&names, "%s:%.*s", sys, (int)t->name_len, t->name);
		else if (!rc)
			rc = tfs_strvec_pushn(&names, t->name, t->name_len);
	}
	tfs_err_say(err, -ENOENT, "'%s': the recording has no such event", typed);
	tfs_suggest_hint(err, typed, &names, "a recording knows the events that were asked for");
	tfs_strvec_release(&names);
	return -ENOENT;
}
