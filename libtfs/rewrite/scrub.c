/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/scrub.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "rewrite/dat-out.h"
#include "rewrite/image.h"
#include "rewrite/page-build.h"
#include "rewrite/pseudonym.h"
#include "rewrite/scrub-fields.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"
#include "tracedat/stream.h"

/* Before a name: "PID NAME"; "PID N PROGRAM" and "START END PATH" */
#define TASK_NUMBERS 1
#define MAP_NUMBERS 2

struct scrub {
	struct tfs_dat *dat;
	struct tfs_image image;
	struct tfs_pseudonyms *words;
	struct tfs_scrub_fields *fields;
	bool comm, filename;
	/* The CPU that is walked; while words are collected, nothing is built */
	bool building;
	struct tfs_page_build build;
	unsigned char *copy; /* of a record */
	size_t copy_size;
};

static int failed(struct tfs_err *err, int rc)
{
	if (rc == -E2BIG)
		return tfs_err_say(err, rc, "the recording has too many different words");
	return tfs_err_set(err, rc, "cannot scrub the recording");
}

/* --- options and names of tasks */

/* Options that hold little else than names, or may hold them at an unknown place */
static bool is_left_out(uint16_t id)
{
	switch (id) {
	case TFS_DAT_DATE:
	case TFS_DAT_CPUSTAT:
	case TFS_DAT_TRACECLOCK:
	case TFS_DAT_UNAME:
	case TFS_DAT_HOOK:
	case TFS_DAT_OFFSET:
	case TFS_DAT_VERSION:
	case TFS_DAT_PROCMAPS:
	case TFS_DAT_TRACEID:
	case TFS_DAT_TIME_SHIFT:
	case TFS_DAT_GUEST:
	case TFS_DAT_TSC2NSEC:
	case TFS_DAT_LAST_BOOT_INFO:
	case TFS_DAT_PRIVATE_CONSTANTS:
	case TFS_DAT_PRIVATE_VALUES:
	case TFS_DAT_PRIVATE_LOST:
		return false;
	default:
		return true;
	}
}

/* The modules that a machine has loaded; types of the kernel (BTF_FILE) are the kernel's own. */
static void drop_modules(struct tfs_image *image, struct tfs_scrubbed *done)
{
	size_t n = 0;

	for (size_t i = 0; i < image->n_sections; i++) {
		if (image->sections[i].id != TFS_DAT_MODULES_FILE) {
			image->sections[n++] = image->sections[i];
			continue;
		}
		tfs_strbuf_release(&image->sections[i].data);
		done->options++;
	}
	image->n_sections = n;
}

static void drop_options(struct tfs_image *image, struct tfs_scrubbed *done)
{
	size_t n = 0;

	for (size_t i = 0; i < image->n_options; i++) {
		if (!is_left_out(image->options[i].id)) {
			image->options[n++] = image->options[i];
			continue;
		}
		tfs_strbuf_release(&image->options[i].data);
		done->options++;
	}
	image->n_options = n;
}

/* "Linux HOST RELEASE MACHINE": the second word */
static bool find_host(const struct tfs_image_option *o, size_t *at, size_t *len)
{
	const char *begin = memchr(o->data.s, ' ', o->data.len), *end = o->data.s + o->data.len;
	const char *stop;

	if (!begin)
		return false;
	begin++;
	stop = memchr(begin, ' ', (size_t)(end - begin));
	*at = (size_t)(begin - o->data.s);
	*len = stop ? (size_t)(stop - begin) : 0;
	return stop != NULL;
}

/* Lines of @numbers numbers and a name: calls @take with each name */
static int each_name(const struct scrub *s, const struct tfs_strbuf *text, unsigned int numbers,
		     int (*take)(struct tfs_pseudonyms *p, char *text, size_t len))
{
	char *line = text->s, *end = text->s + text->len;
	int rc = 0;

	while (line < end && !rc) {
		char *stop = memchr(line, '\n', (size_t)(end - line)), *name = line;

		stop = stop ? stop : end;
		for (unsigned int i = 0; i < numbers && name; i++) {
			name = memchr(name, ' ', (size_t)(stop - name));
			name = name ? name + 1 : NULL;
		}
		if (name)
			rc = take(s->words, name, (size_t)(stop - name));
		line = stop + 1;
	}
	return rc;
}

static int collect_name(struct tfs_pseudonyms *p, char *text, size_t len)
{
	return tfs_pseudonyms_collect(p, text, len);
}

static int replace_name(struct tfs_pseudonyms *p, char *text, size_t len)
{
	tfs_pseudonyms_replace(p, text, len);
	return 0;
}

static int sweep_name(struct tfs_pseudonyms *p, char *text, size_t len)
{
	tfs_pseudonyms_sweep(p, text, len);
	return 0;
}

static int collect_option(const struct scrub *s, const struct tfs_image_option *o)
{
	size_t at, len;

	switch (o->id) {
	case TFS_DAT_UNAME:
		return find_host(o, &at, &len) ?
			       tfs_pseudonyms_collect(s->words, o->data.s + at, len) :
			       0;
	case TFS_DAT_GUEST:
		return tfs_pseudonyms_collect(s->words, o->data.s, strnlen(o->data.s, o->data.len));
	case TFS_DAT_PROCMAPS:
		return s->filename ? each_name(s, &o->data, MAP_NUMBERS, collect_name) : 0;
	default:
		return 0;
	}
}

static int collect_metadata(const struct scrub *s)
{
	const struct tfs_strbuf *tasks = &s->image.blob[TFS_DAT_BLOB_CMDLINES];
	int rc = s->comm ? each_name(s, tasks, TASK_NUMBERS, collect_name) : 0;

	for (size_t i = 0; i < s->image.n_options && !rc; i++)
		rc = collect_option(s, &s->image.options[i]);
	return rc;
}

static void replace_option(const struct scrub *s, struct tfs_image_option *o)
{
	size_t at, len;

	switch (o->id) {
	case TFS_DAT_UNAME:
		if (find_host(o, &at, &len))
			tfs_pseudonyms_replace(s->words, o->data.s + at, len);
		break;
	case TFS_DAT_GUEST:
		tfs_pseudonyms_replace(s->words, o->data.s, strnlen(o->data.s, o->data.len));
		break;
	case TFS_DAT_PROCMAPS:
		each_name(s, &o->data, MAP_NUMBERS, s->filename ? replace_name : sweep_name);
		break;
	/* Numbers, and texts of the kernel and of programs */
	case TFS_DAT_CPUSTAT:
	case TFS_DAT_HOOK:
	case TFS_DAT_LAST_BOOT_INFO:
	case TFS_DAT_PRIVATE_VALUES:
		tfs_pseudonyms_sweep(s->words, o->data.s, o->data.len);
		break;
	default:
		break;
	}
}

static void replace_metadata(struct scrub *s)
{
	each_name(s, &s->image.blob[TFS_DAT_BLOB_CMDLINES], TASK_NUMBERS,
		  s->comm ? replace_name : sweep_name);
	for (size_t i = 0; i < s->image.n_options; i++)
		replace_option(s, &s->image.options[i]);
	for (size_t i = 0; i < s->image.n_buffers; i++)
		tfs_pseudonyms_sweep(s->words, s->image.buffers[i].name,
				     strlen(s->image.buffers[i].name));
}

/* --- records */

static int take_record(struct scrub *s, const struct tfs_record *rec, struct tfs_err *err)
{
	struct tfs_record own = *rec;
	int rc;

	if (!s->building) {
		rc = tfs_scrub_fields_collect(s->fields, rec, s->words);
		return rc ? failed(err, rc) : 0;
	}
	if (rec->size > s->copy_size) {
		unsigned char *p = realloc(s->copy, rec->size);

		if (!p)
			return failed(err, -ENOMEM);
		s->copy = p;
		s->copy_size = rec->size;
	}
	if (rec->size)
		memcpy(s->copy, rec->data, rec->size);
	tfs_scrub_fields_replace(s->fields, rec, s->copy, s->words);
	own.data = s->copy;
	return tfs_page_build_add(&s->build, &own, err);
}

static int walk_page(struct scrub *s, const void *page, size_t size, struct tfs_err *err)
{
	struct tfs_record rec;
	struct tfs_page pg;
	int rc, got = tfs_page_init(&pg, page, size, s->image.kernel_long_size,
				    s->image.page_data_offset, s->image.big);

	if (got)
		return tfs_err_say(err, -EBADMSG, "a sub-buffer is damaged");
	while ((got = tfs_page_next(&pg, &rec)) > 0) {
		rc = take_record(s, &rec, err);
		if (rc)
			return rc;
	}
	return got ? tfs_err_say(err, -EBADMSG, "a sub-buffer is damaged") : 0;
}

static int walk_cpu(struct scrub *s, size_t buffer, size_t cpu, struct tfs_err *err)
{
	const size_t size = s->image.buffers[buffer].page_size;
	struct tfs_err fault = TFS_ERR_INIT;
	struct tfs_stream *stream;
	const void *page;
	int rc = tfs_stream_new(s->dat, buffer, cpu, &stream, &fault);

	if (!rc) {
		while ((rc = tfs_stream_next(stream, &page, &fault)) > 0) {
			rc = walk_page(s, page, size, &fault);
			if (rc)
				break;
		}
		tfs_stream_free(stream);
	}
	if (rc == -EBADMSG) {
		tfs_dat_note_damage(s->dat, &fault);
		rc = 0;
	}
	if (rc)
		*err = fault;
	return rc;
}

static int write_cpu(struct scrub *s, size_t buffer, size_t i, struct tfs_dat_out *out,
		     struct tfs_err *err)
{
	const struct tfs_dat_buffer *buf = tfs_dat_buffer(s->dat, buffer);
	int rc;

	if (i && buf->cpus[i].cpu == buf->cpus[i - 1].cpu)
		return 0; /* damage: it is described twice, and only one can be kept */
	rc = tfs_page_build_init(&s->build, out, &s->image, buf->cpus[i].cpu, buf->page_size);
	if (rc)
		return failed(err, rc);
	rc = walk_cpu(s, buffer, i, err);
	if (!rc)
		rc = tfs_page_build_flush(&s->build, err);
	tfs_page_build_release(&s->build);
	return rc;
}

static int write_text(struct scrub *s, size_t buffer, struct tfs_dat_out *out, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_dat_text(s->dat, buffer, &text, err);

	if (rc != -ENOMEM) {
		tfs_pseudonyms_sweep(s->words, text.s, text.len);
		rc = tfs_dat_out_text(out, text.s, text.len, err);
	}
	tfs_strbuf_release(&text);
	return rc;
}

static int collect_all(struct scrub *s, struct tfs_err *err)
{
	int rc = collect_metadata(s);

	if (rc)
		return failed(err, rc);
	for (size_t i = 0; i < s->image.n_buffers && !rc; i++)
		for (size_t k = 0; k < tfs_dat_buffer(s->dat, i)->n_cpus && !rc; k++)
			rc = walk_cpu(s, i, k, err);
	if (!rc && tfs_pseudonyms_assign(s->words))
		rc = failed(err, -ENOMEM);
	return rc;
}

static int write_all(struct scrub *s, int fd, const struct tfs_dat_form *form, struct tfs_err *err)
{
	struct tfs_dat_out *out = NULL;
	int rc = tfs_dat_out_new(fd, &s->image, form, &out, err);

	for (size_t i = 0; i < s->image.n_buffers && !rc; i++) {
		rc = tfs_dat_out_buffer(out, err);
		if (!rc && s->image.buffers[i].text)
			rc = write_text(s, i, out, err);
		for (size_t k = 0; k < tfs_dat_buffer(s->dat, i)->n_cpus && !rc; k++)
			rc = write_cpu(s, i, k, out, err);
	}
	if (!rc)
		rc = tfs_dat_out_end(out, err);
	tfs_dat_out_free(out);
	return rc;
}

int tfs_scrub(struct tfs_dat *dat, const struct tfs_scrub_opts *opts, int fd,
	      struct tfs_scrubbed *done, struct tfs_err *err)
{
	struct scrub s = {
		.dat = dat,
		.comm = tfs_strvec_has(opts->fields, "comm"),
		.filename = tfs_strvec_has(opts->fields, "filename"),
	};
	struct tfs_err own = TFS_ERR_INIT;
	int rc;

	*done = (struct tfs_scrubbed){ 0 };
	if (!err)
		err = &own;
	rc = tfs_image_read(dat, &s.image, err);
	if (!rc) {
		drop_options(&s.image, done);
		drop_modules(&s.image, done);
		s.words = tfs_pseudonyms_new(opts->key);
		rc = s.words ? tfs_scrub_fields_new(&s.image, opts->fields, &s.fields, err) :
			       failed(err, -ENOMEM);
	}
	if (!rc)
		rc = collect_all(&s, err);
	if (!rc) {
		done->words = tfs_pseudonyms_words(s.words);
		replace_metadata(&s);
		s.building = true;
		rc = write_all(&s, fd, opts->form, err);
	}
	tfs_scrub_fields_free(s.fields);
	tfs_pseudonyms_free(s.words);
	tfs_image_release(&s.image);
	free(s.copy);
	return rc;
}
