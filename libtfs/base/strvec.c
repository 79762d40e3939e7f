/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/strvec.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"

void tfs_strvec_init(struct tfs_strvec *sv)
{
	sv->v = NULL;
	sv->n = 0;
	sv->cap = 0;
}

static void drop_from(struct tfs_strvec *sv, size_t keep)
{
	while (sv->n > keep) {
		free(sv->v[--sv->n]);
		sv->v[sv->n] = NULL;
	}
}

void tfs_strvec_release(struct tfs_strvec *sv)
{
	drop_from(sv, 0);
	free(sv->v);
	tfs_strvec_init(sv);
}

/* Room for one more string and the NULL after it. */
static int make_room(struct tfs_strvec *sv)
{
	int rc = tfs_grow(&sv->v, &sv->cap, sv->n + 2);

	if (!rc)
		sv->v[sv->n] = NULL;
	return rc;
}

/* @s belongs to @sv from now on, also on failure. */
static int push_take(struct tfs_strvec *sv, char *s)
{
	int rc = make_room(sv);

	if (rc) {
		free(s);
		return rc;
	}
	sv->v[sv->n++] = s;
	sv->v[sv->n] = NULL;
	return 0;
}

int tfs_strvec_push(struct tfs_strvec *sv, const char *s)
{
	return tfs_strvec_pushn(sv, s, strlen(s));
}

int tfs_strvec_pushn(struct tfs_strvec *sv, const char *s, size_t len)
{
	char *copy;

	if (len == SIZE_MAX)
		return -ENOMEM;
	copy = malloc(len + 1);
	if (!copy)
		return -ENOMEM;
	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return push_take(sv, copy);
}

int tfs_strvec_pushf(struct tfs_strvec *sv, const char *fmt, ...)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char *s = NULL;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = tfs_strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	if (!rc)
		rc = tfs_strbuf_detach(&sb, &s);
	if (!rc)
		rc = push_take(sv, s);
	tfs_strbuf_release(&sb);
	return rc;
}

void tfs_strvec_remove(struct tfs_strvec *sv, size_t i)
{
	free(sv->v[i]);
	sv->n--;
	memmove(&sv->v[i], &sv->v[i + 1], (sv->n - i + 1) * sizeof(*sv->v));
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void tfs_strvec_sort(struct tfs_strvec *sv)
{
	if (sv->n > 1)
		qsort(sv->v, sv->n, sizeof(*sv->v), compare);
}

bool tfs_strvec_has(const struct tfs_strvec *sv, const char *s)
{
	size_t i;

	for (i = 0; i < sv->n; i++)
		if (!strcmp(sv->v[i], s))
			return true;
	return false;
}

int tfs_strvec_split(struct tfs_strvec *sv, const char *s, const char *seps)
{
	size_t before = sv->n;
	size_t len;
	int rc;

	for (s += strspn(s, seps); *s; s += strspn(s, seps)) {
		len = strcspn(s, seps);
		rc = tfs_strvec_pushn(sv, s, len);
		if (rc) {
			drop_from(sv, before);
			return rc;
		}
		s += len;
	}
	return 0;
}
