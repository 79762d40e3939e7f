/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/meaning.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Digits that distinguish every binary32, and every binary64, from its neighbours. */
#define DIGITS_32 9
#define DIGITS_64 17

void tfs_meaning_release(struct tfs_meaning *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->names[i].name);
	free(m->names);
	memset(m, 0, sizeof(*m));
}

bool tfs_meaning_is_plain(const struct tfs_meaning *m)
{
	return m->kind == TFS_MEANS_NUMBER && !m->bits;
}

uint64_t tfs_meaning_extend(unsigned int bits, uint64_t value)
{
	unsigned int unused = bits && bits < 64 ? 64 - bits : 0;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

int tfs_meaning_add(struct tfs_meaning *m, uint64_t value, const char *name)
{
	char *copy;

	if (m->n >= TFS_MEANING_NAMES_MAX || strlen(name) > TFS_MEANING_NAME_MAX)
		return -E2BIG;
	if (tfs_grow_one(&m->names, m->n))
		return -ENOMEM;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	m->kind = TFS_MEANS_NAME;
	m->names[m->n] = (struct tfs_meaning_name){ value, m->n, copy };
	m->n++;
	return 0;
}

int tfs_meaning_copy(struct tfs_meaning *to, const struct tfs_meaning *from)
{
	int rc = 0;

	*to = (struct tfs_meaning){ .kind = from->kind, .bits = from->bits };
	for (size_t i = 0; i < from->n && !rc; i++)
		rc = tfs_meaning_add(to, from->names[i].value, from->names[i].name);
	if (rc)
		tfs_meaning_release(to);
	return rc;
}

static uint64_t cut(uint64_t value, unsigned int bits)
{
	return bits && bits < 64 ? value & (((uint64_t)1 << bits) - 1) : value;
}

static int compare_values(const void *a, const void *b)
{
	const struct tfs_meaning_name *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static int compare(const void *a, const void *b)
{
	const struct tfs_meaning_name *x = a, *y = b;
	int order = compare_values(x, y);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

void tfs_meaning_sort(struct tfs_meaning *m)
{
	size_t kept = 0;

	if (!m->n)
		return;
	qsort(m->names, m->n, sizeof(*m->names), compare);
	for (size_t i = 0; i < m->n; i++) {
		if (kept && m->names[kept - 1].value == m->names[i].value)
			free(m->names[i].name);
		else
			m->names[kept++] = m->names[i];
	}
	m->n = kept;
}

bool tfs_meaning_same(const struct tfs_meaning *a, const struct tfs_meaning *b)
{
	if (a->kind != b->kind || a->bits != b->bits || a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		if (a->names[i].value != b->names[i].value ||
		    strcmp(a->names[i].name, b->names[i].name) != 0)
			return false;
	}
	return true;
}

const char *tfs_meaning_name(const struct tfs_meaning *m, uint64_t value, unsigned int size)
{
	const struct tfs_meaning_name key = {
		.value = cut(value, m->bits ? m->bits : 8 * size),
	};
	const struct tfs_meaning_name *found =
		m->n ? bsearch(&key, m->names, m->n, sizeof(key), compare_values) : NULL;

	return found ? found->name : NULL;
}

bool tfs_meaning_value(const struct tfs_meaning *m, const char *name, size_t len, uint64_t *value)
{
	for (size_t i = 0; i < m->n; i++) {
		if (strncmp(m->names[i].name, name, len) != 0 || m->names[i].name[len])
			continue;
		*value = m->names[i].value;
		return true;
	}
	return false;
}

static double number_of(uint64_t bits, unsigned int size)
{
	uint32_t low = (uint32_t)bits;
	double wide;
	float narrow;

	if (size == sizeof(narrow)) {
		memcpy(&narrow, &low, sizeof(narrow));
		return (double)narrow;
	}
	memcpy(&wide, &bits, sizeof(wide));
	return wide;
}

bool tfs_float_is_finite(uint64_t bits, unsigned int size)
{
	return isfinite(number_of(bits, size));
}

/* Does the text read back as this very number, of its size? */
static bool reads_back(const char *text, double number, unsigned int size)
{
	if (size == sizeof(float))
		return strtof(text, NULL) == (float)number;
	return strtod(text, NULL) == number;
}

char *tfs_float_put(char *p, uint64_t bits, unsigned int size)
{
	const int most = size == sizeof(float) ? DIGITS_32 : DIGITS_64;
	double number = number_of(bits, size);
	char text[TFS_FLOAT_MAX + 1];
	int len = 0;

	if (isnan(number)) {
		memcpy(p, "nan", 3);
		return p + 3;
	}
	for (int digits = 1; digits <= most; digits++) {
		len = snprintf(text, sizeof(text), "%.*g", digits, number);
		if (reads_back(text, number, size))
			break;
	}
	memcpy(p, text, (size_t)len);
	return p + len;
}
