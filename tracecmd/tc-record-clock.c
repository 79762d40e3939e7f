/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/time.h"
#include "clock/round-trip.h"

/* Answers in a second. A burst of a few hundred is enough for any comparison. */
#define RATE_MAX 1000

/* How many were answered in the second that began at @from */
struct rate {
	uint64_t from;
	unsigned int n;
};

static uint64_t mono(void)
{
	uint64_t now = 0;

	return tfs_clock_probe_now("mono", &now) ? 0 : now;
}

/* Waits for the next second after too many answers. */
static void slow_down(struct rate *rate)
{
	uint64_t now = mono(), left;

	if (now - rate->from >= NS_PER_SEC) {
		*rate = (struct rate){ now, 0 };
	} else if (rate->n >= RATE_MAX) {
		left = NS_PER_SEC - (now - rate->from);
		nanosleep(&(struct timespec){ .tv_nsec = (long)left }, NULL);
		*rate = (struct rate){ mono(), 0 };
	}
	rate->n++;
}

static int answer(const char *line, int out, struct tfs_err *err)
{
	struct tfs_clock_probe probe;
	char text[TFS_CLOCK_LINE_MAX];
	int rc = tfs_clock_probe_parse_ask(line, &probe);

	if (rc) {
		tfs_err_say(err, rc,
			    "--clock-probe: standard input has something else than "
			    "requests");
		tfs_err_hint(err, "a request is a line 'clock 1 NUMBER CLOCK'");
		return rc;
	}
	/* A clock that is not known: the answer says so. */
	if (tfs_clock_probe_now(probe.name, &probe.t1))
		probe.t1 = 0;
	tfs_clock_probe_answer(&probe, text);
	rc = tfs_write_all(out, text, strlen(text));
	return rc ? tfs_err_set(err, rc, "cannot answer") : 0;
}

/* The lines in the first @len bytes. *@len: what is left, the beginning of another one */
static int answer_lines(char *text, size_t *len, int out, struct rate *rate, struct tfs_err *err)
{
	char *line = text, *end;
	int rc = 0;

	while (!rc && (end = memchr(line, '\n', *len - (size_t)(line - text)))) {
		*end = '\0';
		slow_down(rate);
		rc = answer(line, out, err);
		line = end + 1;
	}
	*len -= (size_t)(line - text);
	memmove(text, line, *len);
	return rc;
}

int record_answer_clock(int in, int out, struct tfs_err *err)
{
	char text[TFS_CLOCK_LINE_MAX];
	struct rate rate = { .from = 0 };
	size_t len = 0;
	ssize_t n;
	int rc = 0;

	while (!rc) {
		n = read(in, text + len, sizeof(text) - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return tfs_err_set(err, -errno, "cannot read requests");
		if (!n)
			break;
		len += (size_t)n;
		rc = answer_lines(text, &len, out, &rate, err);
		/* Longer than any request */
		if (!rc && len == sizeof(text) - 1)
			break;
	}
	if (!rc && len) {
		text[len] = '\0';
		rc = answer(text, out, err);
	}
	return rc;
}
