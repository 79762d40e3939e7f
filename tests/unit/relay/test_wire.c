/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "relay/wire.h"

static const char payload[] = "twelve bytes";

static const struct tfs_relay_record record = {
	.type = TFS_RELAY_CHUNK,
	.seq = 0x1122334455667788,
	.source = 5,
	.size = 12,
	.raw = 40960,
	.events = 777,
	.offset = UINT64_C(1) << 32,
	.events_before = 99,
};

/* Made by Python: struct.pack('<IIQIIIIQQI', ...) and zlib.crc32() */
static const unsigned char expected[] = {
	0x54, 0x53, 0x53, 0x31, 0x03, 0x00, 0x00, 0x00, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33,
	0x22, 0x11, 0x05, 0x00, 0x00, 0x00, 0x0c, 0x00, 0x00, 0x00, 0x00, 0xa0, 0x00, 0x00,
	0x09, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x63, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa0, 0xcc, 0xbf, 0xc5, 0x5c, 0xf1, 0x61, 0x1e,
};

static void a_header_has_the_bytes_that_the_page_describes(void **state)
{
	unsigned char header[TFS_RELAY_HEADER];

	(void)state;
	tfs_relay_encode(&record, payload, header);
	assert_int_equal(sizeof(expected), sizeof(header));
	assert_memory_equal(header, expected, sizeof(expected));
}

static void a_header_is_read_back(void **state)
{
	struct tfs_relay_record r;

	(void)state;
	assert_int_equal(tfs_relay_decode(expected, &r), 0);
	assert_int_equal(r.type, TFS_RELAY_CHUNK);
	assert_true(r.seq == record.seq);
	assert_int_equal(r.source, 5);
	assert_int_equal(r.size, 12);
	assert_int_equal(r.raw, 40960);
	assert_int_equal(r.events, 777);
	assert_true(r.offset == record.offset);
	assert_int_equal(r.events_before, 99);
	assert_int_equal(tfs_relay_check(&r, payload), 0);
	assert_int_equal(tfs_relay_check(&r, "twelve bytez"), -EBADMSG);
}

static void every_flipped_bit_is_noticed(void **state)
{
	unsigned char header[TFS_RELAY_HEADER];
	struct tfs_relay_record r;

	(void)state;
	for (size_t bit = 0; bit < sizeof(header) * 8; bit++) {
		memcpy(header, expected, sizeof(header));
		header[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_int_equal(tfs_relay_decode(header, &r), -EBADMSG);
	}
}

static void refuse(struct tfs_relay_record r)
{
	unsigned char header[TFS_RELAY_HEADER];
	static unsigned char big[16];
	const uint32_t size = r.size;

	r.size = 0;
	tfs_relay_encode(&r, big, header);
	if (size) {
		/* The checksum of the header is right: only its number is not. */
		r.size = size;
		for (unsigned int i = 0; i < 4; i++)
			header[20 + i] = (unsigned char)(size >> (8 * i));
	}
	assert_int_equal(tfs_relay_decode(header, &r), -EBADMSG);
}

static void numbers_out_of_range_are_refused(void **state)
{
	struct tfs_relay_record r;

	(void)state;
	r = record;
	r.raw = 0;
	refuse(r);
	r.raw = TFS_RELAY_PAYLOAD_MAX + 1;
	refuse(r);
	r = record;
	r.seq = 0;
	refuse(r);
	r = record;
	r.offset = UINT64_MAX - 1;
	refuse(r);
	r = record;
	r.events_before = UINT64_MAX - 1;
	refuse(r);
	r = record;
	r.size = TFS_RELAY_PAYLOAD_MAX + 1;
	refuse(r);
	r = (struct tfs_relay_record){ .type = TFS_RELAY_HEAD, .seq = 1 };
	r.offset = TFS_RELAY_FILE_MAX + 1;
	refuse(r);
	r = (struct tfs_relay_record){ .type = TFS_RELAY_NOTE, .seq = 1 };
	refuse(r);
	r = (struct tfs_relay_record){ .type = (enum tfs_relay_type)7, .seq = 1 };
	refuse(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_header_has_the_bytes_that_the_page_describes),
		cmocka_unit_test(a_header_is_read_back),
		cmocka_unit_test(every_flipped_bit_is_noticed),
		cmocka_unit_test(numbers_out_of_range_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
