/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/unnamed.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf-core.h"
#include "decode/trace.h"
#include "stack/collect.h"
#include "stack/frames.h"
#include "symbolize/symbolize.h"
#include "tracedat/dat-read.h"

/* enum tfs_symbol_why, but for the first, which is in place of "named" */
#define IN_MEMORY 0

_Static_assert(TFS_SYMBOL_NAMED == IN_MEMORY, "it needs no reason");
_Static_assert(TFS_SYMBOL_N_WHY <= TFS_UNNAMED_REASONS, "a bit for each");

unsigned int tfs_unnamed_why(const struct tfs_frame *frame)
{
	if (frame->why == TFS_SYMBOL_NAMED)
		return 0;
	return frame->in_memory ? 1u << IN_MEMORY : 1u << frame->why;
}

static const char *text_of(unsigned int reason)
{
	return reason == IN_MEMORY ? "code that is not of a file" :
				     tfs_symbol_why_text((enum tfs_symbol_why)reason);
}

/* NULL: it is not known what would help */
static const char *advice_of(unsigned int reason)
{
	static const char *const advice[TFS_UNNAMED_REASONS] = {
		[IN_MEMORY] = "programs list code that they generate in /tmp/perf-PID.map only on "
			      "request, as node --perf-basic-prof does",
		[TFS_SYMBOL_NO_MAPS] = "processes ended before their maps were read: record with "
				       "the permission for perf events",
		[TFS_SYMBOL_NO_SYMBOL] = "files have no symbols: install their debug symbols, then "
					 "record again",
		[TFS_SYMBOL_DIFFERS] = "files were replaced while they were recorded: record again",
	};

	return advice[reason];
}

/* Maps may have been recorded, and not be in the file any more. */
static const char *advice_no_maps(const struct tfs_collect_opts *o)
{
	bool none = false, damaged = false;

	for (size_t i = 0; i < o->n; i++) {
		none |= !o->symbolize || !o->symbolize[i] ||
			!tfs_symbolize_has_maps(o->symbolize[i]);
		damaged |= tfs_dat_damage(tfs_trace_dat(o->traces[i])) != NULL;
	}
	if (none && damaged)
		return NULL;
	return none ? "the recording has no maps of programs: tc-record stores them and the names, "
		      "unless it is killed" :
		      advice_of(TFS_SYMBOL_NO_MAPS);
}

int tfs_unnamed_notes(const struct tfs_unnamed *u, const struct tfs_collect_opts *opts,
		      struct tfs_strbuf *out)
{
	const char *advice, *before = " (";
	int rc;

	if (!u->some)
		return 0;
	rc = tfs_strbuf_addf(out,
			     "%" PRIu64 " of %" PRIu64 " user stacks have frames without names",
			     u->some, u->stacks);
	for (unsigned int i = 0; i < TFS_UNNAMED_REASONS && !rc; i++) {
		if (!u->reason[i])
			continue;
		rc = tfs_strbuf_addf(out, "%s%s: %" PRIu64, before, text_of(i), u->reason[i]);
		before = ", ";
	}
	if (!rc)
		rc = tfs_strbuf_adds(out, ")\n");
	for (unsigned int i = 0; i < TFS_UNNAMED_REASONS && !rc; i++) {
		if (!u->reason[i])
			continue;
		advice = i == TFS_SYMBOL_NO_MAPS ? advice_no_maps(opts) : advice_of(i);
		rc = advice ? tfs_strbuf_addf(out, "%s\n", advice) : 0;
	}
	return rc;
}
