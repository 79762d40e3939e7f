/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-host.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/macros.h"
#include "clock/clock-line.h"
#include "tracedat/dat-clocks.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-time.h"

/*
 * CLOCK_REALTIME and these are one clock with different offsets, which change only when the time is
 * set. Reading them takes a moment, during which NTP may change their common rate.
 */
static const struct tfs_clock_limits same_clock = { 10, 10 };
static const char *const same_clocks[] = { "mono", "boot", "tai" };

/* The bytes up to @end, or to the end of the option: a string without control characters */
static bool copy_word(const char *word, size_t len, char *out, size_t size)
{
	if (!len || len >= size)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)word[i] <= ' ' || word[i] == 0x7f)
			return false;
	memcpy(out, word, len);
	out[len] = '\0';
	return true;
}

bool tfs_dat_host(const struct tfs_dat *dat, char name[TFS_DAT_HOST_SIZE])
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_UNAME);
	struct tfs_cursor c;
	const char *text, *word;

	if (!o)
		return false;
	tfs_cursor_init(&c, o->data.data, o->data.size, false);
	if (tfs_cursor_strz(&c, &text))
		return false;
	word = strchr(text, ' ');
	/* The kernel's name before anybody gave it one */
	if (!word || !strncmp(word, " (none) ", 8))
		return false;
	word++;
	return copy_word(word, strcspn(word, " "), name, TFS_DAT_HOST_SIZE);
}

bool tfs_dat_boot(const struct tfs_dat *dat, char id[TFS_DAT_BOOT_SIZE])
{
	const struct tfs_dat_option *o = tfs_dat_option_last(dat, TFS_DAT_PRIVATE_SEGMENTS);
	struct tfs_cursor c;
	const char *boot;
	uint32_t flags;

	if (!o || tfs_dat_private_cursor(o, tfs_dat_info(dat)->big_endian, &c) ||
	    tfs_cursor_u32(&c, &flags) || tfs_cursor_strz(&c, &boot))
		return false;
	return copy_word(boot, strlen(boot), id, TFS_DAT_BOOT_SIZE);
}

static struct tfs_clock_limits limits_of(const struct tfs_dat *dat, const char *source)
{
	const char *clock = tfs_dat_n_buffers(dat) ? tfs_dat_buffer(dat, 0)->clock : "";

	for (size_t i = 0; i < ARRAY_SIZE(same_clocks) && !*source; i++)
		if (!strcmp(clock, same_clocks[i]))
			return same_clock;
	return TFS_CLOCK_LIMITS;
}

static bool is_of(const struct tfs_dat_clocks *clocks, const struct tfs_dat_clock_pair *pair,
		  const char *source)
{
	const char *name = tfs_dat_clocks_source(clocks, pair->source);

	return name && !strcmp(name, source);
}

int tfs_dat_clock_line(const struct tfs_dat *dat, const struct tfs_dat_clocks *clocks,
		       const struct tfs_dat_time *time, const char *source,
		       struct tfs_dat_clock_about *about, struct tfs_clock_line **out)
{
	const struct tfs_clock_limits limits = limits_of(dat, source);
	struct tfs_dat_clock_about seen = { .is_synced = true };
	const struct tfs_dat_clock_pair *pairs;
	struct tfs_clock_sample *samples;
	size_t n, used = 0;
	int rc = 0;

	*out = NULL;
	pairs = tfs_dat_clocks_all(clocks, &n);
	samples = calloc(n + 1, sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!is_of(clocks, &pairs[i], source))
			continue;
		samples[used++] = (struct tfs_clock_sample){
			tfs_dat_time_fix(time, 0, pairs[i].trace) - tfs_dat_time_offset(time),
			pairs[i].ref,
			pairs[i].bound,
		};
		seen.method = pairs[i].method;
		seen.is_synced &= pairs[i].flags & TFS_DAT_CLOCK_SYNCED;
		if (pairs[i].maxerror > seen.maxerror)
			seen.maxerror = pairs[i].maxerror;
	}
	if (used)
		rc = tfs_clock_line_new(samples, used, &limits, out);
	if (about)
		*about = seen;
	free(samples);
	return rc;
}
