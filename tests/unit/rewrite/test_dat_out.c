/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of every kind are read, written in every form, read again and hold the same. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "lib/dat_walk.h"
#include "rewrite/convert.h"
#include "rewrite/dat-out.h"
#include "rewrite/image.h"
#include "tracedat/dat-read.h"

#define MAX 100000

static const struct tfs_dat_form forms[] = {
	{ .version = 6, .codec = TFS_CODEC_NONE },
	{ .version = 7, .codec = TFS_CODEC_NONE },
	{ .version = 7, .codec = TFS_CODEC_ZLIB },
};

static const char *const two_names[] = { "", "second", NULL };
static const char *const one_name[] = { "alone", NULL };

/* Writes @dat in @form; the new file */
static int convert(struct tfs_dat *dat, const struct tfs_dat_form *form, struct tfs_err *err)
{
	struct tfs_dat_out *out = NULL;
	int fd = memfd_create("out", MFD_CLOEXEC);
	struct tfs_image image;
	int rc;

	assert_true(fd >= 0);
	assert_int_equal(tfs_image_read(dat, &image, err), 0);
	rc = tfs_dat_out_new(fd, &image, form, &out, err);
	if (!rc)
		rc = tfs_convert_data(dat, out, err);
	if (!rc)
		rc = tfs_dat_out_end(out, err);
	tfs_dat_out_free(out);
	tfs_image_release(&image);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

static void check_equal(const struct dat_walk *a, const struct dat_walk *b)
{
	assert_int_equal(b->rc, 0);
	if (b->err.code)
		fail_msg("%s", b->err.msg);
	assert_int_equal(a->records, b->records);
	assert_int_equal(a->formats, b->formats);
	assert_int_equal(a->buffers, b->buffers);
	assert_int_equal(a->text_bytes, b->text_bytes);
	assert_int_equal(a->lost_notes, b->lost_notes);
}

static void check_same_texts(const struct tfs_dat *a, const struct tfs_dat *b)
{
	for (size_t i = 0; i < TFS_DAT_N_BLOBS; i++) {
		struct tfs_blob x, y;

		tfs_dat_blob(a, (enum tfs_dat_blob)i, &x);
		tfs_dat_blob(b, (enum tfs_dat_blob)i, &y);
		assert_int_equal(x.size, y.size);
		assert_memory_equal(x.data, y.data, x.size);
	}
	for (size_t i = 0; i < tfs_dat_n_formats(a); i++) {
		const struct tfs_dat_format *x = tfs_dat_format(a, i), *y = tfs_dat_format(b, i);

		assert_string_equal(x->system, y->system);
		assert_string_equal(x->text.data, y->text.data);
	}
	for (size_t i = 0; i < tfs_dat_n_buffers(a); i++) {
		const struct tfs_dat_buffer *x = tfs_dat_buffer(a, i), *y = tfs_dat_buffer(b, i);

		assert_string_equal(x->name, y->name);
		assert_int_equal(x->page_size, y->page_size);
	}
	assert_int_equal(tfs_dat_info(a)->cpus, tfs_dat_info(b)->cpus);
	assert_int_equal(tfs_dat_info(a)->big_endian, tfs_dat_info(b)->big_endian);
	assert_int_equal(tfs_dat_info(a)->long_size, tfs_dat_info(b)->long_size);
}

static void check_forms(const struct dat_spec *spec)
{
	struct dat_walk before, after;
	struct tfs_dat *dat, *again;
	struct bytes b;

	dat_sample(spec, &b);
	dat_walk_bytes(b.sb.s, b.sb.len, MAX, &before);
	assert_int_equal(before.rc, 0);
	dat = dat_open(&b);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		struct tfs_err err = TFS_ERR_INIT;
		int fd = convert(dat, &forms[i], &err);

		if (fd < 0)
			fail_msg("%s", err.msg);
		dat_walk_fd(dup(fd), MAX, &after);
		check_equal(&before, &after);
		assert_int_equal(tfs_dat_open_fd(fd, "again", &again, NULL), 0);
		assert_int_equal(tfs_dat_info(again)->version, forms[i].version);
		assert_int_equal(tfs_dat_info(again)->codec, forms[i].codec);
		check_same_texts(dat, again);
		assert_false(tfs_dat_options_swapped(again));
		tfs_dat_free(again);
	}
	tfs_dat_free(dat);
	bytes_release(&b);
}

static void keeps_all_in_either_version(void **state)
{
	(void)state;
	check_forms(&(struct dat_spec){ .pages = 25 });
	check_forms(&(struct dat_spec){ .version = 6, .pages = 25 });
	check_forms(&(struct dat_spec){ .codec = TFS_CODEC_ZLIB, .pages = 25 });
}

static void keeps_byte_order_and_size_of_long(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		for (unsigned int size = 4; size <= 8; size += 4) {
			check_forms(&(struct dat_spec){ .big = big, .long_size = size });
			check_forms(&(struct dat_spec){
				.version = 6, .big = big, .long_size = size, .kernel_long = 8 });
		}
	}
}

static void keeps_buffers_with_names(void **state)
{
	(void)state;
	check_forms(&(struct dat_spec){ .names = two_names, .cpus = 3 });
	check_forms(&(struct dat_spec){ .version = 6, .names = two_names, .big = true });
}

static void keeps_latency_text(void **state)
{
	(void)state;
	check_forms(&(struct dat_spec){ .latency = true });
	check_forms(&(struct dat_spec){ .version = 6, .latency = true });
	check_forms(&(struct dat_spec){ .latency = true, .codec = TFS_CODEC_ZLIB, .big = true });
}

/* The numbers that trace-cmd wrote in its own byte order are in the file's afterwards. */
static void corrects_options_of_the_other_byte_order(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++)
		check_forms(&(struct dat_spec){ .big = big, .swap_binary = true });
}

/* Version 6 always has a buffer without a name; here it is empty. */
static void a_single_instance_gets_an_empty_top_buffer_in_version_6(void **state)
{
	const struct dat_spec spec = { .names = one_name };
	struct tfs_dat *dat, *again;
	struct bytes b;
	int fd;

	(void)state;
	dat_sample(&spec, &b);
	dat = dat_open(&b);
	fd = convert(dat, &forms[0], NULL);
	assert_true(fd >= 0);
	assert_int_equal(tfs_dat_open_fd(fd, "again", &again, NULL), 0);
	assert_null(tfs_dat_damage(again));
	assert_int_equal(tfs_dat_n_buffers(again), 2);
	assert_string_equal(tfs_dat_buffer(again, 0)->name, "");
	assert_string_equal(tfs_dat_buffer(again, 1)->name, "alone");
	tfs_dat_free(again);
	tfs_dat_free(dat);
	bytes_release(&b);
}

/* Version 6 has the size of sub-buffers in its first bytes only. */
static void version_6_refuses_two_sizes_of_sub_buffers(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_image image = { .cpus = 1 };
	struct tfs_dat_buffer buf = { .name = "", .clock = "local", .page_size = 4096 };

	(void)state;
	assert_int_equal(tfs_image_add_buffer(&image, &buf), 0);
	buf.name = "large";
	buf.page_size = 16384;
	assert_int_equal(tfs_image_add_buffer(&image, &buf), 0);
	assert_int_equal(tfs_dat_out_check(&image, &forms[1], &err), 0);
	assert_int_equal(tfs_dat_out_check(&image, &forms[0], &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "'large' have 16384 bytes"));
	tfs_image_release(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_all_in_either_version),
		cmocka_unit_test(keeps_byte_order_and_size_of_long),
		cmocka_unit_test(keeps_buffers_with_names),
		cmocka_unit_test(keeps_latency_text),
		cmocka_unit_test(corrects_options_of_the_other_byte_order),
		cmocka_unit_test(a_single_instance_gets_an_empty_top_buffer_in_version_6),
		cmocka_unit_test(version_6_refuses_two_sizes_of_sub_buffers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
