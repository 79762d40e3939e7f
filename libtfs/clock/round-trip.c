/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "clock/round-trip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "clock/clock-line.h"

#define PREFIX "clock 1 "
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/* The most that two clocks differ in rate, as a divisor: 1000 ppm, as TFS_CLOCK_LIMITS */
#define RATE_DIVISOR 1000

void tfs_clock_probe_ask(const struct tfs_clock_probe *probe, char *line)
{
	snprintf(line, TFS_CLOCK_LINE_MAX, PREFIX "%" PRIu32 " %s\n", probe->seq, probe->name);
}

/* A number in decimals; *@p is at what follows. 0 or -EBADMSG */
static int number(const char **p, uint64_t most, uint64_t *out)
{
	char *end;

	if (**p < '0' || **p > '9')
		return -EBADMSG;
	errno = 0;
	*out = strtoull(*p, &end, 10);
	if (errno || *out > most)
		return -EBADMSG;
	*p = end;
	return 0;
}

/* "clock 1 SEQ NAME": *@p is at what follows, a blank or the end */
static int parse_head(const char **p, struct tfs_clock_probe *probe)
{
	const char *line = *p;
	uint64_t seq;
	size_t len;

	if (strncmp(line, PREFIX, strlen(PREFIX)) != 0)
		return -EBADMSG;
	line += strlen(PREFIX);
	if (number(&line, UINT32_MAX, &seq) || *line++ != ' ')
		return -EBADMSG;
	len = strspn(line, "abcdefghijklmnopqrstuvwxyz_0123456789");
	if (!len || len >= sizeof(probe->name) || (line[len] && !strchr(" \n", line[len])))
		return -EBADMSG;
	memcpy(probe->name, line, len);
	probe->name[len] = '\0';
	probe->seq = (uint32_t)seq;
	*p = line + len;
	return 0;
}

/* At the end of a line? */
static bool at_end(const char *p)
{
	return !*p || !strcmp(p, "\n");
}

int tfs_clock_probe_parse_ask(const char *line, struct tfs_clock_probe *probe)
{
	struct tfs_clock_probe read = { .seq = 0 };

	if (parse_head(&line, &read) || !at_end(line))
		return -EBADMSG;
	*probe = read;
	return 0;
}

int tfs_clock_probe_now(const char *name, uint64_t *ns)
{
	static const struct {
		const char *name;
		clockid_t id;
	} clocks[] = {
		{ "mono", CLOCK_MONOTONIC }, { "mono_raw", CLOCK_MONOTONIC_RAW },
		{ "boot", CLOCK_BOOTTIME },  { "tai", CLOCK_TAI },
		{ "real", CLOCK_REALTIME },
	};
	struct timespec ts;

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (strcmp(name, clocks[i].name) != 0)
			continue;
		if (clock_gettime(clocks[i].id, &ts))
			return -EINVAL;
		*ns = (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
		return 0;
	}
	return -EINVAL;
}

void tfs_clock_probe_answer(struct tfs_clock_probe *probe, char *line)
{
	if (tfs_clock_probe_now(probe->name, &probe->t2))
		snprintf(line, TFS_CLOCK_LINE_MAX, PREFIX "%" PRIu32 " %s unknown\n", probe->seq,
			 probe->name);
	else
		snprintf(line, TFS_CLOCK_LINE_MAX,
			 PREFIX "%" PRIu32 " %s %" PRIu64 " %" PRIu64 "\n", probe->seq, probe->name,
			 probe->t1, probe->t2);
}

int tfs_clock_probe_parse_answer(const char *line, struct tfs_clock_probe *probe)
{
	struct tfs_clock_probe read = { .seq = 0 };

	if (parse_head(&line, &read) || *line++ != ' ')
		return -EBADMSG;
	if (read.seq != probe->seq || strcmp(read.name, probe->name) != 0)
		return -ESTALE;
	if (!strncmp(line, "unknown", 7) && at_end(line + 7))
		return -EOPNOTSUPP;
	if (number(&line, UINT64_MAX, &read.t1) || *line++ != ' ' ||
	    number(&line, UINT64_MAX, &read.t2) || !at_end(line))
		return -EBADMSG;
	probe->t1 = read.t1;
	probe->t2 = read.t2;
	return 0;
}

int tfs_clock_trip_sample(const struct tfs_clock_trip *trip, struct tfs_clock_sample *out)
{
	uint64_t whole = trip->t3 - trip->t0, inside = trip->t2 - trip->t1;
	/* The other clock may be so much slower or faster while the answer was made. */
	uint64_t slack = inside / RATE_DIVISOR + 1;

	if (trip->t3 < trip->t0 || trip->t2 < trip->t1 || inside > whole + slack)
		return -EINVAL;
	whole = whole > inside ? whole - inside : 0;
	*out = (struct tfs_clock_sample){
		.local = trip->t1,
		.ref = trip->t0 + whole / 2,
		.bound = whole / 2 + 1 + slack,
	};
	return 0;
}

void tfs_clock_burst_add(struct tfs_clock_burst *burst, const struct tfs_clock_trip *trip)
{
	struct tfs_clock_sample s;

	if (tfs_clock_trip_sample(trip, &s)) {
		burst->bad++;
		return;
	}
	burst->n++;
	if (s.bound >= burst->bound)
		return;
	burst->bound = s.bound;
	burst->best = *trip;
}

void tfs_clock_reference(char *name)
{
	struct tfs_strbuf boot = TFS_STRBUF_INIT;
	struct utsname uts = { .nodename = "" };

	uname(&uts);
	(void)!tfs_read_path(BOOT_ID, &boot);
	snprintf(name, TFS_CLOCK_REFERENCE_MAX, "%.64s, clock mono of boot %.8s", uts.nodename,
		 boot.len ? boot.s : "unknown");
	tfs_strbuf_release(&boot);
}
