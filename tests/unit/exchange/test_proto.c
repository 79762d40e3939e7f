/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exchange/proto.h"

/* A file of two tasks on a CPU, which protoc decodes with Perfetto's published schema */
static const char file[] =
	/* sequence 1, cleared: BOOTTIME 1000, REALTIME 1.7e18, primary clock 6 */
	"0a1d500168013217"
	"0a05080610e807"
	"0a0c0801108080a8b1e39fe7cb17"
	"1006"
	/* Linux, 6.18, x86_64 */
	"0a1c5001ea02170a15"
	"0a054c696e75781a04362e31382206"
	"7838365f3634"
	/* at 1000: process 41 /bin/a of 1, thread 42 "w" of it */
	"0a1e500140e8071217"
	"0a0c082910011a062f62696e2f61"
	"1207082a1201771829"
	/* sequence 2, cleared: symbol 1 is vfs_read; a bundle of CPU 0 */
	"0ad80150026801620fd2010c080112087666735f72656164"
	"0ac001"
	"0800"
	/* at 2000 task 0: sched_waking w 42 */
	"121108d00f1000a201090a0177102a18782800"
	/* at 2100: sched_switch from swapper/0 to w */
	"121f08b410100022180a09737761707065722f30100018782000"
	"2a0177302a3878"
	/* at 2200 and 2300: begin and end of a call of vfs_read */
	"120c089811102aaa1b0408001001"
	"121208fc11102ab21b0a0898111000180128fc11"
	/* at 2400: event 65536: addr 0xffff888000000000, who "hi" */
	"121808e012102a8280200f08808080808090e2ffff0112026869"
	/* at 2500: sched_switch back in state S */
	"121f08c413102a22180a0177102a187820012a09737761707065722f3030003878"
	/* 65536 is "lock" of group "tc" */
	"5a2b0880800412210a046c6f636b120c0a0461646472180120012804120b0a0377686f"
	"18022001"
	"2809"
	"1a027463";

static size_t unhex(const char *hex, unsigned char *out)
{
	size_t n = 0;

	for (; *hex; hex += 2) {
		char byte[3] = { hex[0], hex[1], 0 };

		out[n++] = (unsigned char)strtoul(byte, NULL, 16);
	}
	return n;
}

static void put_first(struct tfs_proto *m)
{
	tfs_proto_open(m, 1);
	tfs_proto_uint(m, 10, 1);
	tfs_proto_uint(m, 13, 1);
	tfs_proto_open(m, 6);
	tfs_proto_open(m, 1);
	tfs_proto_uint(m, 1, 6);
	tfs_proto_uint(m, 2, 1000);
	tfs_proto_close(m);
	tfs_proto_open(m, 1);
	tfs_proto_uint(m, 1, 1);
	tfs_proto_uint(m, 2, UINT64_C(1700000000000000000));
	tfs_proto_close(m);
	tfs_proto_uint(m, 2, 6);
	tfs_proto_close(m);
	tfs_proto_close(m);

	tfs_proto_open(m, 1);
	tfs_proto_uint(m, 10, 1);
	tfs_proto_open(m, 45);
	tfs_proto_open(m, 1);
	tfs_proto_string(m, 1, "Linux");
	tfs_proto_string(m, 3, "6.18");
	tfs_proto_string(m, 4, "x86_64");
	tfs_proto_close(m);
	tfs_proto_close(m);
	tfs_proto_close(m);

	tfs_proto_open(m, 1);
	tfs_proto_uint(m, 10, 1);
	tfs_proto_uint(m, 8, 1000);
	tfs_proto_open(m, 2);
	tfs_proto_open(m, 1);
	tfs_proto_uint(m, 1, 41);
	tfs_proto_uint(m, 2, 1);
	tfs_proto_string(m, 3, "/bin/a");
	tfs_proto_close(m);
	tfs_proto_open(m, 2);
	tfs_proto_uint(m, 1, 42);
	tfs_proto_string(m, 2, "w");
	tfs_proto_uint(m, 3, 41);
	tfs_proto_close(m);
	tfs_proto_close(m);
	tfs_proto_close(m);
}

static void open_event(struct tfs_proto *m, uint64_t ts, int pid, uint32_t message)
{
	tfs_proto_open(m, 2);
	tfs_proto_uint(m, 1, ts);
	tfs_proto_int(m, 2, pid);
	tfs_proto_open(m, message);
}

static void close_event(struct tfs_proto *m)
{
	tfs_proto_close(m);
	tfs_proto_close(m);
}

static void put_switch(struct tfs_proto *m, const char *prev, int prev_pid, int state,
		       const char *next, int next_pid)
{
	tfs_proto_string(m, 1, prev);
	tfs_proto_int(m, 2, prev_pid);
	tfs_proto_int(m, 3, 120);
	tfs_proto_int(m, 4, state);
	tfs_proto_string(m, 5, next);
	tfs_proto_int(m, 6, next_pid);
	tfs_proto_int(m, 7, 120);
}

static void put_events(struct tfs_proto *m)
{
	open_event(m, 2000, 0, 20);
	tfs_proto_string(m, 1, "w");
	tfs_proto_int(m, 2, 42);
	tfs_proto_int(m, 3, 120);
	tfs_proto_int(m, 5, 0);
	close_event(m);
	open_event(m, 2100, 0, 4);
	put_switch(m, "swapper/0", 0, 0, "w", 42);
	close_event(m);
	open_event(m, 2200, 42, 437);
	tfs_proto_uint(m, 1, 0);
	tfs_proto_uint(m, 2, 1);
	close_event(m);
	open_event(m, 2300, 42, 438);
	tfs_proto_uint(m, 1, 2200);
	tfs_proto_uint(m, 2, 0);
	tfs_proto_uint(m, 3, 1);
	tfs_proto_uint(m, 5, 2300);
	close_event(m);
	open_event(m, 2400, 42, 65536);
	tfs_proto_uint(m, 1, UINT64_C(0xffff888000000000));
	tfs_proto_string(m, 2, "hi");
	close_event(m);
	open_event(m, 2500, 42, 4);
	put_switch(m, "w", 42, 1, "swapper/0", 0);
	close_event(m);
}

static void put_field(struct tfs_proto *m, const char *name, unsigned int number, unsigned int type)
{
	tfs_proto_open(m, 2);
	tfs_proto_string(m, 1, name);
	tfs_proto_uint(m, 3, number);
	tfs_proto_uint(m, 4, 1);
	tfs_proto_uint(m, 5, type);
	tfs_proto_close(m);
}

static void a_file_has_the_bytes_that_readers_take(void **state)
{
	struct tfs_proto *m = *state;
	unsigned char want[sizeof(file)];
	size_t size = unhex(file, want);

	put_first(m);
	tfs_proto_open(m, 1);
	tfs_proto_uint(m, 10, 2);
	tfs_proto_uint(m, 13, 1);
	tfs_proto_open(m, 12);
	tfs_proto_open(m, 26);
	tfs_proto_uint(m, 1, 1);
	tfs_proto_string(m, 2, "vfs_read");
	tfs_proto_close(m);
	tfs_proto_close(m);
	tfs_proto_open(m, 1);
	tfs_proto_uint(m, 1, 0);
	put_events(m);
	tfs_proto_open(m, 11);
	tfs_proto_uint(m, 1, 65536);
	tfs_proto_open(m, 2);
	tfs_proto_string(m, 1, "lock");
	put_field(m, "addr", 1, 4);
	put_field(m, "who", 2, 9);
	tfs_proto_close(m);
	tfs_proto_string(m, 3, "tc");
	tfs_proto_close(m);
	tfs_proto_close(m);
	tfs_proto_close(m);
	assert_int_equal(m->rc, 0);
	assert_int_equal(m->depth, 0);
	assert_int_equal(size, 312);
	assert_int_equal(m->sb.len, size);
	assert_memory_equal(m->sb.s, want, size);
}

static void numbers_take_up_to_ten_bytes(void **state)
{
	static const struct {
		int64_t number;
		const char *hex;
	} cases[] = {
		{ 0, "0800" },
		{ 127, "087f" },
		{ 128, "088001" },
		{ INT64_MAX, "08ffffffffffffffff7f" },
		{ -1, "08ffffffffffffffffff01" },
		{ -38, "08daffffffffffffffff01" },
		{ INT64_MIN, "0880808080808080808001" },
	};
	struct tfs_proto *m = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned char want[16];
		size_t size = unhex(cases[i].hex, want);

		tfs_strbuf_reset(&m->sb);
		tfs_proto_int(m, 1, cases[i].number);
		assert_int_equal(m->sb.len, size);
		assert_memory_equal(m->sb.s, want, size);
	}
}

/* Lengths of 1, 2 and 3 bytes, of messages one in the other */
static void messages_of_any_length_nest(void **state)
{
	static const size_t sizes[] = { 0, 100, 126, 127, 128, 200, 16380, 16383, 16384, 20000 };
	struct tfs_proto *m = *state;
	char *data = malloc(20000);

	assert_non_null(data);
	memset(data, 'x', 20000);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t inner = 1 + (sizes[i] >= 128) + (sizes[i] >= 16384) + 1 + sizes[i];
		size_t head = 1 + (inner >= 128) + (inner >= 16384) + 1;
		const unsigned char *s;

		tfs_strbuf_reset(&m->sb);
		tfs_proto_open(m, 2);
		tfs_proto_bytes(m, 1, data, sizes[i]);
		tfs_proto_close(m);
		assert_int_equal(m->sb.len, head + inner);
		s = (const unsigned char *)m->sb.s;
		assert_int_equal(s[0], 0x12);
		assert_int_equal(s[1] & 0x7f, inner & 0x7f);
		assert_int_equal(s[head], 0x0a);
		assert_int_equal(s[head + 1] & 0x7f, sizes[i] & 0x7f);
		if (sizes[i])
			assert_int_equal(s[head + inner - 1], 'x');
	}
	free(data);
}

static void bytes_that_are_not_text_are_escaped(void **state)
{
	struct tfs_proto *m = *state;

	tfs_proto_text(m, 1, "a\xff", 2);
	tfs_proto_text(m, 1, "\xc3\xa4\n", 3);
	tfs_proto_text(m, 1, "\xc3", 1);
	tfs_proto_text(m, 1, "\0", 1);
	assert_int_equal(m->sb.len, 2 + 5 + 2 + 3 + 2 + 4 + 2 + 4);
	assert_memory_equal(m->sb.s,
			    "\x0a\x05"
			    "a\\xff"
			    "\x0a\x03\xc3\xa4\n"
			    "\x0a\x04\\xc3"
			    "\x0a\x04\\x00",
			    m->sb.len);
}

static void eight_bytes_are_little_endian(void **state)
{
	struct tfs_proto *m = *state;

	tfs_proto_fixed64(m, 47, UINT64_C(0x0102030405060708));
	assert_int_equal(m->sb.len, 10);
	assert_memory_equal(m->sb.s, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01", 10);
}

static void too_many_open_messages_are_an_error(void **state)
{
	struct tfs_proto *m = *state;

	for (int i = 0; i < TFS_PROTO_DEPTH; i++)
		tfs_proto_open(m, 1);
	assert_int_equal(m->rc, 0);
	tfs_proto_open(m, 1);
	assert_true(m->rc < 0);
}

static int setup(void **state)
{
	struct tfs_proto *m = calloc(1, sizeof(*m));

	if (!m)
		return -1;
	*m = (struct tfs_proto)TFS_PROTO_INIT;
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	struct tfs_proto *m = *state;

	tfs_strbuf_release(&m->sb);
	free(m);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_has_the_bytes_that_readers_take),
		TEST(numbers_take_up_to_ten_bytes),
		TEST(messages_of_any_length_nest),
		TEST(bytes_that_are_not_text_are_escaped),
		TEST(eight_bytes_are_little_endian),
		TEST(too_many_open_messages_are_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
