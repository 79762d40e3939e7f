/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbolize/symbolize.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/trace.h"
#include "dso/demangle.h"
#include "printfmt/env.h"
#include "printfmt/symbols.h"
#include "tracedat/dat-maps.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-symbols.h"
#include "tracedat/dat-tasks.h"
#include "tracedat/dat-time.h"

/* Bytes of readable names, all together: a hostile file's mangled ones become longer. */
#define READABLE_MAX ((size_t)64 << 20)

/* An image, and its times as events have them. */
struct image {
	const struct tfs_dat_image *of;
	uint64_t from, first, last;
};

struct tfs_symbolize {
	struct tfs_dat_maps *maps;
	struct tfs_dat_symbols *symbols;
	struct tfs_dat_tasks *tasks;
	struct tfs_dat_time *time;
	uint64_t ts_offset;
	struct image *images;
	size_t n_images;
	char **readable; /* by index of the symbol; NULL: as it is */
	size_t n_readable;
	struct tfs_symbols *kernel;
};

static uint64_t event_time(const struct tfs_symbolize *s, uint64_t ts)
{
	return ts ? tfs_dat_time_fix(s->time, 0, ts) + s->ts_offset : 0;
}

static int take_images(struct tfs_symbolize *s)
{
	const struct tfs_dat_image *v = tfs_dat_maps_images(s->maps, &s->n_images);

	s->images = calloc(s->n_images ? s->n_images : 1, sizeof(*s->images));
	if (!s->images)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_images; i++)
		s->images[i] = (struct image){
			.of = &v[i],
			.from = event_time(s, v[i].from),
			.first = event_time(s, v[i].first),
			.last = event_time(s, v[i].last),
		};
	return 0;
}

/* In advance, so that looking up needs no lock: only functions that were met are in the file. */
static int read_names(struct tfs_symbolize *s, unsigned int flags)
{
	const unsigned int demangle = flags & TFS_SYMBOLIZE_PARAMS ? TFS_DEMANGLE_PARAMS : 0;
	const struct tfs_dat_symbol *v = tfs_dat_symbols_all(s->symbols, &s->n_readable);
	size_t used = 0;

	if (!s->n_readable)
		return 0;
	s->readable = calloc(s->n_readable, sizeof(*s->readable));
	if (!s->readable)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_readable && used < READABLE_MAX; i++) {
		if (flags & TFS_SYMBOLIZE_MANGLED || !tfs_demangle_is_mangled(v[i].name))
			continue;
		s->readable[i] = tfs_demangle(v[i].name, demangle);
		if (!s->readable[i] && errno == ENOMEM)
			return -ENOMEM;
		if (s->readable[i])
			used += strlen(s->readable[i]);
	}
	return 0;
}

static int load_kernel(struct tfs_symbolize *s, const struct tfs_trace *trace)
{
	const char *more = tfs_trace_kallsyms(trace);
	struct tfs_blob blob;
	int rc = tfs_symbols_new(&s->kernel);

	if (rc)
		return rc;
	tfs_symbols_prefer_first(s->kernel);
	if (more)
		rc = tfs_symbols_add(s->kernel, more, strlen(more));
	tfs_dat_blob(tfs_trace_dat(trace), TFS_DAT_BLOB_KALLSYMS, &blob);
	if (!rc && blob.size)
		rc = tfs_symbols_add(s->kernel, blob.data, strnlen(blob.data, blob.size));
	return rc;
}

int tfs_symbolize_new(const struct tfs_trace *trace, const struct tfs_symbolize_opts *opts,
		      struct tfs_symbolize **out)
{
	static const struct tfs_dat_time_opts no_time_opts;
	static const struct tfs_symbolize_opts no_opts;
	struct tfs_symbolize *s = calloc(1, sizeof(*s));
	struct tfs_dat *dat = tfs_trace_dat(trace);
	size_t n_objects;
	int rc;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	if (!opts)
		opts = &no_opts;
	s->ts_offset = (uint64_t)opts->ts_offset;
	rc = tfs_dat_time_new(dat, opts->time ? opts->time : &no_time_opts, &s->time, NULL);
	if (!rc)
		rc = tfs_dat_maps_new(dat, &s->maps);
	if (!rc) {
		tfs_dat_maps_objects(s->maps, &n_objects);
		rc = tfs_dat_symbols_new(dat, n_objects, &s->symbols);
	}
	if (!rc)
		rc = tfs_dat_tasks_new(dat, &s->tasks);
	if (!rc)
		rc = take_images(s);
	if (!rc)
		rc = read_names(s, opts->flags);
	if (!rc && opts->flags & TFS_SYMBOLIZE_KERNEL)
		rc = load_kernel(s, trace);
	if (rc)
		tfs_symbolize_free(s);
	else
		*out = s;
	return rc;
}

void tfs_symbolize_free(struct tfs_symbolize *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->readable && i < s->n_readable; i++)
		free(s->readable[i]);
	free(s->readable);
	free(s->images);
	tfs_symbols_free(s->kernel);
	tfs_dat_symbols_free(s->symbols);
	tfs_dat_maps_free(s->maps);
	tfs_dat_tasks_free(s->tasks);
	tfs_dat_time_free(s->time);
	free(s);
}

bool tfs_symbolize_has_maps(const struct tfs_symbolize *s)
{
	return s->n_images;
}

static void set_nothing(struct tfs_symbol_at *out, enum tfs_symbol_why why, uint64_t addr)
{
	*out = (struct tfs_symbol_at){
		.why = why,
		.kind = TFS_SYMBOL_NOWHERE,
		.build_id = "",
		.object_id = -1,
		.address = addr,
	};
}

static enum tfs_symbol_kind kind_of(const struct tfs_dat_object *o)
{
	if (o->flags & TFS_DAT_OBJECT_JIT)
		return TFS_SYMBOL_IN_JIT;
	return o->flags & TFS_DAT_OBJECT_VDSO ? TFS_SYMBOL_IN_VDSO : TFS_SYMBOL_IN_FILE;
}

static enum tfs_symbol_why why_not(const struct tfs_dat_object *o)
{
	if (o->flags & TFS_DAT_OBJECT_DIFFERS)
		return TFS_SYMBOL_DIFFERS;
	return o->flags & TFS_DAT_OBJECT_MISSING ? TFS_SYMBOL_MISSING : TFS_SYMBOL_NO_SYMBOL;
}

static void set_name(const struct tfs_symbolize *s, const struct tfs_dat_symbol *sym,
		     struct tfs_symbol_at *out)
{
	size_t n;
	const struct tfs_dat_symbol *all = tfs_dat_symbols_all(s->symbols, &n);
	const char *readable = s->readable[sym - all];

	out->why = TFS_SYMBOL_NAMED;
	out->mangled = sym->name;
	out->name = readable ? readable : sym->name;
	out->name_len = strlen(out->name);
	out->offset = out->address - sym->start;
	out->size = sym->end - sym->start;
}

/* In one image; false: nothing is mapped there. */
static bool find_in(const struct tfs_symbolize *s, const struct tfs_dat_image *image, uint64_t addr,
		    struct tfs_symbol_at *out)
{
	const struct tfs_dat_map *map = tfs_dat_maps_find(image, addr);
	const struct tfs_dat_symbol *sym;
	const struct tfs_dat_object *o;
	size_t n;

	if (!map)
		return false;
	out->why = TFS_SYMBOL_NO_SYMBOL;
	out->kind = TFS_SYMBOL_IN_MEMORY;
	out->map_start = map->start;
	out->map_end = map->end;
	out->map_offset = map->offset;
	if (map->object == TFS_DAT_NO_OBJECT)
		return true;
	o = &tfs_dat_maps_objects(s->maps, &n)[map->object];
	out->kind = kind_of(o);
	out->object = o->path;
	out->build_id = o->build_id;
	out->object_id = (long)map->object;
	out->address = addr - map->start + map->address;
	sym = o->flags & (TFS_DAT_OBJECT_DIFFERS | TFS_DAT_OBJECT_MISSING) ?
		      NULL :
		      tfs_dat_symbols_find(s->symbols, map->object, out->address);
	if (sym)
		set_name(s, sym, out);
	else
		out->why = why_not(o);
	return true;
}

/*
 * May the process have had this image at that time? Maps are read now and then: between the last
 * time that one program was seen and the first time that the next one was, it may have run either,
 * unless it is known when the next one began.
 */
static bool may_be(const struct tfs_symbolize *s, size_t i, uint64_t ts)
{
	const struct image *im = &s->images[i], *before = im - 1, *next = im + 1;
	bool has_before = i && before->of->tgid == im->of->tgid;
	bool has_next = i + 1 < s->n_images && next->of->tgid == im->of->tgid;

	if (im->from ? ts < im->from : has_before && ts <= before->last)
		return false;
	return !has_next || ts < (next->from ? next->from : next->first);
}

/* Both are where the address is: is it the same code? */
static bool is_same(const struct tfs_symbol_at *a, const struct tfs_symbol_at *b)
{
	return a->object_id == b->object_id && a->address == b->address && a->object_id >= 0;
}

/* The first image of a process that was seen after that time, or of the next process */
static size_t next_image(const struct tfs_symbolize *s, int tgid, uint64_t ts)
{
	const struct image *v = s->images;

	return tfs_bisect(i, s->n_images,
			  v[i].of->tgid < (uint32_t)tgid ||
				  (v[i].of->tgid == (uint32_t)tgid && v[i].first <= ts));
}

/* Which image is next, and on which side of the times that may_be() compares with @ts is. */
uint64_t tfs_symbolize_epoch(const struct tfs_symbolize *s, int tgid, uint64_t ts)
{
	size_t next = next_image(s, tgid, ts), end = next + 2;
	uint64_t epoch = next;

	for (size_t i = next > 2 ? next - 2 : 0; i < end; i++) {
		const struct image *im = &s->images[i];
		bool known = i < s->n_images && tgid >= 0 && im->of->tgid == (uint32_t)tgid;

		epoch = epoch << 3;
		if (known)
			epoch |= (ts < im->from) | (ts < im->first) << 1 | (ts <= im->last) << 2;
	}
	return epoch;
}

bool tfs_symbolize_user(const struct tfs_symbolize *s, int tgid, uint64_t ts, uint64_t addr,
			struct tfs_symbol_at *out)
{
	const struct image *v = s->images;
	size_t next = next_image(s, tgid, ts);
	bool known = false, found = false;
	struct tfs_symbol_at other;

	set_nothing(out, TFS_SYMBOL_NO_MAPS, addr);
	/* The one that was seen last before then, and the one that was seen first after it. */
	for (size_t i = next ? next - 1 : 0; i < s->n_images && i <= next; i++) {
		if (tgid < 0 || v[i].of->tgid != (uint32_t)tgid || !may_be(s, i, ts))
			continue;
		known = true;
		set_nothing(&other, TFS_SYMBOL_NO_MAP, addr);
		if (!find_in(s, v[i].of, addr, &other))
			continue;
		if (!found)
			*out = other;
		else if (!is_same(out, &other))
			set_nothing(out, TFS_SYMBOL_AMBIGUOUS, addr);
		found = true;
	}
	if (known && !found)
		out->why = TFS_SYMBOL_NO_MAP;
	return out->why == TFS_SYMBOL_NAMED;
}

bool tfs_symbolize_caller(const struct tfs_symbolize *s, int tgid, uint64_t ts, uint64_t addr,
			  struct tfs_symbol_at *out)
{
	bool named = tfs_symbolize_user(s, tgid, ts, addr ? addr - 1 : 0, out);

	out->address += addr != 0;
	out->offset += named && addr;
	return named;
}

bool tfs_symbolize_kernel(const struct tfs_symbolize *s, uint64_t addr, struct tfs_symbol_at *out)
{
	const struct tfs_symbol_info *info = s->kernel ? tfs_symbols_info(s->kernel, addr) : NULL;

	set_nothing(out, TFS_SYMBOL_NO_SYMBOL, addr);
	out->kind = TFS_SYMBOL_IN_KERNEL;
	if (!info)
		return false;
	out->why = TFS_SYMBOL_NAMED;
	out->name = info->name;
	out->mangled = info->name;
	out->name_len = info->name_len;
	out->module = info->module;
	out->module_len = info->module_len;
	out->offset = addr - info->start;
	out->size = info->size;
	return true;
}

const struct tfs_dat_task *tfs_symbolize_task(const struct tfs_symbolize *s, int tid, uint64_t ts)
{
	const struct tfs_dat_task *t, *first;
	size_t n;

	if (tid < 0)
		return NULL;
	t = tfs_dat_tasks_find(s->tasks, (uint32_t)tid);
	first = tfs_dat_tasks_all(s->tasks, &n);
	/* Several may have had the number: take the one of that time. */
	while (t && t > first && t[-1].tid == t->tid && event_time(s, t->from) > ts)
		t--;
	return t && event_time(s, t->from) > ts ? NULL : t;
}

int tfs_symbolize_tgid(const struct tfs_symbolize *s, int tid, uint64_t ts)
{
	const struct tfs_dat_task *t = tfs_symbolize_task(s, tid, ts);

	return t && t->tgid <= INT_MAX ? (int)t->tgid : -1;
}

const struct tfs_dat_task *tfs_symbolize_tasks(const struct tfs_symbolize *s, size_t *n)
{
	return tfs_dat_tasks_all(s->tasks, n);
}

const struct tfs_dat_clock *tfs_symbolize_clocks(const struct tfs_symbolize *s, size_t *n)
{
	return tfs_dat_tasks_clocks(s->tasks, n);
}

const struct tfs_dat_object *tfs_symbolize_objects(const struct tfs_symbolize *s, size_t *n)
{
	return tfs_dat_maps_objects(s->maps, n);
}

const char *tfs_symbol_why_text(enum tfs_symbol_why why)
{
	static const char *const text[TFS_SYMBOL_N_WHY] = {
		[TFS_SYMBOL_NAMED] = "named",
		[TFS_SYMBOL_NO_MAPS] = "no maps of the process",
		[TFS_SYMBOL_NO_MAP] = "not mapped when its maps were read",
		[TFS_SYMBOL_NO_SYMBOL] = "no symbol",
		[TFS_SYMBOL_DIFFERS] = "the file was replaced",
		[TFS_SYMBOL_MISSING] = "the file is gone",
		[TFS_SYMBOL_AMBIGUOUS] = "one of two programs",
	};

	return why < TFS_SYMBOL_N_WHY ? text[why] : "";
}
