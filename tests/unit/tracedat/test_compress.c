/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/skip.h"
#include "tracedat/compress-zstd.h"
#include "tracedat/compress.h"

static const enum tfs_codec_id all[] = { TFS_CODEC_NONE, TFS_CODEC_ZLIB, TFS_CODEC_ZSTD };

#define FOR_EACH_CODEC(id) \
	for (const enum tfs_codec_id *id = all; id < all + 2 + tfs_zstd_is_built_in(); id++)

static const char text[] = "abcabcabcabcabcabc\n";
#define TEXT_SIZE (sizeof(text) - 1)

/* zlib.compress(text, 9) of Python 3.11 */
static const unsigned char zlib_text[] = {
	0x78, 0xda, 0x4b, 0x4c, 0x4a, 0x4e, 0x44, 0x45, 0x5c, 0x00, 0x48, 0x6b, 0x06, 0xef,
};
/* zstd --no-check 1.5.4: without the content size as trace-cmd writes frames, and with it */
static const unsigned char zstd_text[] = {
	0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x55, 0x00, 0x00, 0x20,
	0x61, 0x62, 0x63, 0x0a, 0x01, 0x00, 0x76, 0x6e, 0x08,
};
static const unsigned char zstd_sized_text[] = {
	0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x13, 0x55, 0x00, 0x00, 0x20,
	0x61, 0x62, 0x63, 0x0a, 0x01, 0x00, 0x76, 0x6e, 0x08,
};

static int expand(enum tfs_codec_id id, const void *data, size_t size, void *dst, size_t dst_size)
{
	struct tfs_codec *codec;
	int rc;

	assert_int_equal(tfs_codec_new(id, 0, &codec, NULL), 0);
	assert_int_equal(tfs_codec_id(codec), id);
	rc = tfs_codec_expand(codec, data, size, dst, dst_size);
	tfs_codec_free(codec);
	return rc;
}

static void zlib_stream_of_another_program_expands(void **state)
{
	char got[TEXT_SIZE];

	(void)state;
	assert_int_equal(expand(TFS_CODEC_ZLIB, zlib_text, sizeof(zlib_text), got, TEXT_SIZE), 0);
	assert_memory_equal(got, text, TEXT_SIZE);
}

static void zstd_frames_expand_with_and_without_their_size(void **state)
{
	char got[TEXT_SIZE];

	(void)state;
	if (!tfs_zstd_is_built_in())
		skip_because("zstd is not built in");
	assert_int_equal(expand(TFS_CODEC_ZSTD, zstd_text, sizeof(zstd_text), got, TEXT_SIZE), 0);
	assert_memory_equal(got, text, TEXT_SIZE);
	memset(got, 0, sizeof(got));
	assert_int_equal(expand(TFS_CODEC_ZSTD, zstd_sized_text, sizeof(zstd_sized_text), got,
				TEXT_SIZE),
			 0);
	assert_memory_equal(got, text, TEXT_SIZE);
}

static void data_of_another_length_are_refused(void **state)
{
	char got[TEXT_SIZE + 1];
	size_t n;

	(void)state;
	for (n = TEXT_SIZE - 1; n <= TEXT_SIZE + 1; n += 2) {
		assert_int_equal(expand(TFS_CODEC_NONE, text, TEXT_SIZE, got, n), -EBADMSG);
		assert_int_equal(expand(TFS_CODEC_ZLIB, zlib_text, sizeof(zlib_text), got, n),
				 -EBADMSG);
		if (tfs_zstd_is_built_in())
			assert_int_equal(expand(TFS_CODEC_ZSTD, zstd_text, sizeof(zstd_text), got,
						n),
					 -EBADMSG);
	}
}

static void damaged_data_are_refused_wherever_they_are_cut(void **state)
{
	char got[TEXT_SIZE];
	unsigned char *cut;
	size_t n;

	(void)state;
	for (n = 0; n < sizeof(zlib_text); n++) {
		cut = malloc(n + 1);
		memcpy(cut, zlib_text, n);
		assert_int_equal(expand(TFS_CODEC_ZLIB, cut, n, got, TEXT_SIZE), -EBADMSG);
		free(cut);
	}
	for (n = 0; tfs_zstd_is_built_in() && n < sizeof(zstd_text); n++) {
		cut = malloc(n + 1);
		memcpy(cut, zstd_text, n);
		assert_int_equal(expand(TFS_CODEC_ZSTD, cut, n, got, TEXT_SIZE), -EBADMSG);
		free(cut);
	}
}

static void codec_recovers_from_damaged_data(void **state)
{
	struct tfs_codec *codec;
	char got[TEXT_SIZE];

	(void)state;
	assert_int_equal(tfs_codec_new(TFS_CODEC_ZLIB, 0, &codec, NULL), 0);
	assert_int_equal(tfs_codec_expand(codec, text, TEXT_SIZE, got, TEXT_SIZE), -EBADMSG);
	assert_int_equal(tfs_codec_expand(codec, zlib_text, sizeof(zlib_text), got, TEXT_SIZE), 0);
	assert_memory_equal(got, text, TEXT_SIZE);
	tfs_codec_free(codec);
}

/* Two buffers through one codec: contexts are used again. */
static void compressed_data_expands_to_itself(void **state)
{
	unsigned char src[40960], *packed, got[sizeof(src)];
	struct tfs_codec *codec;
	size_t bound, size, i;
	int round;

	(void)state;
	FOR_EACH_CODEC(id)
	{
		assert_int_equal(tfs_codec_new(*id, 0, &codec, NULL), 0);
		bound = tfs_codec_bound(codec, sizeof(src));
		packed = malloc(bound);
		for (round = 0; round < 2; round++) {
			for (i = 0; i < sizeof(src); i++)
				src[i] =
					(unsigned char)(round ? i * i * 2654435761u >> 13 : i / 64);
			assert_int_equal(tfs_codec_compress(codec, src, sizeof(src), packed, bound,
							    &size),
					 0);
			assert_true(size <= bound);
			memset(got, 0, sizeof(got));
			assert_int_equal(tfs_codec_expand(codec, packed, size, got, sizeof(got)),
					 0);
			assert_memory_equal(got, src, sizeof(src));
		}
		free(packed);
		tfs_codec_free(codec);
	}
}

static void nothing_compresses_to_nothing(void **state)
{
	struct tfs_codec *codec;
	char packed[64], got[1];
	size_t size;

	(void)state;
	FOR_EACH_CODEC(id)
	{
		assert_int_equal(tfs_codec_new(*id, 0, &codec, NULL), 0);
		assert_int_equal(tfs_codec_compress(codec, "", 0, packed, sizeof(packed), &size),
				 0);
		assert_int_equal(tfs_codec_expand(codec, packed, size, got, 0), 0);
		tfs_codec_free(codec);
	}
}

static void compressing_into_too_little_room_fails(void **state)
{
	struct tfs_codec *codec;
	char packed[4];
	size_t size;

	(void)state;
	FOR_EACH_CODEC(id)
	{
		assert_int_equal(tfs_codec_new(*id, 0, &codec, NULL), 0);
		assert_int_equal(tfs_codec_compress(codec, text, TEXT_SIZE, packed, sizeof(packed),
						    &size),
				 -EIO);
		tfs_codec_free(codec);
	}
}

static void sizes_that_the_format_cannot_store_are_refused(void **state)
{
	struct tfs_codec *codec;
	size_t size;

	(void)state;
	if (sizeof(size_t) < 8)
		skip_because("size_t has 32 bits");
	FOR_EACH_CODEC(id)
	{
		assert_int_equal(tfs_codec_new(*id, 0, &codec, NULL), 0);
		assert_int_equal(tfs_codec_compress(codec, "", SIZE_MAX, NULL, 0, &size), -EFBIG);
		assert_int_equal(tfs_codec_expand(codec, "", SIZE_MAX, NULL, 0), -EBADMSG);
		tfs_codec_free(codec);
	}
}

static void names_and_levels_parse(void **state)
{
	enum tfs_codec_id id;
	int level;

	(void)state;
	assert_int_equal(tfs_codec_parse("none", &id, &level, NULL), 0);
	assert_int_equal(id, TFS_CODEC_NONE);
	assert_int_equal(level, 0);
	assert_int_equal(tfs_codec_parse("zlib", &id, &level, NULL), 0);
	assert_int_equal(id, TFS_CODEC_ZLIB);
	assert_int_equal(level, 0);
	assert_int_equal(tfs_codec_parse("zlib:9", &id, &level, NULL), 0);
	assert_int_equal(level, 9);
	if (!tfs_zstd_is_built_in())
		return;
	assert_int_equal(tfs_codec_parse("zstd:19", &id, &level, NULL), 0);
	assert_int_equal(id, TFS_CODEC_ZSTD);
	assert_int_equal(level, 19);
}

static void other_names_and_levels_are_refused(void **state)
{
	static const char *const bad[] = {
		"",        "lz4",    "zstdx",   "zst",     "none:1", "zlib:", "zlib:0",
		"zlib:10", "zlib:x", "zstd:20", "zstd:-1", ":1",     "ZLIB",
	};
	struct tfs_err err = TFS_ERR_INIT;
	enum tfs_codec_id id;
	size_t i;
	int level, rc;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		rc = tfs_codec_parse(bad[i], &id, &level, &err);
		assert_true(rc == -EINVAL || rc == -ERANGE);
		assert_int_equal(rc, err.code);
		assert_true(err.msg[0]);
	}
	assert_string_equal(err.msg, "unknown compression 'ZLIB'");
}

static void default_is_zstd_where_it_is_built_in(void **state)
{
	(void)state;
	assert_int_equal(tfs_codec_default(),
			 tfs_zstd_is_built_in() ? TFS_CODEC_ZSTD : TFS_CODEC_ZLIB);
	assert_string_equal(tfs_codec_name(TFS_CODEC_NONE), "none");
	assert_string_equal(tfs_codec_name(TFS_CODEC_ZLIB), "zlib");
	assert_string_equal(tfs_codec_name(TFS_CODEC_ZSTD), "zstd");
	assert_string_equal(tfs_codec_version(TFS_CODEC_NONE), "");
	assert_true(strchr(tfs_codec_version(TFS_CODEC_ZLIB), '.'));
	if (tfs_zstd_is_built_in())
		assert_true(strchr(tfs_codec_version(TFS_CODEC_ZSTD), '.'));
	else
		assert_string_equal(tfs_codec_version(TFS_CODEC_ZSTD), "");
}

static void without_zstd_the_message_says_so(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_codec *codec;
	enum tfs_codec_id id;
	int level;

	(void)state;
	if (tfs_zstd_is_built_in())
		skip_because("zstd is built in");
	assert_int_equal(tfs_codec_parse("zstd", &id, &level, &err), -EOPNOTSUPP);
	assert_string_equal(err.msg, "zstd compression is not built in");
	assert_int_equal(tfs_codec_new(TFS_CODEC_ZSTD, 0, &codec, &err), -EOPNOTSUPP);
}

/* printf 'CONFIG_TRACING=y\n...' | gzip -n9 */
static void a_gzip_file_is_expanded_or_refused(void **state)
{
	static const char config[] = "CONFIG_TRACING=y\nCONFIG_KPROBES=m\n"
				     "# CONFIG_HIST_TRIGGERS is not set\nCONFIG_NR_CPUS=64\n";
	static const unsigned char gz[] = {
		0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x73, 0xf6, 0xf7,
		0x73, 0xf3, 0x74, 0x8f, 0x0f, 0x09, 0x72, 0x74, 0xf6, 0xf4, 0x73, 0xb7, 0xad,
		0xe4, 0x72, 0x86, 0x08, 0x78, 0x07, 0x04, 0xf9, 0x3b, 0xb9, 0x06, 0xdb, 0xe6,
		0x72, 0x29, 0x2b, 0x40, 0x85, 0x3c, 0x3c, 0x83, 0x43, 0x80, 0x0a, 0x3d, 0xdd,
		0xdd, 0x5d, 0x83, 0x82, 0x15, 0x32, 0x8b, 0x15, 0xf2, 0xf2, 0x4b, 0x14, 0x8a,
		0x53, 0x4b, 0x60, 0x5a, 0xfc, 0x82, 0xe2, 0x9d, 0x03, 0x42, 0x83, 0x6d, 0xcd,
		0x4c, 0xb8, 0x00, 0x7c, 0x0f, 0x10, 0x7e, 0x56, 0x00, 0x00, 0x00,
	};
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_gunzip(gz, sizeof(gz), &sb), 0);
	assert_string_equal(sb.s, config);
	for (size_t len = 0; len < sizeof(gz); len++) {
		tfs_strbuf_reset(&sb);
		assert_int_equal(tfs_gunzip(gz, len, &sb), -EBADMSG);
	}
	assert_int_equal(tfs_gunzip(config, sizeof(config), &sb), -EBADMSG);
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zlib_stream_of_another_program_expands),
		cmocka_unit_test(zstd_frames_expand_with_and_without_their_size),
		cmocka_unit_test(data_of_another_length_are_refused),
		cmocka_unit_test(damaged_data_are_refused_wherever_they_are_cut),
		cmocka_unit_test(codec_recovers_from_damaged_data),
		cmocka_unit_test(compressed_data_expands_to_itself),
		cmocka_unit_test(nothing_compresses_to_nothing),
		cmocka_unit_test(compressing_into_too_little_room_fails),
		cmocka_unit_test(sizes_that_the_format_cannot_store_are_refused),
		cmocka_unit_test(names_and_levels_parse),
		cmocka_unit_test(other_names_and_levels_are_refused),
		cmocka_unit_test(default_is_zstd_where_it_is_built_in),
		cmocka_unit_test(without_zstd_the_message_says_so),
		cmocka_unit_test(a_gzip_file_is_expanded_or_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
