/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/constants.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "btf/btf.h"
#include "printfmt/print-names.h"
#include "tracedat/dat-constants.h"
#include "tracedat/dat-private.h"

#define KERNEL "vmlinux"
/* A shorter name says nothing about who belongs to whom. */
#define MODULE_MIN 3

/* @SET: not by type information, which has nothing to say about it */
enum state { UNKNOWN, KNOWN, AMBIGUOUS, SET };

struct tfs_constant {
	enum state state;
	uint64_t value;
};

struct adding {
	struct tfs_constants *c;
	bool any;
};

static int add_name(void *context, const char *name, size_t len)
{
	struct adding *a = context;
	char key[TFS_DAT_CONSTANT_MAX + 1];
	int rc;

	if (len > TFS_DAT_CONSTANT_MAX)
		return 0;
	memcpy(key, name, len);
	key[len] = '\0';
	a->any = true;
	if (tfs_strmap_get(&a->c->index, key, NULL))
		return 0;
	rc = tfs_grow(&a->c->found, &a->c->cap, a->c->n + 1);
	if (!rc)
		rc = tfs_strvec_push(&a->c->names, key);
	if (!rc)
		rc = tfs_strmap_put(&a->c->index, key, a->c->n);
	if (!rc)
		a->c->found[a->c->n++] = (struct tfs_constant){ .state = UNKNOWN };
	return rc;
}

int tfs_constants_add(struct tfs_constants *c, const char *system, const char *format, size_t size)
{
	struct adding a = { .c = c };
	int rc = tfs_print_names(format, size, add_name, &a);

	if (!rc && a.any && !tfs_strvec_has(&c->systems, system))
		rc = tfs_strvec_push(&c->systems, system);
	return rc;
}

static int take(void *context, const char *name, uint64_t value)
{
	struct tfs_constants *c = context;
	struct tfs_constant *found;
	size_t i;

	if (!tfs_strmap_get(&c->index, name, &i))
		return 0;
	found = &c->found[i];
	if (found->state == UNKNOWN)
		*found = (struct tfs_constant){ KNOWN, value };
	else if (found->state == KNOWN && found->value != value)
		found->state = AMBIGUOUS;
	return 0;
}

bool tfs_constants_wants(const struct tfs_constants *c, const char *name)
{
	return tfs_strmap_get(&c->index, name, NULL);
}

void tfs_constants_set(struct tfs_constants *c, const char *name, uint64_t value)
{
	size_t i;

	if (tfs_strmap_get(&c->index, name, &i))
		c->found[i] = (struct tfs_constant){ SET, value };
}

static bool all_set(const struct tfs_constants *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->found[i].state == UNKNOWN)
			return false;
	}
	return true;
}

static char plain(char c)
{
	return c == '-' ? '_' : c;
}

bool tfs_constants_is_module_of(const char *module, const char *system)
{
	size_t n = 0;

	while (module[n] && plain(module[n]) == plain(system[n]))
		n++;
	return n >= MODULE_MIN && (!module[n] || !system[n]);
}

static bool is_wanted(const struct tfs_constants *c, const char *module)
{
	for (size_t i = 0; i < c->systems.n; i++) {
		if (tfs_constants_is_module_of(module, c->systems.v[i]))
			return true;
	}
	return false;
}

/* Unreadable or malformed type information is ignored. */
static int read_btf(const char *dir, const char *name, const struct tfs_btf *base,
		    struct tfs_btf **out)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT, bytes = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&path, "%s/%s", dir, name);

	*out = NULL;
	if (!rc)
		rc = tfs_read_path(path.s, &bytes);
	if (!rc)
		rc = tfs_btf_new(bytes.s, bytes.len, base, out, NULL);
	tfs_strbuf_release(&bytes);
	tfs_strbuf_release(&path);
	return rc == -ENOMEM ? rc : 0;
}

static int look_up_modules(struct tfs_constants *c, const char *dir, const struct tfs_btf *kernel)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	struct tfs_btf *btf;
	int rc = 0;

	while (d && !rc && (e = readdir(d))) {
		if (e->d_name[0] == '.' || !strcmp(e->d_name, KERNEL) || !is_wanted(c, e->d_name))
			continue;
		rc = read_btf(dir, e->d_name, kernel, &btf);
		if (btf)
			tfs_btf_enums(btf, take, c);
		tfs_btf_free(btf);
	}
	if (d)
		closedir(d);
	return rc;
}

/* In order of the names' first occurrence, which is the same in every recording of an event. */
static int put(const struct tfs_constants *c, struct tfs_strbuf *payload)
{
	size_t before = payload->len;
	int rc = tfs_dat_private_begin(payload);
	size_t empty = payload->len;

	for (size_t i = 0; i < c->n && !rc; i++) {
		if (c->found[i].state == KNOWN || c->found[i].state == SET)
			rc = tfs_dat_constants_add(payload, c->names.v[i], c->found[i].value);
	}
	if (payload->len == empty)
		payload->len = before;
	return rc;
}

int tfs_constants_look_up(struct tfs_constants *c, const char *btf, struct tfs_strbuf *payload)
{
	struct tfs_btf *kernel = NULL;
	int rc = 0;

	if (!all_set(c))
		rc = read_btf(btf, KERNEL, NULL, &kernel);
	if (!rc && kernel) {
		tfs_btf_enums(kernel, take, c);
		rc = look_up_modules(c, btf, kernel);
	}
	tfs_btf_free(kernel);
	return rc ? rc : put(c, payload);
}

void tfs_constants_release(struct tfs_constants *c)
{
	tfs_strmap_release(&c->index);
	tfs_strvec_release(&c->names);
	tfs_strvec_release(&c->systems);
	free(c->found);
	*c = (struct tfs_constants){ .n = 0 };
}
