/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/suggest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"

/* A shorter text is part of too many names to be of use. */
#define SUBSTRING_MIN 2
/* More names than this do not help. */
#define HINT_NAMES 5

struct candidate {
	const char *name;
	size_t score;
};

/* Three rows of the table are all that the distance needs: this one and the two before. */
struct rows {
	size_t *row[3];
	size_t *mem;
};

static unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/*
 * Optimal string alignment: insert, delete, replace or swap two neighbours, each for 1; case does
 * not count.
 */
static size_t distance(const char *a, const char *b, size_t nb, struct rows *r)
{
	size_t *prev2 = r->row[0], *prev = r->row[1], *cur = r->row[2], *tmp;
	size_t i, j;

	for (j = 0; j <= nb; j++)
		prev[j] = j;
	for (i = 1; a[i - 1]; i++) {
		cur[0] = i;
		for (j = 1; j <= nb; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);

			cur[j] = min3(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + !same);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]) && prev2[j - 2] + 1 < cur[j])
				cur[j] = prev2[j - 2] + 1;
		}
		tmp = prev2;
		prev2 = prev;
		prev = cur;
		cur = tmp;
	}
	return prev[nb];
}

static bool contains(const char *name, const char *part, size_t len)
{
	size_t i;

	for (; *name; name++) {
		for (i = 0; i < len && lower(name[i]) == lower(part[i]); i++)
			;
		if (i == len)
			return true;
	}
	return false;
}

/* Distance of @name, SIZE_MAX for "not similar"; substrings rank below misspellings. */
static size_t score_of(const char *typed, size_t len, const char *name, struct rows *r)
{
	size_t limit = len / 3;
	size_t nlen = strlen(name);
	size_t gap = nlen > len ? nlen - len : len - nlen;
	size_t d;

	if (gap <= limit) {
		d = distance(typed, name, nlen, r);
		if (d <= limit)
			return d;
	}
	if (len >= SUBSTRING_MIN && nlen > len && contains(name, typed, len))
		return limit + gap;
	return SIZE_MAX;
}

/* Into the best @max seen so far; who came first stays before those as good. */
static size_t insert(struct candidate *best, size_t n, size_t max, const char *name, size_t score)
{
	size_t at = n, i;

	while (at && best[at - 1].score > score)
		at--;
	if (at == max)
		return n;
	for (i = 0; i < n; i++)
		if (best[i].score == score && !strcmp(best[i].name, name))
			return n;
	if (n < max)
		n++;
	memmove(best + at + 1, best + at, (n - at - 1) * sizeof(*best));
	best[at].name = name;
	best[at].score = score;
	return n;
}

static int rows_init(struct rows *r, size_t width)
{
	r->mem = calloc(width, 3 * sizeof(*r->mem));
	if (!r->mem)
		return -ENOMEM;
	r->row[0] = r->mem;
	r->row[1] = r->mem + width;
	r->row[2] = r->mem + 2 * width;
	return 0;
}

int tfs_suggest_names(const char *typed, const struct tfs_strvec *names, size_t max,
		      struct tfs_strvec *out)
{
	struct candidate *best = NULL;
	struct rows rows = { 0 };
	size_t len = strlen(typed);
	size_t n = 0, i, score;
	int rc;

	if (max > names->n)
		max = names->n;
	if (!max || !len)
		return 0;
	/* A name longer than this is never measured, see score_of(). */
	rc = rows_init(&rows, len + len / 3 + 1);
	if (rc)
		goto out;
	best = calloc(max, sizeof(*best));
	if (!best) {
		rc = -ENOMEM;
		goto out;
	}
	for (i = 0; i < names->n; i++) {
		score = score_of(typed, len, names->v[i], &rows);
		if (score != SIZE_MAX)
			n = insert(best, n, max, names->v[i], score);
	}
	for (i = 0; !rc && i < n; i++)
		rc = tfs_strvec_push(out, best[i].name);
out:
	free(best);
	free(rows.mem);
	return rc;
}

void tfs_suggest_hint(struct tfs_err *err, const char *typed, const struct tfs_strvec *names,
		      const char *otherwise)
{
	struct tfs_strvec near = TFS_STRVEC_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	size_t i;
	int rc = tfs_suggest_names(typed, names, HINT_NAMES, &near);

	for (i = 0; i < near.n && !rc; i++)
		rc = tfs_strbuf_addf(&sb, "%s'%s'", i ? ", " : "", near.v[i]);
	if (!rc && sb.len)
		tfs_err_hint(err, "did you mean %s?", sb.s);
	else
		tfs_err_hint(err, "%s", otherwise);
	tfs_strbuf_release(&sb);
	tfs_strvec_release(&near);
}
