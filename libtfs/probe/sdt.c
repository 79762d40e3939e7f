/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/sdt.h"

#include <errno.h>
#include <fnmatch.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "dso/dso-elf.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "dwarf/func.h"
#include "probe/fetch-type.h"
#include "probe/sdt-operand.h"

#define OWNER "stapsdt"
#define TYPE 3
/* <sys/sdt.h> has no macro for more. */
#define ARGS_MAX 12

/**
 * struct note - a marker as the file has it
 * @counter: address of the counter, 0 if there is none
 * @args: operands of the assembler: "-4@%eax 8@-16(%rbp)"
 */
struct note {
	uint64_t addr;
	uint64_t base;
	uint64_t counter;
	const char *provider;
	const char *name;
	const char *args;
};

static void marker_free(struct tfs_marker *marker)
{
	free(marker->provider);
	free(marker->name);
	tfs_fetch_list_release(&marker->args);
	free(marker);
}

static int add_refused(struct tfs_fetch_list *list, const char *name, const struct tfs_err *why)
{
	struct tfs_refused *r;

	if (tfs_grow_one(&list->refused, list->n_refused))
		return -ENOMEM;
	r = &list->refused[list->n_refused++];
	*r = (struct tfs_refused){ .why = TFS_REFUSAL_UNSUPPORTED,
				   .name = strdup(name),
				   .text = strdup(why->msg) };
	return r->name && r->text ? 0 : -ENOMEM;
}

static int add_fetch(struct tfs_fetch_list *list, const char *name, struct tfs_fetch *f)
{
	if (tfs_grow_one(&list->fetch, list->n))
		return -ENOMEM;
	f->name = strdup(name);
	if (!f->name)
		return -ENOMEM;
	list->fetch[list->n++] = *f;
	return 0;
}

static int take_args(struct tfs_dso *dso, const struct note *note, struct tfs_fetch_list *list)
{
	const char *s = note->args;
	int rc = 0;

	for (unsigned int i = 1; i <= ARGS_MAX && !rc; i++) {
		struct tfs_err why = TFS_ERR_INIT;
		struct tfs_fetch f = { 0 };
		size_t len = tfs_sdt_arg_next(&s);
		char name[8];

		if (!len)
			break;
		snprintf(name, sizeof(name), "arg%u", i);
		if (tfs_sdt_arg_parse(dso, s, len, note->addr, &f, &why))
			rc = add_refused(list, name, &why);
		else
			rc = add_fetch(list, name, &f);
		s += len;
	}
	return rc;
}

/* "PROVIDER:NAME" or "NAME"; either may be a pattern */
static bool is_meant(const struct note *note, const char *name)
{
	const char *colon = strchr(name, ':');
	char *provider;
	bool same;

	if (fnmatch(colon ? colon + 1 : name, note->name, 0))
		return false;
	if (!colon)
		return true;
	provider = strndup(name, (size_t)(colon - name));
	same = provider && !fnmatch(provider, note->provider, 0);
	free(provider);
	return same;
}

static int add_point(struct tfs_debuginfo *dbg, const struct note *note, struct tfs_points *out)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	struct tfs_marker *marker;
	struct tfs_point *p;
	int rc;

	if (!tfs_dso_is_code(dso, note->addr))
		return 0;
	rc = tfs_point_at(dbg, note->addr, out, NULL);
	if (rc)
		return rc;
	p = &out->v[out->n - 1];
	marker = calloc(1, sizeof(*marker));
	if (!marker)
		return -ENOMEM;
	p->marker = marker;
	p->marker_free = marker_free;
	marker->provider = strdup(note->provider);
	marker->name = strdup(note->name);
	if (!marker->provider || !marker->name)
		return -ENOMEM;
	if (note->counter && tfs_dso_file_offset(dso, note->counter, &marker->counter))
		marker->counter = 0;
	return take_args(dso, note, &marker->args);
}

/* Numbers are of the machine's word size; then provider, name and arguments, each with its NUL. */
static int parse_note(const struct tfs_dso *dso, const void *desc, size_t len, struct note *note)
{
	struct tfs_cursor c;
	uint64_t *const words[] = { &note->addr, &note->base, &note->counter };

	tfs_cursor_init(&c, desc, len, tfs_dso_is_big_endian(dso));
	for (size_t i = 0; i < 3; i++) {
		uint32_t half;

		if (tfs_dso_addr_size(dso) == 8) {
			if (tfs_cursor_u64(&c, words[i]))
				return -EBADMSG;
		} else if (tfs_cursor_u32(&c, &half)) {
			return -EBADMSG;
		} else {
			*words[i] = half;
		}
	}
	if (tfs_cursor_strz(&c, &note->provider) || tfs_cursor_strz(&c, &note->name) ||
	    tfs_cursor_strz(&c, &note->args))
		return -EBADMSG;
	return 0;
}

/*
 * struct sdt_search - @name: NULL to list all; @all: those that were not meant
 */
struct sdt_search {
	struct tfs_debuginfo *dbg;
	struct tfs_dso *dso;
	const char *name;
	uint64_t base;
	struct tfs_points *out;
	struct tfs_strvec *all;
};

static int visit_notes(const struct sdt_search *s, Elf_Data *data)
{
	size_t at = 0, name, desc, next;
	GElf_Nhdr head;
	int rc = 0;

	while (!rc && (next = gelf_getnote(data, at, &head, &name, &desc))) {
		const char *bytes = data->d_buf;
		struct note note;

		at = next;
		if (head.n_type != TYPE || head.n_namesz != sizeof(OWNER) ||
		    memcmp(bytes + name, OWNER, sizeof(OWNER)) != 0 ||
		    parse_note(s->dso, bytes + desc, head.n_descsz, &note))
			continue;
		/* Relocate the addresses if prelink moved the section. */
		if (s->base && note.base) {
			note.addr += s->base - note.base;
			note.counter += note.counter ? s->base - note.base : 0;
		}
		if (!s->name)
			rc = tfs_strvec_pushf(s->all, "%%sdt_%s:%s", note.provider, note.name);
		else if (is_meant(&note, s->name))
			rc = add_point(s->dbg, &note, s->out);
		else
			rc = tfs_strvec_pushf(s->all, "%s%s%s",
					      strchr(s->name, ':') ? note.provider : "",
					      strchr(s->name, ':') ? ":" : "", note.name);
	}
	return rc;
}

static int search(struct sdt_search *s)
{
	Elf *elf = tfs_dso_elf(s->dso);
	Elf_Scn *scn = NULL, *notes = NULL;
	Elf_Data *data;
	size_t strings;

	if (!elf || elf_getshdrstrndx(elf, &strings))
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(elf, strings, sh.sh_name);
		if (name && !strcmp(name, ".note.stapsdt") && sh.sh_type == SHT_NOTE)
			notes = scn;
		else if (name && !strcmp(name, ".stapsdt.base"))
			s->base = sh.sh_addr;
	}
	data = notes ? elf_getdata(notes, NULL) : NULL;
	return data ? visit_notes(s, data) : 0;
}

static int none(const struct sdt_search *s, struct tfs_err *err)
{
	struct tfs_strvec near = TFS_STRVEC_INIT;

	tfs_err_say(err, -ENOENT, "no marker '%s' in '%s'", s->name, tfs_dso_title(s->dso));
	if (!s->all->n)
		tfs_err_hint(err, "it has no markers at all");
	else if (!tfs_suggest_names(s->name, s->all, 1, &near) && near.n)
		tfs_err_hint(err, "did you mean '%%%s%s'?", strchr(s->name, ':') ? "sdt_" : "",
			     near.v[0]);
	tfs_strvec_release(&near);
	return -ENOENT;
}

int tfs_sdt_find(struct tfs_debuginfo *dbg, const char *name, struct tfs_points *out,
		 struct tfs_err *err)
{
	struct tfs_points found = TFS_POINTS_INIT;
	struct tfs_strvec all = TFS_STRVEC_INIT;
	struct sdt_search s = {
		.dbg = dbg, .dso = tfs_debuginfo_dso(dbg), .name = name, .out = &found, .all = &all
	};
	int rc = search(&s);

	if (!rc && !found.n) {
		rc = none(&s, err);
	} else {
		if (!rc)
			rc = tfs_points_move(out, &found);
		if (rc)
			tfs_err_set(err, rc, "cannot look up the marker '%s'", name);
	}
	tfs_points_release(&found);
	tfs_strvec_release(&all);
	return rc;
}

int tfs_sdt_list(struct tfs_debuginfo *dbg, const char *filter, struct tfs_strvec *out,
		 struct tfs_err *err)
{
	struct tfs_strvec all = TFS_STRVEC_INIT, words = TFS_STRVEC_INIT;
	struct sdt_search s = { .dbg = dbg, .dso = tfs_debuginfo_dso(dbg), .all = &all };
	int rc = search(&s);

	if (!rc && filter)
		rc = tfs_strvec_split(&words, filter, ", |&");
	tfs_strvec_sort(&all);
	for (size_t i = 0; i < all.n && !rc; i++) {
		if (tfs_func_filter_fits(&words, all.v[i]) &&
		    (!i || strcmp(all.v[i - 1], all.v[i])))
			rc = tfs_strvec_push(out, all.v[i]);
	}
	tfs_strvec_release(&words);
	tfs_strvec_release(&all);
	return rc ? tfs_err_set(err, rc, "cannot list the markers") : 0;
}

static unsigned int bits_of(const struct tfs_fetch *f)
{
	return (unsigned int)strtoul(f->type + 1, NULL, 10);
}

/* @cast as the type of @f, which is an argument as its author hands it over. */
static int apply_cast(const struct tfs_dso *dso, const char *cast, struct tfs_fetch *f,
		      struct tfs_err *err)
{
	bool points = tfs_fetch_type_is(cast, TFS_FETCH_TEXT) || strchr(cast, '[');

	if (strlen(cast) >= sizeof(f->type))
		return tfs_err_say(err, -EINVAL, "'%s' is not a type", cast);
	tfs_meaning_release(&f->means);
	if (!points && cast[1]) {
		memcpy(f->type, cast, strlen(cast) + 1);
		return 0;
	}
	if (!points) {
		f->type[0] = *cast;
		return 0;
	}
	if (f->base == TFS_FETCH_IMM || bits_of(f) != 8 * tfs_dso_addr_size(dso))
		return tfs_err_say(err, -EOPNOTSUPP, "'%s': it is not a pointer, but %s", f->name,
				   f->base == TFS_FETCH_IMM ? "a constant" : f->type);
	if (f->n_deref == TFS_FETCH_DEREF_MAX)
		return tfs_err_say(err, -EOPNOTSUPP,
				   "'%s': more dereferences than the kernel allows", f->name);
	f->offset[f->n_deref++] = 0;
	memcpy(f->type, cast, strlen(cast) + 1);
	return 0;
}

int tfs_marker_fetch(const struct tfs_dso *dso, const struct tfs_marker *marker, const char *arg,
		     const char *cast, struct tfs_fetch *out, struct tfs_err *err)
{
	const struct tfs_fetch_list *list = &marker->args;
	struct tfs_fetch f = { 0 };
	int rc = -ENOENT;

	for (size_t i = 0; i < list->n_refused; i++) {
		if (!strcmp(list->refused[i].name, arg))
			return tfs_err_say(err, -EOPNOTSUPP, "'%s': %s", arg,
					   list->refused[i].text);
	}
	for (size_t i = 0; i < list->n && rc == -ENOENT; i++) {
		if (!strcmp(list->fetch[i].name, arg))
			rc = tfs_fetch_copy(&f, &list->fetch[i]);
	}
	if (rc == -ENOENT)
		return tfs_err_say(err, rc, "the marker '%s:%s' has %zu arguments, and no '%s'",
				   marker->provider, marker->name, list->n + list->n_refused, arg);
	if (!rc && cast) {
		rc = apply_cast(dso, cast, &f, err);
		free(rc ? NULL : f.name);
		if (!rc && asprintf(&f.name, "%s_%s", arg, cast) < 0) {
			f.name = NULL;
			rc = -ENOMEM;
		}
	}
	if (rc)
		tfs_fetch_release(&f);
	else
		*out = f;
	return rc;
}
