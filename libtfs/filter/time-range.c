/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/time-range.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/num.h"
#include "base/strvec.h"
#include "base/time.h"

#define NS_DIGITS 9
#define SHOWN_DIGITS 6
/* Stamps are shown in microseconds, rounded: these nanoseconds below and above are shown alike. */
#define ROUND_BELOW 500u
#define ROUND_ABOVE 499u
/* Percentages are counted in these. */
#define PER_CENT 1000000u
#define MAX_PERCENT (100u * PER_CENT)

#define FORMS                                                                                    \
	"FROM,TO in seconds, either may be left out; FROM,+2s; +5s for the first five seconds; " \
	"-5s for the last; 10%%-20%%; 10%%/2 for the second tenth"

/* One range being read. */
struct reader {
	const struct tfs_time_range_clock *clock;
	const char *text;
	struct tfs_time_ranges *out;
	struct tfs_err *err;
};

static int refuse(const struct reader *r, const char *why)
{
	tfs_err_say(r->err, -EINVAL, "'%s' is not a time range: %s", r->text, why);
	tfs_err_hint(r->err, FORMS);
	return -EINVAL;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t subtract(uint64_t a, uint64_t b)
{
	return a < b ? 0 : a - b;
}

/* "123.456" as 123 and 456 followed by zeros up to @digits of them; false: not of this form */
static bool read_decimal(const char *s, unsigned int digits, uint64_t *whole, uint64_t *part,
			 unsigned int *n)
{
	const char *point = strchr(s, '.');
	size_t len = point ? (size_t)(point - s) : strlen(s), i;

	*whole = 0;
	*part = 0;
	*n = 0;
	if (!len && (!point || !point[1]))
		return false;
	for (i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9' || *whole > (UINT64_MAX - 9) / 10)
			return false;
		*whole = *whole * 10 + (unsigned int)(s[i] - '0');
	}
	for (; point && point[1 + *n]; ++*n) {
		if (*n == digits || point[1 + *n] < '0' || point[1 + *n] > '9')
			return false;
		*part = *part * 10 + (unsigned int)(point[1 + *n] - '0');
	}
	for (i = *n; i < digits; i++)
		*part *= 10;
	return true;
}

/* A time as shown: the stamps from *@low to *@high are shown so. */
static int read_time(const struct reader *r, const char *s, uint64_t *low, uint64_t *high)
{
	uint64_t whole, part;
	unsigned int digits;

	if (!read_decimal(s, NS_DIGITS, &whole, &part, &digits))
		return refuse(r, "a time is written as in the report, as 123.456789");
	if (r->clock->format == TFS_TIME_RAW) {
		if (strchr(s, '.'))
			return refuse(r, "times of this recording are whole numbers, not seconds");
		*low = whole;
		*high = whole;
		return 0;
	}
	if (whole > UINT64_MAX / NS_PER_SEC - 1)
		return refuse(r, "so many seconds no clock counts");
	*low = whole * NS_PER_SEC + part;
	*high = *low;
	if (r->clock->format == TFS_TIME_USECS && digits <= SHOWN_DIGITS) {
		*low = subtract(*low, ROUND_BELOW);
		*high = add(*high, ROUND_ABOVE);
	}
	return 0;
}

/* If the clock does not count nanoseconds, a duration is in its units. */
static int read_duration(const struct reader *r, const char *s, uint64_t *out)
{
	if (r->clock->format != TFS_TIME_RAW)
		return tfs_parse_duration(s, out, r->err);
	if (tfs_parse_u64(s, 0, UINT64_MAX, out, NULL))
		return refuse(r, "times of this recording are whole numbers, not seconds");
	return 0;
}

static int push(const struct reader *r, uint64_t from, uint64_t to)
{
	if (from > to)
		return refuse(r, "it ends before it begins");
	if (tfs_grow_one(&r->out->v, r->out->n))
		return -ENOMEM;
	r->out->v[r->out->n++] = (struct tfs_time_range){ from, to };
	return 0;
}

/* "FROM,TO"; @comma is in @s */
static int read_span(const struct reader *r, char *s, char *comma)
{
	const char *to_text = comma + 1;
	uint64_t from = 0, to = UINT64_MAX, exact = r->clock->first, ignored, length;
	int rc = 0;

	*comma = '\0';
	if (strchr(to_text, ','))
		return refuse(r, "there is one comma in it");
	if (*s) {
		rc = read_time(r, s, &from, &ignored);
		exact = from;
	}
	if (rc)
		return rc;
	if (*to_text == '+') {
		rc = read_duration(r, to_text + 1, &length);
		to = add(exact, length);
	} else if (*to_text) {
		rc = read_time(r, to_text, &ignored, &to);
	}
	return rc ? rc : push(r, from, to);
}

static int read_bounds(const struct reader *r, const char *s)
{
	uint64_t length;
	int rc = read_duration(r, s + 1, &length);

	if (rc)
		return rc;
	if (*s == '+')
		return push(r, r->clock->first, add(r->clock->first, length));
	return push(r, subtract(r->clock->last, length), r->clock->last);
}

/* A number of percent; moves *@s past the sign */
static int read_percent(const struct reader *r, char **s, uint64_t *out)
{
	char *sign = strchr(*s, '%');
	uint64_t whole, part;
	unsigned int digits;

	if (!sign)
		return refuse(r, "a percent sign is missing");
	*sign = '\0';
	if (!read_decimal(*s, SHOWN_DIGITS, &whole, &part, &digits))
		return refuse(r, "a share is written as 10% or 12.5%");
	if (whole > 100 || whole * PER_CENT + part > MAX_PERCENT)
		return refuse(r, "no share is more than 100%");
	*out = whole * PER_CENT + part;
	*s = sign + 1;
	return 0;
}

/* That share of the recording's time after its first record, rounded down. */
static uint64_t at_share(const struct tfs_time_range_clock *clock, uint64_t share)
{
	uint64_t span = clock->last - clock->first;

	return clock->first + span / MAX_PERCENT * share + span % MAX_PERCENT * share / MAX_PERCENT;
}

static int read_share(const struct reader *r, char *s)
{
	uint64_t from, to, number, most;
	int rc = read_percent(r, &s, &from);

	if (rc)
		return rc;
	if (*s == '/') {
		most = from ? MAX_PERCENT / from + !!(MAX_PERCENT % from) : 0;
		if (tfs_parse_u64(s + 1, 1, most, &number, NULL))
			return refuse(r, "there is no part of this number");
		to = from * number < MAX_PERCENT ? from * number : MAX_PERCENT;
		from *= number - 1;
	} else {
		if (*s++ != '-')
			return refuse(r, "a share is written as 10%-20% or as 10%/2");
		rc = read_percent(r, &s, &to);
		if (rc)
			return rc;
		if (*s)
			return refuse(r, "there is text after the second percent sign");
	}
	/* A moment between two shares belongs to the later one. */
	if (from >= to)
		return refuse(r, "it ends before it begins");
	if (to == MAX_PERCENT)
		return push(r, at_share(r->clock, from), r->clock->last);
	return push(r, at_share(r->clock, from),
		    subtract(at_share(r->clock, to), at_share(r->clock, to) != r->clock->first));
}

static int read_shares(const struct reader *r, char *s)
{
	char *save = NULL, *one;
	int rc = 0;

	for (one = strtok_r(s, ",", &save); one && !rc; one = strtok_r(NULL, ",", &save))
		rc = read_share(r, one);
	return rc;
}

static int read_one(const struct reader *r)
{
	char *copy = strdup(r->text), *comma;
	int rc;

	if (!copy)
		return -ENOMEM;
	comma = strchr(copy, ',');
	if (strchr(copy, '%'))
		rc = read_shares(r, copy);
	else if (comma)
		rc = read_span(r, copy, comma);
	else if (*copy == '+' || *copy == '-')
		rc = read_bounds(r, copy);
	else
		rc = refuse(r, "it has no comma");
	free(copy);
	return rc;
}

static void time_text(char *buf, uint64_t ts, enum tfs_time_format format)
{
	char *end = tfs_prefix_time(buf, ts, format);

	end[-1] = '\0'; /* the colon */
	memmove(buf, buf + strspn(buf, " "), strlen(buf + strspn(buf, " ")) + 1);
}

static int check_overlap(const struct reader *r, size_t from)
{
	char first[TFS_PREFIX_TIME_MAX], last[TFS_PREFIX_TIME_MAX];
	size_t i;

	for (i = from; i < r->out->n; i++)
		if (r->out->v[i].from <= r->clock->last && r->out->v[i].to >= r->clock->first)
			return 0;
	time_text(first, r->clock->first, r->clock->format);
	time_text(last, r->clock->last, r->clock->format);
	tfs_err_say(r->err, -ERANGE, "'%s': nothing was recorded then", r->text);
	tfs_err_hint(r->err, "the recording goes from %s to %s", first, last);
	return -ERANGE;
}

static int compare(const void *a, const void *b)
{
	const struct tfs_time_range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void join(struct tfs_time_ranges *w)
{
	size_t i, n = 0;

	qsort(w->v, w->n, sizeof(*w->v), compare);
	for (i = 1; i < w->n; i++) {
		if (w->v[i].from > w->v[n].to)
			w->v[++n] = w->v[i];
		else if (w->v[i].to > w->v[n].to)
			w->v[n].to = w->v[i].to;
	}
	w->n = w->n ? n + 1 : 0;
}

int tfs_time_ranges_parse(const struct tfs_strvec *specs, const struct tfs_time_range_clock *clock,
			  struct tfs_time_ranges *out, struct tfs_err *err)
{
	struct reader r = { .clock = clock, .out = out, .err = err };
	struct tfs_strvec parts = TFS_STRVEC_INIT;
	size_t i, before;
	int rc = 0;

	*out = (struct tfs_time_ranges){ 0 };
	for (i = 0; i < specs->n && !rc; i++) {
		before = parts.n;
		rc = tfs_strvec_split(&parts, specs->v[i], " ");
		r.text = specs->v[i];
		if (!rc && parts.n == before)
			rc = refuse(&r, "it is empty");
	}
	for (i = 0; i < parts.n && !rc; i++) {
		r.text = parts.v[i];
		before = out->n;
		rc = read_one(&r);
		if (!rc && !clock->empty)
			rc = check_overlap(&r, before);
	}
	tfs_strvec_release(&parts);
	if (rc == -ENOMEM)
		return tfs_err_set(err, rc, "cannot prepare the report");
	if (!rc)
		join(out);
	return rc;
}

uint64_t tfs_time_before_offset(uint64_t ts, uint64_t offset)
{
	if ((int64_t)offset < 0)
		return add(ts, 0 - offset);
	return subtract(ts, offset);
}

void tfs_time_ranges_release(struct tfs_time_ranges *w)
{
	free(w->v);
	*w = (struct tfs_time_ranges){ 0 };
}
