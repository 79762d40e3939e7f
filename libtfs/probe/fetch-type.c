/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/fetch-type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "probe/features.h"

/*
 * file:%pD and dentry:%pd are the name, whatever the kernel is: the members on the way to it are
 * those that include/linux/fs.h and dcache.h have had since 2.6.20.
 */
static const struct tfs_fetch_type_info types[] = {
	{ .name = "u", .flags = TFS_FETCH_SIZED },
	{ .name = "s", .flags = TFS_FETCH_SIZED },
	{ .name = "x", .flags = TFS_FETCH_SIZED, .needs = TFS_PROBE_HAS_X_TYPES },
	{ .name = "b", .flags = TFS_FETCH_BITS },
	{ .name = "char", .bytes = 1, .needs = TFS_PROBE_HAS_CHAR },
	{ .name = "string", .flags = TFS_FETCH_STRING | TFS_FETCH_TEXT },
	{ .name = "ustring", .flags = TFS_FETCH_STRING | TFS_FETCH_TEXT },
	{ .name = "symstr", .flags = TFS_FETCH_STRING | TFS_FETCH_KERNEL },
	{ .name = "symbol", .flags = TFS_FETCH_KERNEL },
	{ .name = "%pd",
	  .flags = TFS_FETCH_KERNEL | TFS_FETCH_NO_ARRAY,
	  .needs = TFS_PROBE_HAS_PATH_TYPES,
	  .members = "->d_name.name" },
	{ .name = "%pD",
	  .flags = TFS_FETCH_KERNEL | TFS_FETCH_NO_ARRAY,
	  .needs = TFS_PROBE_HAS_PATH_TYPES,
	  .members = "->f_path.dentry->d_name.name" },
};

bool tfs_fetch_is_width(uint64_t bits)
{
	return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/* The @len digits of s8 to s64; 0 for other numbers. */
static unsigned int width(const char *digits, size_t len)
{
	unsigned int bits = 0;

	if (!len || len > 2 || *digits == '0')
		return 0;
	for (size_t i = 0; i < len; i++) {
		if (digits[i] < '0' || digits[i] > '9')
			return 0;
		bits = bits * 10 + (unsigned int)(digits[i] - '0');
	}
	return tfs_fetch_is_width(bits) ? bits : 0;
}

static bool fits(const struct tfs_fetch_type_info *t, const char *text, size_t len,
		 unsigned int *bits)
{
	*bits = 0;
	if (t->flags & TFS_FETCH_SIZED) {
		*bits = width(text + 1, len - 1);
		return *text == *t->name && (len == 1 || *bits);
	}
	if (t->flags & TFS_FETCH_BITS)
		return *text == *t->name;
	return strlen(t->name) == len && !memcmp(t->name, text, len);
}

int tfs_fetch_type_parse(const char *text, const char *end, struct tfs_fetch_type *out)
{
	const char *open = memchr(text, '[', (size_t)(end - text));
	size_t len = (size_t)((open ? open : end) - text);
	unsigned int bits;

	for (size_t i = 0; i < ARRAY_SIZE(types) && len; i++) {
		if (!fits(&types[i], text, len, &bits))
			continue;
		*out = (struct tfs_fetch_type){ &types[i], bits, open ? open : "" };
		return 0;
	}
	return -EINVAL;
}

static bool parse(const char *text, struct tfs_fetch_type *out)
{
	return text && !tfs_fetch_type_parse(text, text + strlen(text), out);
}

bool tfs_fetch_type_is(const char *text, unsigned int flag)
{
	struct tfs_fetch_type t;

	return parse(text, &t) && !*t.array && t.info->flags & flag;
}

bool tfs_fetch_type_is_letter(const char *text)
{
	return text && *text && !text[1] && tfs_fetch_type_is(text, TFS_FETCH_SIZED);
}

uint64_t tfs_fetch_type_bytes(const char *text)
{
	struct tfs_fetch_type t;
	uint64_t bytes;

	if (!parse(text, &t))
		return 0;
	bytes = t.bits ? t.bits / 8 : t.info->bytes;
	return *t.array ? bytes * strtoul(t.array + 1, NULL, 10) : bytes;
}

const char *tfs_fetch_type_members(const char *text)
{
	struct tfs_fetch_type t;

	return parse(text, &t) ? t.info->members : NULL;
}

bool tfs_fetch_type_is_word(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789@/[]")] == '\0';
}
