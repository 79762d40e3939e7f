/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/name.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/macros.h"
#include "base/strmap.h"
#include "base/strvec.h"
#include "probe/spec.h"

#define NAME_SIZE (TFS_PROBE_NAME_MAX + 1)
#define HASH_DIGITS 6
#define TRIES 10000
#define RETURN_SUFFIX "__return"

static const char destructor[] = "dtor";

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool tfs_probe_is_identifier(const char *name, size_t max)
{
	if (!*name || isdigit((unsigned char)*name) || strlen(name) > max)
		return false;
	for (; *name; name++) {
		if (!is_word(*name))
			return false;
	}
	return true;
}

bool tfs_probe_is_group(const char *name)
{
	if (!is_word(*name) || isdigit((unsigned char)*name) || strlen(name) > TFS_PROBE_NAME_MAX)
		return false;
	for (; *name; name++) {
		if (!is_word(*name) && *name != '-')
			return false;
	}
	return true;
}

/* 24 bits of it */
static uint32_t hash(const char *s, size_t len)
{
	uint32_t h = tfs_hash32(s, len);

	return (h ^ (h >> 24)) & 0xffffff;
}

/* How much of @name is not what a compiler or linker added. */
static size_t without_suffix(const char *name, size_t len)
{
	static const char *const suffixes[] = { ".isra",  ".constprop", ".part", ".cold",
						".llvm",  ".lto_priv",  ".ipa",  ".localalias",
						".clone", ".unlikely",  ".hot" };

	for (const char *p = name + 1; p < name + len; p++) {
		if (*p != '.')
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
			size_t n = strlen(suffixes[i]);

			if ((size_t)(name + len - p) >= n && !strncmp(p, suffixes[i], n) &&
			    (p + n == name + len || p[n] == '.' || p[n] == '_'))
				return (size_t)(p - name);
		}
		if (p + strspn(p, ".0123456789") >= name + len)
			return (size_t)(p - name);
	}
	return len;
}

/* Without the parameter list at the end; Go's (*T) is followed by a name. */
static size_t without_params(const char *name, size_t len)
{
	static const char is_const[] = " const";
	size_t depth = 0, i, n = len;

	if (n > 6 && !strncmp(name + n - 6, is_const, 6))
		n -= 6;
	if (!n || name[n - 1] != ')')
		return len;
	for (i = n; i > 0; i--) {
		if (name[i - 1] == ')')
			depth++;
		else if (name[i - 1] == '(' && !--depth)
			break;
	}
	return i > 1 ? i - 1 : len;
}

/* The last element of a Go package's path: what has a dot after the last slash. */
static size_t directories(const char *name, size_t len)
{
	size_t after = 0;

	for (size_t i = 0; i < len; i++) {
		if (name[i] == '(' || name[i] == '<' || name[i] == '[' || name[i] == ' ')
			break;
		if (name[i] == '/' && memchr(name + i, '.', len - i))
			after = i + 1;
	}
	return after;
}

void tfs_probe_sanitise(const char *name, char out[NAME_SIZE])
{
	const char *from = name;
	size_t len, n = 0;
	bool gap = false;

	len = strlen(name);
	/* a symbol's version, the linkage table */
	if (len && memchr(name + 1, '@', len - 1))
		len = (size_t)((const char *)memchr(name + 1, '@', len - 1) - name);
	len = without_suffix(from, len);
	len = without_params(from, len);
	n = directories(from, len);
	from += n;
	len -= n;
	n = 0;
	for (size_t i = 0; i < len; i++) {
		/* not what the constructor is called */
		if (from[i] == '~' && i + 1 < len && is_word(from[i + 1]) &&
		    n + sizeof(destructor) < TFS_PROBE_NAME_MAX) {
			n += (size_t)snprintf(out + n, sizeof(destructor) + 1, "%s%s", n ? "_" : "",
					      destructor);
			gap = true;
			continue;
		}
		if (!is_word(from[i])) {
			gap = n > 0;
			continue;
		}
		if (n + gap >= TFS_PROBE_NAME_MAX) {
			n = TFS_PROBE_NAME_MAX + 1;
			break;
		}
		if (gap || (!n && isdigit((unsigned char)from[i])))
			out[n++] = '_';
		gap = false;
		out[n++] = from[i];
	}
	if (n > TFS_PROBE_NAME_MAX) {
		n = TFS_PROBE_NAME_MAX - HASH_DIGITS - 1;
		n += (size_t)snprintf(out + n, HASH_DIGITS + 2, "_%06" PRIx32,
				      hash(name, strlen(name)));
	}
	if (!n)
		out[n++] = '_';
	out[n] = '\0';
}

/* @head and @tail together; of a head that is too long the beginning and its hash. */
static void join(const char *head, const char *tail, char out[NAME_SIZE])
{
	size_t len = strlen(head), room = TFS_PROBE_NAME_MAX - strlen(tail);
	char cut[HASH_DIGITS + 2] = "";

	if (len > room) {
		snprintf(cut, sizeof(cut), "_%06" PRIx32, hash(head, len));
		len = room - HASH_DIGITS - 1;
	}
	memmove(out, head, len);
	stpcpy(stpcpy(out + len, cut), tail);
}

void tfs_probe_name_group(const char *path, char out[NAME_SIZE])
{
	static const char head[] = "probe_";
	const char *base;
	size_t n = 0;

	if (!path) {
		memcpy(out, "probe", sizeof("probe"));
		return;
	}
	base = strrchr(path, '/');
	base = base ? base + 1 : path;
	while (n < TFS_PROBE_NAME_MAX - (sizeof(head) - 1) && is_word(base[n]))
		n++;
	snprintf(out, NAME_SIZE, "%s%.*s", head, (int)n, base);
}

void tfs_probe_name_event(const struct tfs_probe_spec *spec, const char *func,
			  enum tfs_probe_naming naming, char out[NAME_SIZE])
{
	char tail[32] = "";
	const char *name = func;

	if (spec->event) {
		snprintf(out, NAME_SIZE, "%s", spec->event);
		return;
	}
	if (spec->at == TFS_PROBE_AT_ADDR) {
		snprintf(out, NAME_SIZE, "abs_%" PRIx64 "%s", spec->offset,
			 spec->ret ? RETURN_SUFFIX : "");
		return;
	}
	if (spec->at == TFS_PROBE_AT_SDT) {
		if (!func || !strpbrk(spec->func, "*?[")) {
			name = strchr(spec->func, ':');
			name = name ? name + 1 : spec->func;
		}
	} else if (spec->at == TFS_PROBE_AT_FUNC && naming == TFS_PROBE_AS_TYPED) {
		name = spec->func;
	}
	tfs_probe_sanitise(name ? name : "_", out);
	if (spec->at == TFS_PROBE_AT_FUNC && spec->has_line && spec->line)
		snprintf(tail, sizeof(tail), "_L%u", spec->line);
	else if (spec->ret)
		snprintf(tail, sizeof(tail), RETURN_SUFFIX);
	join(out, tail, out);
}

void tfs_probe_name_numbered(const char *base, unsigned int n, char out[NAME_SIZE])
{
	char tail[16];

	snprintf(tail, sizeof(tail), "_%u", n);
	join(base, tail, out);
}

int tfs_probe_name_next(const char *group, const char *base, const struct tfs_strmap *taken,
			char out[NAME_SIZE])
{
	char full[2 * NAME_SIZE + 2];

	for (unsigned int i = 1; i < TRIES; i++) {
		tfs_probe_name_numbered(base, i, out);
		snprintf(full, sizeof(full), "%s/%s", group, out);
		if (!tfs_strmap_get(taken, full, NULL))
			return 0;
	}
	return -EEXIST;
}

bool tfs_probe_is_reserved(const char *name)
{
	static const char *const names[] = {
		"common_type", "common_flags", "common_preempt_count", "common_pid",
		"common_tgid", "__probe_ip",   "__probe_ret_ip",       "__probe_func",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

void tfs_probe_name_arg(const char *wish, const struct tfs_strvec *taken,
			char out[TFS_PROBE_ARG_NAME_MAX + 1])
{
	char base[TFS_PROBE_ARG_NAME_MAX + 1], tail[16];
	size_t n = 0;

	if (wish && isdigit((unsigned char)*wish))
		base[n++] = '_';
	for (; wish && *wish && n < TFS_PROBE_ARG_NAME_MAX; wish++) {
		if (is_word(*wish))
			base[n++] = *wish;
		else if (n && base[n - 1] != '_')
			base[n++] = '_';
	}
	base[n] = '\0';
	if (!n)
		snprintf(base, sizeof(base), "arg%zu", taken->n + 1);
	memcpy(out, base, sizeof(base));
	for (unsigned int i = 2; tfs_strvec_has(taken, out) || tfs_probe_is_reserved(out); i++) {
		size_t room;

		snprintf(tail, sizeof(tail), "_%u", i);
		room = TFS_PROBE_ARG_NAME_MAX - strlen(tail);
		snprintf(out, TFS_PROBE_ARG_NAME_MAX + 1, "%.*s%s", (int)room, base, tail);
	}
}
