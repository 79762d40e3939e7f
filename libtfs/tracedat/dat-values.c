/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/meaning-list.h"
#include "base/meaning.h"
#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

/* More than anybody probes at a time. */
#define ENTRIES_MAX 65536

/* @fields: "system:event field" to indexes into @v; @events: those that have any */
struct tfs_dat_values {
	struct tfs_strmap fields, events;
	struct tfs_meaning *v;
	size_t n;
	const struct tfs_dat *dat;
	size_t taken; /* tfs_dat_private_take() */
};

/* Memory of an entry, besides the ends of blocks and arrays */
static size_t size_of(const char *event, const char *field, const struct tfs_meaning *means)
{
	size_t size = sizeof(*means) + 2 * (strlen(event) + strlen(field));

	for (size_t i = 0; i < means->n; i++)
		size += sizeof(*means->names) + TFS_DAT_PRIVATE_BLOCK +
			strlen(means->names[i].name);
	return size;
}

static bool has_room(struct tfs_dat_values *values, size_t size)
{
	if (tfs_dat_private_take(values->dat, size))
		return false;
	values->taken += size;
	return true;
}

static int make_key(struct tfs_strbuf *key, const char *event, const char *field)
{
	tfs_strbuf_reset(key);
	return tfs_strbuf_addf(key, "%s %s", event, field);
}

/* @means is the list's, also on failure. */
static int keep(struct tfs_dat_values *values, const char *event, const char *field,
		struct tfs_meaning *means)
{
	struct tfs_strbuf key = TFS_STRBUF_INIT;
	int rc = make_key(&key, event, field);
	size_t at;

	if (!rc && means->kind == TFS_MEANS_NUMBER && tfs_strmap_get(&values->fields, key.s, &at)) {
		values->v[at].bits = means->bits;
		goto out;
	}
	if (!rc)
		rc = tfs_grow_one(&values->v, values->n);
	if (!rc) {
		tfs_meaning_sort(means);
		values->v[values->n] = *means;
		rc = tfs_strmap_put(&values->fields, key.s, values->n++);
	} else {
		tfs_meaning_release(means);
	}
	if (!rc)
		rc = tfs_strmap_put(&values->events, event, 1);
out:
	tfs_strbuf_release(&key);
	return rc;
}

int tfs_dat_values_new(const struct tfs_dat *dat, struct tfs_dat_values **out)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_PRIVATE_VALUES);
	struct tfs_dat_values *values;
	const char *event, *field;
	struct tfs_meaning means;
	struct tfs_cursor c;
	int rc = 1;

	*out = NULL;
	if (!o || tfs_dat_private_cursor(o, tfs_dat_info(dat)->big_endian, &c))
		return 0;
	values = calloc(1, sizeof(*values));
	if (!values)
		return -ENOMEM;
	values->dat = dat;
	while (rc > 0 && values->n < ENTRIES_MAX) {
		rc = tfs_meaning_list_next(&c, &event, &field, &means);
		if (rc <= 0)
			break;
		if (!has_room(values, size_of(event, field, &means))) {
			tfs_meaning_release(&means);
			rc = 0;
		} else if (!tfs_meaning_is_plain(&means)) {
			rc = keep(values, event, field, &means) ? -ENOMEM : 1;
		}
	}
	if (rc < 0)
		tfs_dat_values_free(values);
	else
		*out = values;
	return rc < 0 ? rc : 0;
}

void tfs_dat_values_free(struct tfs_dat_values *values)
{
	if (!values)
		return;
	for (size_t i = 0; i < values->n; i++)
		tfs_meaning_release(&values->v[i]);
	free(values->v);
	tfs_dat_private_give(values->dat, values->taken);
	tfs_strmap_release(&values->fields);
	tfs_strmap_release(&values->events);
	free(values);
}

/* Without memory nothing is found: numbers are shown. */
static int make_event(struct tfs_strbuf *sb, const char *system, const char *event, size_t len)
{
	return tfs_strbuf_addf(sb, "%s:%.*s", system, (int)len, event);
}

bool tfs_dat_values_has(const struct tfs_dat_values *values, const char *system, const char *event,
			size_t event_len)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	bool has = values && !make_event(&name, system, event, event_len) &&
		   tfs_strmap_get(&values->events, name.s, NULL);

	tfs_strbuf_release(&name);
	return has;
}

const struct tfs_meaning *tfs_dat_values_find(const struct tfs_dat_values *values,
					      const char *system, const char *event,
					      size_t event_len, const char *field)
{
	struct tfs_strbuf name = TFS_STRBUF_INIT, key = TFS_STRBUF_INIT;
	const struct tfs_meaning *found = NULL;
	size_t i;

	if (values && !make_event(&name, system, event, event_len) &&
	    !make_key(&key, name.s, field) && tfs_strmap_get(&values->fields, key.s, &i))
		found = &values->v[i];
	tfs_strbuf_release(&name);
	tfs_strbuf_release(&key);
	return found;
}
