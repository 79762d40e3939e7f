/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe as a person types it: what parses is written and parses to the same. The kernel's lines:
 * no text makes the check fail. A plan of --plan: it is refused, or taken apart to single lines.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "lib/probe_text.h"
#include "probe/features.h"
#include "probe/list.h"
#include "probe/name.h"
#include "probe/parse.h"
#include "probe/portable.h"
#include "probe/spec.h"
#include "probe/validate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_names(const struct tfs_probe_spec *spec)
{
	char event[TFS_PROBE_NAME_MAX + 1];

	tfs_probe_name_event(spec, spec->func, TFS_PROBE_AS_TYPED, event);
	must(tfs_probe_is_identifier(event, TFS_PROBE_NAME_MAX));
}

static void check_probe(const char *text)
{
	struct tfs_strbuf once = TFS_STRBUF_INIT, twice = TFS_STRBUF_INIT;
	struct tfs_probe_spec spec = { 0 }, again = { 0 };
	struct tfs_err err = TFS_ERR_INIT;
	int rc = tfs_probe_parse(text, &spec, &err);

	must(rc <= 0 && err.code == rc);
	if (rc) {
		must(err.msg[0] && err.caret >= -1);
		return;
	}
	check_names(&spec);
	must(!probe_text(&spec, &once));
	must(!tfs_probe_parse(once.s, &again, &err));
	must(!probe_text(&again, &twice));
	must(!strcmp(once.s, twice.s));
	must(spec.at == again.at && spec.n_args == again.n_args && spec.ret == again.ret &&
	     spec.offset == again.offset && spec.has_line == again.has_line);
	must(!spec.func == !again.func && (!spec.func || !strcmp(spec.func, again.func)));
	must(!spec.src == !again.src && (!spec.src || !strcmp(spec.src, again.src)));
	tfs_probe_spec_release(&spec);
	tfs_probe_spec_release(&again);
	tfs_strbuf_release(&once);
	tfs_strbuf_release(&twice);
}

static void check_line(const char *text)
{
	const struct tfs_probe_features features = { ~0U };
	struct tfs_probe_events events = { 0 };

	(void)tfs_probe_validate(TFS_PROBE_UPROBE, text, &features, NULL);
	(void)tfs_probe_validate(TFS_PROBE_KPROBE, text, &features, NULL);
	must(!tfs_probe_events_parse(TFS_PROBE_UPROBE, text, &events));
	tfs_probe_events_release(&events);
}

/* What --plan writes, for --apply: a line of which goes to the kernel. */
static void check_plan(const char *text, size_t size)
{
	struct tfs_portable portable = { 0 };
	struct tfs_err err = TFS_ERR_INIT;
	int rc = tfs_portable_parse(text, size, &portable, &err);

	must(rc <= 0 && err.code == rc && (!rc || err.msg[0]));
	for (size_t i = 0; i < portable.defs.n; i++) {
		const struct tfs_probe_def *def = &portable.defs.v[i];

		must(def->request < portable.n);
		must(!strchr(def->location, '\n') && (!def->args || !strchr(def->args, '\n')));
	}
	tfs_portable_release(&portable);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	check_probe(text);
	check_line(text);
	check_plan(text, size);
	free(text);
	return 0;
}
