/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/path.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/num.h"
#include "base/strbuf-core.h"

/* More than the kernel's dereferences and the deepest nest of structs. */
#define STEPS_MAX 256

void tfs_path_release(struct tfs_path *path)
{
	size_t i;

	for (i = 0; i < path->n; i++)
		free(path->step[i].name);
	free(path->step);
	free(path->name);
	memset(path, 0, sizeof(*path));
}

static int fail(const char *text, const char *at, const char *what, struct tfs_err *err)
{
	tfs_err_say(err, -EINVAL, "'%s': %s", text, what);
	tfs_err_input(err, text, (int)(at - text));
	return -EINVAL;
}

/* Letters of C, C++ (::), Go and Rust names; not what begins a step. */
static size_t name_length(const char *s)
{
	/* what Go calls a result that has no name: ~r0 */
	size_t n = s[0] == '~' && s[1] == 'r';

	while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '$' || (s[n] & 0x80) ||
	       (s[n] == ':' && s[n + 1] == ':') || (s[n] == ':' && n && s[n - 1] == ':'))
		n++;
	/* an element of a parameter pack: NAME#0 */
	if (n && s[n] == '#' && isdigit((unsigned char)s[n + 1]))
		n += 1 + strspn(s + n + 1, "0123456789");
	return n;
}

/* A variable of Go's with the path of its package: example.com/m/pkg.V; 0: it is none */
static size_t package_name_length(const char *s)
{
	const char *slash = strrchr(s, '/'), *dot = slash ? strchr(slash, '.') : NULL;
	size_t n = dot ? name_length(dot + 1) : 0;

	return n && isalnum((unsigned char)*s) ? (size_t)(dot + 1 - s) + n : 0;
}

static struct tfs_step *add_step(struct tfs_path *path)
{
	if (tfs_grow_one(&path->step, path->n))
		return NULL;
	path->step[path->n] = (struct tfs_step){ 0 };
	return &path->step[path->n++];
}

static int parse_index(const char *text, const char **at, struct tfs_step *step,
		       struct tfs_err *err)
{
	const char *end = strchr(*at, ']');
	char digits[24];
	size_t len;

	if (!end)
		return fail(text, *at, "no ']' after the '['", err);
	len = (size_t)(end - *at) - 1;
	if (!len || len >= sizeof(digits))
		return fail(text, *at + 1, "an index is a number", err);
	memcpy(digits, *at + 1, len);
	digits[len] = '\0';
	if (tfs_parse_s64(digits, INT32_MIN, INT32_MAX, &step->index, NULL))
		return fail(text, *at + 1, "an index is a number", err);
	step->kind = TFS_STEP_INDEX;
	*at = end + 1;
	return 0;
}

static int parse_step(const char *text, const char **at, struct tfs_path *path, struct tfs_err *err)
{
	struct tfs_step *step;
	size_t len;

	if (path->n == STEPS_MAX)
		return fail(text, *at, "too many members", err);
	step = add_step(path);
	if (!step)
		return tfs_err_set(err, -ENOMEM, "cannot read '%s'", text);
	step->at = (int)(*at - text);
	if (**at == '[')
		return parse_index(text, at, step, err);
	if (**at == '.') {
		step->kind = TFS_STEP_DOT;
		*at += 1;
	} else if ((*at)[0] == '-' && (*at)[1] == '>') {
		step->kind = TFS_STEP_ARROW;
		*at += 2;
	} else {
		return fail(text, *at, "expected '.', '->' or '['", err);
	}
	len = name_length(*at);
	if (!len)
		return fail(text, *at, "expected the name of a member", err);
	step->name = strndup(*at, len);
	if (!step->name)
		return tfs_err_set(err, -ENOMEM, "cannot read '%s'", text);
	*at += len;
	return 0;
}

int tfs_path_parse(const char *text, struct tfs_path *out, struct tfs_err *err)
{
	struct tfs_path path = { 0 };
	const char *at = text;
	size_t len;
	int rc = 0;

	if (*at == '&') {
		path.address = true;
		at++;
	}
	for (; *at == '*'; at++)
		path.stars++;
	len = package_name_length(at);
	if (!len)
		len = name_length(at);
	if (!len)
		return fail(text, at, "expected the name of a variable", err);
	if (path.stars > STEPS_MAX)
		return fail(text, text, "too many '*'", err);
	path.name = strndup(at, len);
	if (!path.name)
		return tfs_err_set(err, -ENOMEM, "cannot read '%s'", text);
	at += len;
	while (*at && !rc)
		rc = parse_step(text, &at, &path, err);
	if (rc)
		tfs_path_release(&path);
	else
		*out = path;
	return rc;
}

int tfs_path_print(const struct tfs_path *path, struct tfs_strbuf *out)
{
	unsigned int star;
	size_t i;
	int rc = 0;

	if (path->address)
		rc = tfs_strbuf_addc(out, '&');
	for (star = 0; star < path->stars && !rc; star++)
		rc = tfs_strbuf_addc(out, '*');
	if (!rc)
		rc = tfs_strbuf_adds(out, path->name);
	for (i = 0; i < path->n && !rc; i++) {
		const struct tfs_step *step = &path->step[i];

		if (step->kind == TFS_STEP_INDEX)
			rc = tfs_strbuf_addf(out, "[%" PRId64 "]", step->index);
		else
			rc = tfs_strbuf_addf(out, "%s%s", step->kind == TFS_STEP_DOT ? "." : "->",
					     step->name);
	}
	return rc;
}
