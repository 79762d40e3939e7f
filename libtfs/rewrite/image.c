/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/err.h"
#include "rewrite/option-order.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-section.h"

static int no_memory(struct tfs_err *err)
{
	return tfs_err_set(err, -ENOMEM, "cannot read the recording");
}

int tfs_image_add_option(struct tfs_image *image, uint16_t id, const void *data, size_t size)
{
	struct tfs_image_option *o;
	int rc;

	if (tfs_grow(&image->options, &image->cap_options, image->n_options + 1))
		return -ENOMEM;
	o = &image->options[image->n_options];
	*o = (struct tfs_image_option){ .id = id };
	tfs_strbuf_init(&o->data);
	rc = tfs_strbuf_add(&o->data, data, size);
	if (!rc)
		image->n_options++;
	return rc;
}

int tfs_image_add_buffer(struct tfs_image *image, const struct tfs_dat_buffer *buf)
{
	struct tfs_image_buffer *b;

	if (tfs_grow_one(&image->buffers, image->n_buffers))
		return -ENOMEM;
	b = &image->buffers[image->n_buffers];
	*b = (struct tfs_image_buffer){
		.name = strdup(buf->name),
		.clock = strdup(buf->clock),
		.page_size = buf->page_size,
		.text = buf->text,
	};
	if (!b->name || !b->clock) {
		free(b->name);
		free(b->clock);
		return -ENOMEM;
	}
	image->n_buffers++;
	return 0;
}

int tfs_image_add_format(struct tfs_image *image, const char *system, size_t group,
			 const struct tfs_blob *text)
{
	struct tfs_image_format *f;

	if (tfs_grow(&image->formats, &image->cap_formats, image->n_formats + 1))
		return -ENOMEM;
	f = &image->formats[image->n_formats];
	*f = (struct tfs_image_format){ .system = strdup(system), .group = group };
	tfs_strbuf_init(&f->text);
	if (!f->system || tfs_strbuf_add(&f->text, text->data, text->size)) {
		free(f->system);
		return -ENOMEM;
	}
	image->n_formats++;
	return 0;
}

/* The formats of a system share its name, and those of the first section are of "ftrace". */
static int read_formats(const struct tfs_dat *dat, struct tfs_image *image)
{
	const size_t n = tfs_dat_n_formats(dat);
	size_t group = 0;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		const struct tfs_dat_format *f = tfs_dat_format(dat, i);

		if (i && f->system != tfs_dat_format(dat, i - 1)->system)
			group++;
		rc = tfs_image_add_format(image, f->system, group, &f->text);
		if (!rc && !group && !strcmp(f->system, "ftrace"))
			image->n_ftrace = image->n_formats;
	}
	return rc;
}

static int add_section(struct tfs_image *image, uint16_t id, const char *data, size_t size)
{
	struct tfs_image_section *s;

	if (tfs_grow_one(&image->sections, image->n_sections))
		return -ENOMEM;
	s = &image->sections[image->n_sections];
	*s = (struct tfs_image_section){ .id = id };
	tfs_strbuf_init(&s->data);
	if (tfs_strbuf_add(&s->data, data, size))
		return -ENOMEM;
	image->n_sections++;
	return 0;
}

static int read_section(struct tfs_dat *dat, const struct tfs_dat_option *o,
			struct tfs_image *image, struct tfs_err *err)
{
	const char *name = tfs_dat_section_name(o->id);
	struct tfs_dat_section sec;
	char *data = NULL;
	size_t size = 0;
	int rc;

	if (o->data.size < sizeof(uint64_t))
		return 0;
	rc = tfs_dat_section_at(dat, tfs_load_u64(o->data.data, image->big), &sec, err);
	if (!rc && sec.id != o->id)
		rc = tfs_err_say(err, -EBADMSG, "section %s is not where its option says", name);
	if (!rc)
		rc = tfs_dat_section_load(dat, &sec, name, &data, &size, err);
	if (!rc && add_section(image, o->id, data, size))
		rc = no_memory(err);
	free(data);
	if (!rc || rc == -ENOMEM)
		return rc;
	tfs_dat_note_damage(dat, err);
	return 0;
}

/* Those that depend on where things are in the file are made again by whoever writes it. */
static bool is_kept(uint16_t id)
{
	switch (id) {
	case TFS_DAT_DONE:
	case TFS_DAT_BUFFER:
	case TFS_DAT_BUFFER_TEXT:
	case TFS_DAT_CPUCOUNT:
		return false;
	default:
		return id < TFS_DAT_HEADER_INFO || id > TFS_DAT_CMDLINES;
	}
}

/* u64 section, strz name, strz clock */
static int read_clock(struct tfs_image *image, const struct tfs_dat_option *o)
{
	const char *name, *clock;
	struct tfs_cursor c;
	uint64_t section;

	tfs_cursor_init(&c, o->data.data, o->data.size, image->big);
	if (tfs_cursor_u64(&c, &section) || tfs_cursor_strz(&c, &name) ||
	    tfs_cursor_strz(&c, &clock))
		return 0;
	for (size_t i = 0; i < image->n_buffers; i++) {
		struct tfs_image_buffer *b = &image->buffers[i];

		if (b->stored_clock || strcmp(b->name, name) != 0)
			continue;
		b->stored_clock = strdup(clock);
		return b->stored_clock ? 0 : -ENOMEM;
	}
	return 0;
}

static int keep_option(struct tfs_image *image, const struct tfs_dat_option *o, bool swapped)
{
	int rc = tfs_image_add_option(image, o->id, o->data.data, o->data.size);

	if (!rc && swapped)
		tfs_option_swap(o->id, image->options[image->n_options - 1].data.s, o->data.size,
				!image->big);
	return rc;
}

static int read_options(struct tfs_dat *dat, struct tfs_image *image, struct tfs_err *err)
{
	const bool swapped = tfs_dat_options_swapped(dat);
	const size_t n = tfs_dat_n_options(dat);

	for (size_t i = 0; i < n; i++) {
		const struct tfs_dat_option *o = tfs_dat_option(dat, i);
		int rc = 0;

		if (o->id == TFS_DAT_BTF_FILE || o->id == TFS_DAT_MODULES_FILE)
			rc = read_section(dat, o, image, err);
		else if (o->id == TFS_DAT_BUFFER && tfs_dat_info(dat)->version >= 7)
			rc = read_clock(image, o);
		else if (is_kept(o->id))
			rc = keep_option(image, o, swapped);
		if (rc == -ENOMEM)
			return no_memory(err);
		if (rc)
			return rc;
	}
	return 0;
}

int tfs_image_read(struct tfs_dat *dat, struct tfs_image *image, struct tfs_err *err)
{
	const struct tfs_dat_info *info = tfs_dat_info(dat);
	struct tfs_err own = TFS_ERR_INIT;
	int rc = 0;

	*image = (struct tfs_image){
		.big = info->big_endian,
		.long_size = info->long_size,
		.kernel_long_size = info->kernel_long_size,
		.page_data_offset = info->page_data_offset,
		.page_size = info->page_size,
		.cpus = info->cpus,
	};
	for (size_t i = 0; i < TFS_DAT_N_BLOBS; i++)
		tfs_strbuf_init(&image->blob[i]);
	for (size_t i = 0; i < TFS_DAT_N_BLOBS && !rc; i++) {
		struct tfs_blob blob;

		tfs_dat_blob(dat, (enum tfs_dat_blob)i, &blob);
		rc = tfs_strbuf_add(&image->blob[i], blob.data, blob.size);
	}
	for (size_t i = 0; i < tfs_dat_n_buffers(dat) && !rc; i++)
		rc = tfs_image_add_buffer(image, tfs_dat_buffer(dat, i));
	if (!rc)
		rc = read_formats(dat, image);
	return rc ? no_memory(err) : read_options(dat, image, err ? err : &own);
}

void tfs_image_release(struct tfs_image *image)
{
	for (size_t i = 0; i < TFS_DAT_N_BLOBS; i++)
		tfs_strbuf_release(&image->blob[i]);
	for (size_t i = 0; i < image->n_formats; i++) {
		free(image->formats[i].system);
		tfs_strbuf_release(&image->formats[i].text);
	}
	for (size_t i = 0; i < image->n_options; i++)
		tfs_strbuf_release(&image->options[i].data);
	for (size_t i = 0; i < image->n_sections; i++)
		tfs_strbuf_release(&image->sections[i].data);
	for (size_t i = 0; i < image->n_buffers; i++) {
		free(image->buffers[i].name);
		free(image->buffers[i].clock);
		free(image->buffers[i].stored_clock);
	}
	free(image->formats);
	free(image->options);
	free(image->sections);
	free(image->buffers);
	*image = (struct tfs_image){ 0 };
}
