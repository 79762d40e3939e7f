/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/strvec.h"
#include "format/event-format.h"
#include "tracedat/dat-check-internal.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-section.h"
#include "tracedat/dat-source.h"

#define TEXT_SIZE 1200

void tfs_dat_check_say(struct tfs_dat_check *c, enum tfs_dat_grade grade, uint64_t offset,
		       const char *fmt, ...)
{
	char text[TEXT_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (grade == TFS_DAT_DAMAGED)
		c->totals->damaged++;
	c->checker->report(c->checker->context, grade, offset, text);
}

/* Loads a section to see whether it can be. */
static int check_section(struct tfs_dat_check *c, uint64_t at, unsigned int id, struct tfs_err *err)
{
	const char *name = tfs_dat_section_name(id);
	struct tfs_dat_section sec;
	char *data = NULL;
	size_t size = 0;
	int rc = tfs_dat_section_at(c->dat, at, &sec, err);

	if (!rc && sec.id != id)
		rc = tfs_err_say(err, -EBADMSG, "section %u (%s) is there", sec.id,
				 tfs_dat_section_name(sec.id));
	if (!rc && sec.cut)
		rc = tfs_err_say(err, -EBADMSG,
				 "the file ends %" PRIu64 " bytes before the section does",
				 sec.stored_size - sec.size);
	if (!rc)
		rc = tfs_dat_section_load(c->dat, &sec, name, &data, &size, err);
	free(data);
	if (rc == -ENOMEM)
		return rc;
	if (rc) {
		tfs_dat_check_say(c, TFS_DAT_DAMAGED, at, "section %s: %s", name, err->msg);
		return 0;
	}
	c->totals->sections++;
	tfs_dat_check_say(c, TFS_DAT_SOUND, at, "section %s, %" PRIu64 " bytes%s", name,
			  (uint64_t)size, sec.compressed ? " expanded" : "");
	return 0;
}

static int check_options(struct tfs_dat_check *c, struct tfs_err *err)
{
	const struct tfs_dat *dat = c->dat;
	int rc = 0;

	c->totals->options = dat->n_options;
	for (size_t i = 0; i < dat->n_chain && !rc; i++)
		rc = check_section(c, dat->chain[i], TFS_DAT_DONE, err);
	for (size_t i = 0; i < dat->n_options && !rc; i++) {
		const struct tfs_dat_option *o = &dat->options[i];
		const bool section = (o->id >= TFS_DAT_HEADER_INFO && o->id <= TFS_DAT_CMDLINES) ||
				     o->id == TFS_DAT_BTF_FILE || o->id == TFS_DAT_MODULES_FILE;

		if (!section || dat->info.version < 7)
			continue;
		if (o->data.size < sizeof(uint64_t))
			tfs_dat_check_say(c, TFS_DAT_DAMAGED, dat->chain[0],
					  "option %s: %zu bytes are too few for an offset",
					  tfs_dat_section_name(o->id), o->data.size);
		else
			rc = check_section(c, tfs_load_u64(o->data.data, dat->info.big_endian),
					   o->id, err);
	}
	return rc;
}

/* The walk from section to section; what it ends at is the end of the file, or nobody's bytes. */
static void check_walk(struct tfs_dat_check *c)
{
	const uint64_t end = c->dat->info.file_size;
	uint64_t at = c->dat->body;
	struct tfs_dat_section sec;

	while (tfs_dat_section_next(c->dat, &at, &sec))
		;
	if (at < end)
		tfs_dat_check_say(c, TFS_DAT_NOTE, at,
				  "no section follows here, but %" PRIu64 " bytes do", end - at);
}

static void check_format(struct tfs_dat_check *c, size_t i)
{
	const struct tfs_dat_format *f = tfs_dat_format(c->dat, i);
	struct tfs_event_format e;

	if (tfs_event_format_parse(f->text.data, f->text.size, &e)) {
		tfs_dat_check_say(c, TFS_DAT_DAMAGED, 0,
				  "format %zu of system %s does not begin with a name and an id", i,
				  f->system);
		return;
	}
	if (c->ids[e.id / 32] & 1u << e.id % 32)
		tfs_dat_check_say(c, TFS_DAT_NOTE, 0, "event %s:%.*s: its id %d is another's, too",
				  f->system, (int)e.name_len, e.name, e.id);
	c->ids[e.id / 32] |= 1u << e.id % 32;
	c->totals->formats++;
}

/* No damage to the file, which has what the recorder was left. */
static int check_lost(struct tfs_dat_check *c)
{
	const struct tfs_dat_lost lost = tfs_dat_lost_all(c->dat);
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	int rc = tfs_dat_lost_say(&lost, &lines);

	for (size_t i = 0; i < lines.n; i++)
		tfs_dat_check_say(c, TFS_DAT_NOTE, 0, "%s", lines.v[i]);
	tfs_strvec_release(&lines);
	return rc;
}

int tfs_dat_check(struct tfs_dat *dat, const struct tfs_dat_checker *checker,
		  struct tfs_dat_totals *totals, struct tfs_err *err)
{
	struct tfs_dat_check *c = calloc(1, sizeof(*c));
	struct tfs_err own = TFS_ERR_INIT;
	int rc = 0;

	*totals = (struct tfs_dat_totals){ 0 };
	if (!c)
		return tfs_err_set(err, -ENOMEM, "cannot check the file");
	c->dat = dat;
	c->checker = checker;
	c->totals = totals;
	/* The damage that was found on opening comes first. */
	if (tfs_dat_damage(dat))
		tfs_dat_check_say(c, TFS_DAT_DAMAGED, 0, "%s", tfs_dat_damage(dat)->msg);
	/* Each recorder names its data at the end, even where there are none. */
	if (dat->info.version >= 7 && !dat->n_buffers)
		tfs_dat_check_say(c, TFS_DAT_DAMAGED, 0,
				  "the recording was not completed: tc-record --recover or "
				  "tc-fleet fetch does that where its data are beside it");
	if (dat->info.version >= 7) {
		rc = check_options(c, &own);
		check_walk(c);
	}
	for (size_t i = 0; i < tfs_dat_n_formats(dat); i++)
		check_format(c, i);
	if (!rc)
		rc = tfs_dat_check_data(c, &own);
	if (!rc && check_lost(c))
		rc = tfs_err_set(&own, -ENOMEM, "cannot check the file");
	free(c);
	if (rc && err)
		*err = own;
	return rc;
}
