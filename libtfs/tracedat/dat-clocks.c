/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-clocks.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-records.h"

#define RECORD_PAIR 1
#define RECORD_SOURCE 2
#define RECORD_KIND 3

#define PAIRS_MAX 1000000
#define SOURCES_MAX 1000

struct source {
	uint32_t number;
	const char *name;
};

struct tfs_dat_clocks {
	struct tfs_dat_records records;
	struct tfs_dat_clock_pair *pairs;
	size_t n, cap;
	struct source *sources;
	size_t n_sources, cap_sources;
	uint32_t kind;
};

int tfs_dat_clocks_add(struct tfs_strbuf *payload, const struct tfs_dat_clock_pair *pair)
{
	const uint64_t times[] = { pair->trace, pair->ref, pair->bound };
	const uint32_t numbers[] = { pair->source, pair->method, pair->flags, pair->status };
	const uint64_t errors[] = { pair->maxerror, pair->esterror };
	size_t at;
	int rc = tfs_dat_record_begin(payload, RECORD_PAIR, &at);

	for (size_t i = 0; i < ARRAY_SIZE(times) && !rc; i++)
		rc = tfs_dat_put_u64(payload, times[i]);
	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !rc; i++)
		rc = tfs_dat_put_u32(payload, numbers[i]);
	for (size_t i = 0; i < ARRAY_SIZE(errors) && !rc; i++)
		rc = tfs_dat_put_u64(payload, errors[i]);
	return rc ? rc : tfs_dat_record_end(payload, at);
}

static int add_name(struct tfs_strbuf *payload, uint16_t type, uint32_t number, const char *name)
{
	size_t at;
	int rc = tfs_dat_record_begin(payload, type, &at);

	if (!rc)
		rc = tfs_dat_put_u32(payload, number);
	if (!rc)
		rc = tfs_dat_put_strz(payload, name);
	return rc ? rc : tfs_dat_record_end(payload, at);
}

int tfs_dat_clocks_add_source(struct tfs_strbuf *payload, uint32_t source, const char *name)
{
	return add_name(payload, RECORD_SOURCE, source, name);
}

int tfs_dat_clocks_add_kind(struct tfs_strbuf *payload, uint32_t kind, const char *name)
{
	return add_name(payload, RECORD_KIND, kind, name);
}

static int read_pair(struct tfs_dat_clocks *k, struct tfs_cursor *c)
{
	struct tfs_dat_clock_pair pair = { .trace = 0 };
	uint64_t *const times[] = { &pair.trace, &pair.ref, &pair.bound };
	uint32_t *const numbers[] = { &pair.source, &pair.method, &pair.flags, &pair.status };
	uint64_t *const errors[] = { &pair.maxerror, &pair.esterror };
	int rc = k->n < PAIRS_MAX ? 0 : -EBADMSG;

	for (size_t i = 0; i < ARRAY_SIZE(times) && !rc; i++)
		rc = tfs_cursor_u64(c, times[i]);
	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !rc; i++)
		rc = tfs_cursor_u32(c, numbers[i]);
	for (size_t i = 0; i < ARRAY_SIZE(errors) && !rc; i++)
		rc = tfs_cursor_u64(c, errors[i]);
	if (!rc)
		rc = tfs_dat_records_take(&k->records, sizeof(pair));
	if (!rc)
		rc = tfs_grow(&k->pairs, &k->cap, k->n + 1);
	if (!rc)
		k->pairs[k->n++] = pair;
	return rc;
}

static int read_source(struct tfs_dat_clocks *k, struct tfs_cursor *c)
{
	struct source source = { .name = NULL };
	int rc = k->n_sources < SOURCES_MAX ? 0 : -EBADMSG;

	if (!rc)
		rc = tfs_cursor_u32(c, &source.number);
	if (!rc)
		rc = tfs_cursor_strz(c, &source.name);
	if (!rc)
		rc = tfs_grow(&k->sources, &k->cap_sources, k->n_sources + 1);
	if (!rc)
		k->sources[k->n_sources++] = source;
	return rc;
}

static int read_all(struct tfs_dat_clocks *k)
{
	struct tfs_cursor c;
	uint32_t kind;
	uint16_t type;
	int rc;

	while ((rc = tfs_dat_records_next(&k->records, &type, &c)) > 0) {
		if (type == RECORD_PAIR)
			rc = read_pair(k, &c);
		else if (type == RECORD_SOURCE)
			rc = read_source(k, &c);
		else if (type == RECORD_KIND && !tfs_cursor_u32(&c, &kind))
			k->kind |= kind;
		if (rc == -ENOMEM)
			break;
	}
	return rc == -ENOMEM ? rc : 0;
}

int tfs_dat_clocks_new(const struct tfs_dat *dat, struct tfs_dat_clocks **out)
{
	struct tfs_dat_clocks *k = calloc(1, sizeof(*k));
	int rc;

	*out = NULL;
	if (!k)
		return -ENOMEM;
	tfs_dat_records_init(&k->records, dat, TFS_DAT_PRIVATE_CLOCKS);
	rc = read_all(k);
	if (rc || (!k->n && !k->kind))
		tfs_dat_clocks_free(k);
	else
		*out = k;
	return rc;
}

void tfs_dat_clocks_free(struct tfs_dat_clocks *clocks)
{
	if (!clocks)
		return;
	free(clocks->pairs);
	free(clocks->sources);
	tfs_dat_records_release(&clocks->records);
	free(clocks);
}

const struct tfs_dat_clock_pair *tfs_dat_clocks_all(const struct tfs_dat_clocks *clocks, size_t *n)
{
	*n = clocks ? clocks->n : 0;
	return clocks ? clocks->pairs : NULL;
}

uint32_t tfs_dat_clocks_kind(const struct tfs_dat_clocks *clocks)
{
	return clocks ? clocks->kind : 0;
}

const char *tfs_dat_clocks_source(const struct tfs_dat_clocks *clocks, uint32_t source)
{
	if (source == TFS_DAT_CLOCK_REALTIME)
		return "";
	for (size_t i = 0; clocks && i < clocks->n_sources; i++)
		if (clocks->sources[i].number == source)
			return clocks->sources[i].name;
	return NULL;
}
