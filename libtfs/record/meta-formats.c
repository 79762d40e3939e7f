/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/meta-formats.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "format/event-format.h"
#include "record/constants.h"
#include "record/symbol-needs.h"
#include "record/symbols.h"
#include "tracefs/file.h"

/* A payload in the making; numbers are in host byte order, as the writer's header says. */
struct formats {
	const struct tfs_root *root;
	struct tfs_strbuf path;
	struct tfs_strbuf *payload;
	struct tfs_symbol_needs *needs;
	struct tfs_constants *constants; /* NULL: not asked for */
	struct tfs_err why;              /* the file that could not be read */
};

int tfs_meta_add_sized(struct tfs_strbuf *sb, const struct tfs_strbuf *text)
{
	uint64_t n = text->len;
	int rc = tfs_strbuf_add(sb, &n, sizeof(n));

	return rc ? rc : tfs_strbuf_add(sb, text->s, text->len);
}

/* A number that is known only after what follows it; *@at: where it is */
static int begin_count(struct formats *f, size_t *at)
{
	const uint32_t none = 0;

	*at = f->payload->len;
	return tfs_strbuf_add(f->payload, &none, sizeof(none));
}

static void put_count(struct formats *f, size_t at, uint32_t n)
{
	memcpy(f->payload->s + at, &n, sizeof(n));
}

static void add_needs(struct formats *f, const char *system, const char *event, const char *text,
		      size_t size)
{
	struct tfs_event_format header;

	f->needs->of++;
	if (tfs_format_names_code(text, size))
		tfs_symbol_needs_add(f->needs, system, event,
				     tfs_event_format_parse(text, size, &header) ? -1 : header.id);
}

/* Read one event's format file into the payload. */
static int add_format(struct formats *f, const char *system, const char *event, uint32_t *count)
{
	const size_t before = f->payload->len;
	uint64_t size = 0;
	const char *text;
	int rc;

	tfs_strbuf_reset(&f->path);
	rc = tfs_strbuf_addf(&f->path, "events/%s/%s/format", system, event);
	if (!rc)
		rc = tfs_strbuf_add(f->payload, &size, sizeof(size));
	if (rc)
		return rc;
	rc = tfs_file_read(f->root, f->path.s, f->payload, &f->why);
	/* A module that is unloaded takes its events along; any other is needed to decode them. */
	if (rc == -ENOENT || rc == -ENODEV) {
		f->payload->len = before;
		tfs_err_clear(&f->why);
		return 0;
	}
	if (rc)
		return rc;
	size = f->payload->len - before - sizeof(size);
	memcpy(f->payload->s + before, &size, sizeof(size));
	++*count;
	text = f->payload->s + before + sizeof(size);
	if (f->needs)
		add_needs(f, system, event, text, size);
	return f->constants ? tfs_constants_add(f->constants, system, text, size) : 0;
}

static void say_why(const struct formats *f, int rc, const char *what, struct tfs_err *err)
{
	if (!err)
		return;
	if (!f->why.code) {
		tfs_err_set(err, rc, "%s", what);
		return;
	}
	*err = f->why;
	tfs_err_prefix(err, "%s", what);
}

int tfs_meta_ftrace_formats(const struct tfs_root *root, struct tfs_strbuf *payload,
			    struct tfs_err *err)
{
	struct formats f = {
		.root = root,
		.path = TFS_STRBUF_INIT,
		.payload = payload,
		.why = TFS_ERR_INIT,
	};
	struct tfs_strvec names = TFS_STRVEC_INIT;
	uint32_t count = 0;
	size_t at = 0;
	int rc;

	rc = tfs_file_list(root, "events/ftrace", TFS_LIST_DIRS, &names, err);
	if (rc)
		goto out;
	rc = begin_count(&f, &at);
	for (size_t i = 0; i < names.n && !rc; i++)
		rc = add_format(&f, "ftrace", names.v[i], &count);
	if (rc)
		say_why(&f, rc, "cannot collect the formats of ftrace", err);
	else
		put_count(&f, at, count);
out:
	tfs_strvec_release(&names);
	tfs_strbuf_release(&f.path);
	return rc;
}

/*
 * "system:*" becomes its events. A system that is not there any more has none: its module was
 * unloaded (tests/vm/t-module.sh).
 */
static int expand(struct formats *f, const char *name, struct tfs_strvec *out)
{
	const char *colon = strchr(name, ':');
	const int len = (int)(colon ? colon - name : 0);
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc;

	if (!colon || strcmp(colon, ":*") != 0)
		return tfs_strvec_push(out, name);
	tfs_strbuf_reset(&f->path);
	rc = tfs_strbuf_addf(&f->path, "events/%.*s", len, name);
	if (!rc)
		rc = tfs_file_list(f->root, f->path.s, TFS_LIST_DIRS, &names, NULL);
	for (size_t i = 0; i < names.n && !rc; i++)
		rc = tfs_strvec_pushf(out, "%.*s:%s", len, name, names.v[i]);
	tfs_strvec_release(&names);
	return rc == -ENOENT ? 0 : rc;
}

/*
 * plugins/syscalls/abi.c finds out whose numbers the calls of raw_syscalls are from events that one
 * architecture alone has, or else from symbols. One such event
 * is enough.
 */
static int add_telling(struct formats *f, struct tfs_strvec *names)
{
	static const char system[] = "raw_syscalls:";
	static const char *const telling[] = {
		"syscalls:sys_enter_arch_prctl",           /* x86 */
		"syscalls:sys_enter_arm64_personality",    /* arm64 */
		"syscalls:sys_enter_riscv_flush_icache",   /* riscv64 */
		"syscalls:sys_enter_rtas",                 /* ppc64 */
		"syscalls:sys_enter_s390_guarded_storage", /* s390x */
	};
	const size_t n = ARRAY_SIZE(telling);
	bool raw = false;
	int rc;

	for (size_t i = 0; i < names->n && !raw; i++)
		raw = !strncmp(names->v[i], system, strlen(system));
	for (size_t i = 0; i < n && raw; i++)
		if (tfs_strvec_has(names, telling[i]))
			return 0;
	for (size_t i = 0; i < n && raw; i++) {
		const char *event = strchr(telling[i], ':') + 1;

		tfs_strbuf_reset(&f->path);
		rc = tfs_strbuf_addf(&f->path, "events/syscalls/%s/format", event);
		if (rc)
			return rc;
		if (tfs_file_exists(f->root, f->path.s))
			return tfs_strvec_push(names, telling[i]);
	}
	if (raw)
		tfs_symbol_needs_add(f->needs, "raw_syscalls", "*", -1);
	return 0;
}

/* The events of one system, the first of which is names->v[*i]; *@i is stepped over them. */
static int add_system(struct formats *f, const struct tfs_strvec *names, size_t *i)
{
	struct tfs_strbuf system = TFS_STRBUF_INIT;
	const char *first = names->v[*i];
	const size_t len = strcspn(first, ":");
	uint32_t count = 0;
	size_t at = 0;
	int rc = tfs_strbuf_add(&system, first, len);

	if (!rc)
		rc = tfs_strbuf_add(f->payload, system.s, len + 1);
	if (!rc)
		rc = begin_count(f, &at);
	for (; *i < names->n && !strncmp(names->v[*i], first, len + 1); ++*i) {
		bool again = *i && !strcmp(names->v[*i], names->v[*i - 1]);

		if (!rc && !again && first[len])
			rc = add_format(f, system.s, names->v[*i] + len + 1, &count);
	}
	if (!rc)
		put_count(f, at, count);
	tfs_strbuf_release(&system);
	return rc;
}

int tfs_meta_formats(const struct tfs_root *root, const struct tfs_strvec *events,
		     struct tfs_strbuf *payload, struct tfs_symbol_needs *needs,
		     struct tfs_constants *constants, struct tfs_err *err)
{
	struct formats f = {
		.root = root,
		.path = TFS_STRBUF_INIT,
		.payload = payload,
		.needs = needs,
		.constants = constants,
		.why = TFS_ERR_INIT,
	};
	struct tfs_strvec names = TFS_STRVEC_INIT;
	uint32_t count = 0;
	size_t at = 0;
	int rc = 0;

	for (size_t i = 0; i < events->n && !rc; i++)
		rc = expand(&f, events->v[i], &names);
	if (!rc && needs)
		rc = add_telling(&f, &names);
	if (!rc)
		rc = begin_count(&f, &at);
	/* A system's events are to be neighbours. */
	tfs_strvec_sort(&names);
	for (size_t i = 0; i < names.n && !rc; count++)
		rc = add_system(&f, &names, &i);
	if (rc)
		say_why(&f, rc, "cannot collect the formats of events", err);
	else
		put_count(&f, at, count);
	tfs_strvec_release(&names);
	tfs_strbuf_release(&f.path);
	return rc;
}
