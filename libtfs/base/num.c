/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/num.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/time.h"

/*
 * struct scan - a number being read
 * @s: the whole text
 * @p: next byte
 * @value: of the digits so far, UINT64_MAX when @over
 * @over: they are more than 64 bits hold
 */
struct scan {
	const char *s;
	const char *p;
	uint64_t value;
	bool over;
};

static int digit_of(char c, unsigned int base)
{
	int d = 99;

	if (c >= '0' && c <= '9')
		d = c - '0';
	else if (c >= 'a' && c <= 'f')
		d = c - 'a' + 10;
	else if (c >= 'A' && c <= 'F')
		d = c - 'A' + 10;
	return d < (int)base ? d : -1;
}

/* Digits of @base at @sc->p; false if there is none */
static bool scan_digits(struct scan *sc, unsigned int base)
{
	const char *start = sc->p;
	int d;

	for (; (d = digit_of(*sc->p, base)) >= 0; sc->p++) {
		if (sc->over || sc->value > (UINT64_MAX - (unsigned int)d) / base) {
			sc->over = true;
			sc->value = UINT64_MAX;
			continue;
		}
		sc->value = sc->value * base + (unsigned int)d;
	}
	return sc->p != start;
}

/* Decimal, or hexadecimal with 0x */
static bool scan_number(struct scan *sc)
{
	if (sc->p[0] == '0' && (sc->p[1] == 'x' || sc->p[1] == 'X') &&
	    digit_of(sc->p[2], 16) >= 0) {
		sc->p += 2;
		return scan_digits(sc, 16);
	}
	return scan_digits(sc, 10);
}

/* "a number", "a size", ... is what @sc->s should have been; @sc->p is at fault */
static int fault(const struct scan *sc, struct tfs_err *err, const char *what, const char *forms)
{
	if (!*sc->s)
		tfs_err_say(err, -EINVAL, "'' is not %s: it is empty", what);
	else if (!*sc->p)
		tfs_err_say(err, -EINVAL, "'%s' is not %s: it ends too early", sc->s, what);
	else
		tfs_err_say(err, -EINVAL, "'%s' is not %s: unexpected '%s'", sc->s, what, sc->p);
	tfs_err_input(err, sc->s, (int)(sc->p - sc->s));
	tfs_err_hint(err, "%s", forms);
	return -EINVAL;
}

static int too_small(const char *s, struct tfs_err *err, const char *least)
{
	tfs_err_say(err, -ERANGE, "'%s' is too small: at least %s is accepted", s, least);
	tfs_err_input(err, s, 0);
	return -ERANGE;
}

static int too_large(const char *s, struct tfs_err *err, const char *most)
{
	tfs_err_say(err, -ERANGE, "'%s' is too large: at most %s is accepted", s, most);
	tfs_err_input(err, s, 0);
	return -ERANGE;
}

int tfs_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out, struct tfs_err *err)
{
	struct scan sc = { .s = s, .p = s };
	char limit[24];

	if (!scan_number(&sc) || *sc.p)
		return fault(&sc, err, "a number",
			     "write it in decimal, or in hexadecimal with 0x");
	if (sc.over || sc.value > max) {
		snprintf(limit, sizeof(limit), "%" PRIu64, max);
		return too_large(s, err, limit);
	}
	if (sc.value < min) {
		snprintf(limit, sizeof(limit), "%" PRIu64, min);
		return too_small(s, err, limit);
	}
	*out = sc.value;
	return 0;
}

int tfs_parse_s64(const char *s, int64_t min, int64_t max, int64_t *out, struct tfs_err *err)
{
	struct scan sc = { .s = s, .p = s };
	bool minus = *s == '-';
	/* -INT64_MIN does not fit in an int64_t */
	uint64_t most_abs = minus ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
	char limit[24];
	int64_t value;

	if (*s == '-' || *s == '+')
		sc.p++;
	if (!scan_number(&sc) || *sc.p)
		return fault(&sc, err, "a number",
			     "write it in decimal, or in hexadecimal with 0x");
	if (sc.value > most_abs) {
		sc.over = true;
		sc.value = most_abs;
	}
	value = minus ? (int64_t)(0 - sc.value) : (int64_t)sc.value;
	if (value > max || (sc.over && !minus)) {
		snprintf(limit, sizeof(limit), "%" PRId64, max);
		return too_large(s, err, limit);
	}
	if (value < min || sc.over) {
		snprintf(limit, sizeof(limit), "%" PRId64, min);
		return too_small(s, err, limit);
	}
	*out = value;
	return 0;
}

/* As short as it can be said exactly: 65536 is "64K" */
static void size_text(uint64_t bytes, char *text, size_t size)
{
	static const char *const units[] = { "", "K", "M", "G", "T" };
	size_t unit = 0;

	while (unit + 1 < ARRAY_SIZE(units) && bytes && !(bytes % 1024)) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, size, "%" PRIu64 "%s", bytes, units[unit]);
}

int tfs_parse_size(const char *s, uint64_t unit, uint64_t min, uint64_t max, uint64_t *out,
		   struct tfs_err *err)
{
	static const char units[] = "KkMmGgTt";
	static const char forms[] = "write a number followed by K, M, G or T, as in 64M";
	struct scan sc = { .s = s, .p = s };
	const char *found;
	char limit[24];

	if (!scan_number(&sc))
		return fault(&sc, err, "a size", forms);
	if (*sc.p) {
		found = strchr(units, *sc.p);
		if (!found) {
			tfs_err_say(err, -EINVAL, "'%s': unknown unit '%s'", s, sc.p);
			tfs_err_input(err, s, (int)(sc.p - s));
			tfs_err_hint(err, "%s", forms);
			return -EINVAL;
		}
		unit = UINT64_C(1024) << ((found - units) / 2 * 10);
		sc.p++;
		if (*sc.p)
			return fault(&sc, err, "a size", forms);
	}
	if (sc.over || (unit && sc.value > UINT64_MAX / unit) || sc.value * unit > max) {
		size_text(max, limit, sizeof(limit));
		return too_large(s, err, limit);
	}
	if (sc.value * unit < min) {
		size_text(min, limit, sizeof(limit));
		return too_small(s, err, limit);
	}
	*out = sc.value * unit;
	return 0;
}

/* Billionths of the unit in the digits at @sc->p; false if there is no digit, or one too fine */
static bool scan_fraction(struct scan *sc, uint64_t *billionths)
{
	const char *start = sc->p;
	uint64_t place = NS_PER_SEC;

	*billionths = 0;
	for (; *sc->p >= '0' && *sc->p <= '9'; sc->p++) {
		place /= 10;
		if (!place && *sc->p != '0')
			return false;
		*billionths += place * (unsigned int)(*sc->p - '0');
	}
	return sc->p != start;
}

static uint64_t duration_unit(const char *suffix)
{
	static const struct {
		const char *suffix;
		uint64_t ns;
	} units[] = {
		{ "", NS_PER_SEC },
		{ "s", NS_PER_SEC },
		{ "ms", NS_PER_MSEC },
		{ "us", NS_PER_USEC },
		{ "ns", 1 },
		{ "m", UINT64_C(60) * NS_PER_SEC },
		{ "h", UINT64_C(3600) * NS_PER_SEC },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].suffix, suffix))
			return units[i].ns;
	return 0;
}

/* A clock that such a time is added to does not wrap around, nor does one with a sign. */
#define DURATION_MAX ((UINT64_C(1) << 62) - 1)

int tfs_parse_duration(const char *s, uint64_t *ns, struct tfs_err *err)
{
	static const char forms[] = "write seconds, or a number followed by ns, us, ms, s, m or h";
	struct scan sc = { .s = s, .p = s };
	uint64_t unit, fraction = 0;
	bool digits = scan_digits(&sc, 10);

	if (*sc.p == '.') {
		sc.p++;
		digits = scan_fraction(&sc, &fraction);
	}
	if (!digits)
		return fault(&sc, err, "a duration", forms);
	unit = duration_unit(sc.p);
	if (!unit) {
		tfs_err_say(err, -EINVAL, "'%s': unknown unit '%s'", s, sc.p);
		tfs_err_input(err, s, (int)(sc.p - s));
		tfs_err_hint(err, "%s", forms);
		return -EINVAL;
	}
	if (unit < NS_PER_SEC && fraction * unit % NS_PER_SEC) {
		tfs_err_say(err, -EINVAL, "'%s' is finer than a nanosecond", s);
		tfs_err_input(err, s, (int)(strchr(s, '.') - s));
		return -EINVAL;
	}
	/* Either factor stays small: a fraction below 10^9, a unit of at most 3600 s. */
	if (unit < NS_PER_SEC)
		fraction = fraction * unit / NS_PER_SEC;
	else
		fraction *= unit / NS_PER_SEC;
	if (sc.over || sc.value > (DURATION_MAX - fraction) / unit)
		return too_large(s, err, "2^62-1 ns (146 years)");
	*ns = sc.value * unit + fraction;
	return 0;
}
