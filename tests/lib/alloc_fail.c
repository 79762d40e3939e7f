/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/alloc_fail.h"

#include <errno.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
char *__wrap_strdup(const char *s);

static struct {
	bool armed;
	bool hit;
	size_t left;
} plan;

void alloc_fail_at(size_t n)
{
	plan.armed = true;
	plan.hit = false;
	plan.left = n;
}

bool alloc_fail_off(void)
{
	plan.armed = false;
	return plan.hit;
}

static bool fails(void)
{
	if (!plan.armed || plan.hit)
		return false;
	if (plan.left--)
		return false;
	plan.hit = true;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}
