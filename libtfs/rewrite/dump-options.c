/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/dump-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/out.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-section.h"

/*
 * The names that trace-cmd dump gives to options, and how it prints what is in them: as a text, or
 * by a function. An option with neither is the offset of a section.
 */
struct kind {
	uint16_t id;
	bool text;
	const char *name;
	void (*print)(const struct tfs_dat *dat, const struct tfs_dat_option *o,
		      struct tfs_out *out);
};

static void cursor(struct tfs_cursor *c, const struct tfs_dat *dat, const struct tfs_dat_option *o)
{
	const bool big = tfs_dat_info(dat)->big_endian;

	tfs_cursor_init(c, o->data.data, o->data.size, big != tfs_dat_options_swapped(dat));
}

static void print_buffer(const struct tfs_dat *dat, const struct tfs_dat_option *o,
			 struct tfs_out *out)
{
	const char *name = "", *clock = "";
	uint32_t page, n, cpu;
	uint64_t at, size;
	struct tfs_cursor c;

	cursor(&c, dat, o);
	if (tfs_cursor_u64(&c, &at) || tfs_cursor_strz(&c, &name))
		return;
	tfs_out_printf(out, "%" PRIu64 " [offset]\n\"%s\" [name]\n", at, name);
	if (tfs_cursor_strz(&c, &clock))
		return;
	tfs_out_printf(out, "\"%s\" [clock]\n", clock);
	if (tfs_cursor_u32(&c, &page) || tfs_cursor_u32(&c, &n))
		return;
	tfs_out_printf(out, "%" PRIu32 " [Page size, bytes]\n%" PRIu32 " [CPUs]:\n", page, n);
	while (n-- && !tfs_cursor_u32(&c, &cpu) && !tfs_cursor_u64(&c, &at) &&
	       !tfs_cursor_u64(&c, &size))
		tfs_out_printf(out,
			       "   %" PRIu32 " %" PRIu64 "\t%" PRIu64
			       "\t[id, data offset and size]\n",
			       cpu, at, size);
}

void tfs_dump_buffer_option(const struct tfs_dat *dat, const struct tfs_dat_option *o,
			    struct tfs_out *out)
{
	tfs_out_printf(out, "\t\t[Option BUFFER, %zu bytes]\n", o->data.size);
	print_buffer(dat, o, out);
}

static void print_count(const struct tfs_dat *dat, const struct tfs_dat_option *o,
			struct tfs_out *out)
{
	struct tfs_cursor c;
	uint32_t n;

	cursor(&c, dat, o);
	if (!tfs_cursor_u32(&c, &n))
		tfs_out_printf(out, "%" PRIu32 "\n", n);
}

static void print_id(const struct tfs_dat *dat, const struct tfs_dat_option *o, struct tfs_out *out)
{
	struct tfs_cursor c;
	uint64_t n;

	cursor(&c, dat, o);
	if (!tfs_cursor_u64(&c, &n))
		tfs_out_printf(out, "0x%" PRIX64 "\n", n);
}

static void print_cycles(const struct tfs_dat *dat, const struct tfs_dat_option *o,
			 struct tfs_out *out)
{
	uint32_t mult, shift;
	struct tfs_cursor c;
	uint64_t offset;

	cursor(&c, dat, o);
	if (!tfs_cursor_u32(&c, &mult) && !tfs_cursor_u32(&c, &shift) &&
	    !tfs_cursor_u64(&c, &offset))
		tfs_out_printf(out,
			       "%" PRIu32 " %" PRIu32 " %" PRIu64 " [multiplier, shift, offset]\n",
			       mult, shift, offset);
}

/* The samples of a CPU: times, offsets and scalings are stored one after the other. */
static bool print_samples(struct tfs_cursor *c, uint32_t cpu, struct tfs_cursor *fractions,
			  struct tfs_out *out)
{
	uint64_t time, offset, scaling, fraction;
	struct tfs_cursor times, offsets;
	const void *skip;
	uint32_t n;

	if (tfs_cursor_u32(c, &n) || n > tfs_cursor_left(c) / 24)
		return false;
	tfs_out_printf(out, "%" PRIu32 " [samples count for CPU %" PRIu32 "]\n", n, cpu);
	times = *c;
	if (tfs_cursor_bytes(c, 8 * (uint64_t)n, &skip))
		return false;
	offsets = *c;
	if (tfs_cursor_bytes(c, 8 * (uint64_t)n, &skip))
		return false;
	while (n--) {
		fraction = 0;
		if (tfs_cursor_u64(&times, &time) || tfs_cursor_u64(&offsets, &offset) ||
		    tfs_cursor_u64(c, &scaling))
			return false;
		if (fractions && tfs_cursor_u64(fractions, &fraction))
			fraction = 0;
		tfs_out_printf(out,
			       "\t%" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			       "[offset * scaling >> fraction @ time]\n",
			       (int64_t)offset, scaling, fraction, time);
	}
	return true;
}

/* Fractions come after the samples of all CPUs: this finds them. */
static bool find_fractions(struct tfs_cursor c, uint32_t cpus, struct tfs_cursor *out)
{
	const void *skip;
	uint32_t n;

	while (cpus--)
		if (tfs_cursor_u32(&c, &n) || tfs_cursor_bytes(&c, 24 * (uint64_t)n, &skip))
			return false;
	*out = c;
	return tfs_cursor_left(&c) > 0;
}

static void print_shift(const struct tfs_dat *dat, const struct tfs_dat_option *o,
			struct tfs_out *out)
{
	struct tfs_cursor c, fractions;
	uint32_t flags, cpus;
	uint64_t peer;
	bool has;

	cursor(&c, dat, o);
	if (tfs_cursor_u64(&c, &peer) || tfs_cursor_u32(&c, &flags) || tfs_cursor_u32(&c, &cpus))
		return;
	tfs_out_printf(out,
		       "0x%" PRIX64 " [peer's trace id]\n0x%" PRIX32 " [peer's protocol flags]\n",
		       peer, flags);
	tfs_out_printf(out, "0x%" PRIX32 " [peer's CPU count]\n", cpus);
	has = find_fractions(c, cpus, &fractions);
	for (uint32_t i = 0; i < cpus && print_samples(&c, i, has ? &fractions : NULL, out); i++)
		;
}

static void print_guest(const struct tfs_dat *dat, const struct tfs_dat_option *o,
			struct tfs_out *out)
{
	uint32_t cpus, cpu, pid;
	struct tfs_cursor c;
	const char *name;
	uint64_t id;

	cursor(&c, dat, o);
	if (tfs_cursor_strz(&c, &name) || tfs_cursor_u64(&c, &id) || tfs_cursor_u32(&c, &cpus))
		return;
	tfs_out_printf(out, "%s [Guest name]\n0x%" PRIX64 " [trace id]\n%" PRIu32 " [Guest CPUs]\n",
		       name, id, cpus);
	while (cpus-- && !tfs_cursor_u32(&c, &cpu) && !tfs_cursor_u32(&c, &pid))
		tfs_out_printf(out, "  %" PRIu32 " %" PRIu32 " [guest cpu, host pid]\n", cpu, pid);
}

static const struct kind kinds[] = {
	{ TFS_DAT_DATE, true, "DATE", NULL },
	{ TFS_DAT_CPUSTAT, true, "CPUSTAT", NULL },
	{ TFS_DAT_BUFFER, false, "BUFFER", print_buffer },
	{ TFS_DAT_TRACECLOCK, true, "TRACECLOCK", NULL },
	{ TFS_DAT_UNAME, true, "UNAME", NULL },
	{ TFS_DAT_HOOK, true, "HOOK", NULL },
	{ TFS_DAT_OFFSET, true, "OFFSET", NULL },
	{ TFS_DAT_CPUCOUNT, false, "CPUCOUNT", print_count },
	{ TFS_DAT_VERSION, true, "VERSION", NULL },
	{ TFS_DAT_PROCMAPS, true, "PROCMAPS", NULL },
	{ TFS_DAT_TRACEID, false, "TRACEID", print_id },
	{ TFS_DAT_TIME_SHIFT, false, "TimeShift", print_shift },
	{ TFS_DAT_GUEST, false, "GUEST", print_guest },
	{ TFS_DAT_TSC2NSEC, false, "TSC2NSEC", print_cycles },
	{ TFS_DAT_HEADER_INFO, false, "HEADERS", NULL },
	{ TFS_DAT_FTRACE_EVENTS, false, "FTRACE EVENTS", NULL },
	{ TFS_DAT_EVENT_FORMATS, false, "EVENT FORMATS", NULL },
	{ TFS_DAT_KALLSYMS, false, "KALLSYMS", NULL },
	{ TFS_DAT_PRINTK, false, "PRINTK", NULL },
	{ TFS_DAT_CMDLINES, false, "CMDLINES", NULL },
	{ TFS_DAT_BUFFER_TEXT, false, "BUFFER", print_buffer },
	{ TFS_DAT_BTF_FILE, false, "BTF FILE", NULL },
	{ TFS_DAT_LAST_BOOT_INFO, true, "LAST BOOT INFO", NULL },
	{ TFS_DAT_MODULES_FILE, false, "MODULES FILE", NULL },
	{ TFS_DAT_PRIVATE_LOST, false, "(tracecraft) LOST EVENTS", NULL },
	{ TFS_DAT_PRIVATE_SEGMENTS, false, "(tracecraft) TEMPORARY FILES", NULL },
	{ TFS_DAT_PRIVATE_CONSTANTS, false, "(tracecraft) CONSTANTS", NULL },
	{ TFS_DAT_PRIVATE_VALUES, false, "(tracecraft) VALUES", NULL },
	{ TFS_DAT_PRIVATE_OBJECTS, false, "(tracecraft) OBJECTS", NULL },
	{ TFS_DAT_PRIVATE_MAPS, false, "(tracecraft) MAPS", NULL },
	{ TFS_DAT_PRIVATE_SYMBOLS, false, "(tracecraft) SYMBOLS", NULL },
	{ TFS_DAT_PRIVATE_TASKS, false, "(tracecraft) TASKS AND CLOCKS", NULL },
	{ TFS_DAT_PRIVATE_PROFILE, false, "(tracecraft) CPU PROFILE", NULL },
	{ TFS_DAT_PRIVATE_CALLS, false, "(tracecraft) SYSTEM CALLS", NULL },
	{ TFS_DAT_PRIVATE_CLOCKS, false, "(tracecraft) CLOCK PAIRS", NULL },
	{ TFS_DAT_PRIVATE_RECORDER, false, "(tracecraft) RECORDER", NULL },
};

static void print_option(const struct tfs_dat *dat, const struct tfs_dat_option *o,
			 struct tfs_out *out)
{
	const struct kind *k = NULL;
	struct tfs_cursor c;
	uint64_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !k; i++)
		if (kinds[i].id == o->id)
			k = &kinds[i];
	if (!k) {
		tfs_out_printf(out, "\t\t[Option %u (unknown), %zu bytes]\n", o->id, o->data.size);
		return;
	}
	/* trace-cmd puts an empty line before this one. */
	tfs_out_printf(out, "%s\t\t[Option %s, %zu bytes]", o->id == TFS_DAT_TSC2NSEC ? "\n" : "",
		       k->name, o->data.size);
	if (k->text) {
		tfs_out_printf(out, "\n%.*s\n", (int)o->data.size, o->data.data);
	} else if (k->print) {
		tfs_out_printf(out, "\n");
		k->print(dat, o, out);
	} else if (o->id < TFS_DAT_PRIVATE) {
		tfs_cursor_init(&c, o->data.data, o->data.size, tfs_dat_info(dat)->big_endian);
		if (!tfs_cursor_u64(&c, &at))
			tfs_out_printf(out, " @ %" PRIu64, at);
		tfs_out_printf(out, "\n");
	} else {
		tfs_out_printf(out, "\n");
	}
}

/* The options of one section, the next of all, and the place of the next section */
static int print_section(struct tfs_dat *dat, uint64_t offset, size_t *next,
			 const struct tfs_dump_names *names, struct tfs_out *out,
			 struct tfs_err *err)
{
	const size_t total = tfs_dat_n_options(dat);
	struct tfs_dat_section sec;
	struct tfs_cursor c;
	char *data = NULL;
	const void *skip;
	uint64_t at = 0;
	uint32_t size;
	size_t len;
	uint16_t id;
	int rc = tfs_dat_section_at(dat, offset, &sec, err);

	if (!rc)
		rc = tfs_dat_section_load(dat, &sec, "options", &data, &len, err);
	if (rc)
		return rc;
	tfs_dump_section_line(dat, &sec, TFS_DUMP_HEAD, names, out);
	tfs_cursor_init(&c, data, len, tfs_dat_info(dat)->big_endian);
	while (!tfs_cursor_u16(&c, &id) && !tfs_cursor_u32(&c, &size)) {
		if (id == TFS_DAT_DONE) {
			if (!tfs_cursor_u64(&c, &at))
				tfs_out_printf(out, "\t\t[Option DONE, 8 bytes]\n%" PRIu64 "\n",
					       at);
			break;
		}
		if (tfs_cursor_bytes(&c, size, &skip) || *next >= total)
			break;
		print_option(dat, tfs_dat_option(dat, (*next)++), out);
	}
	if (at)
		tfs_out_printf(out, "\n\n");
	free(data);
	return 0;
}

int tfs_dump_options(struct tfs_dat *dat, const struct tfs_dump_names *names, struct tfs_out *out,
		     struct tfs_err *err)
{
	const size_t total = tfs_dat_n_options(dat);
	const uint64_t *chain;
	size_t n, next = 0;
	int rc = 0;

	chain = tfs_dat_section_options(dat, &n);
	for (size_t i = 0; i < n && !rc; i++)
		rc = print_section(dat, chain[i], &next, names, out, err);
	/* Version 6, or options that were found although the chain is broken */
	for (; next < total && rc != -ENOMEM; next++)
		print_option(dat, tfs_dat_option(dat, next), out);
	tfs_out_printf(out, "\t[%zu options]\n", total + n);
	return rc;
}
