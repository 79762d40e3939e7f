/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "net/handshake.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/strbuf-core.h"

/* @data in pieces of at most @piece bytes. Return: the last result; *@rest: what was not used */
static int give(struct tfs_net_handshake *h, const char *data, size_t size, size_t piece,
		struct tfs_strbuf *answer, size_t *rest)
{
	size_t have = 0, done = 0, used;
	int rc = 0;

	*h = (struct tfs_net_handshake){ 0 };
	while (rc >= 0 && have < size) {
		have = have + piece < size ? have + piece : size;
		do {
			rc = tfs_net_handshake_take(h, data + done, have - done, &used, answer,
						    NULL);
			done += used;
		} while (rc > 0);
	}
	*rest = size - done;
	return rc;
}

static void agrees_on_version_3(void **state)
{
	static const char hello[] = "-1V3\0"
				    "766679\0\0"
				    "next";
	struct tfs_net_handshake h;
	size_t rest;

	(void)state;
	for (size_t piece = 1; piece < sizeof(hello); piece++) {
		struct tfs_strbuf answer = TFS_STRBUF_INIT;

		assert_int_equal(give(&h, hello, sizeof(hello) - 1, piece, &answer, &rest), 0);
		assert_int_equal(h.stage, TFS_NET_MESSAGES);
		assert_int_equal(rest, 4);
		assert_int_equal(answer.len, 5);
		assert_memory_equal(answer.s, "V3\0OK", 5);
		tfs_strbuf_release(&answer);
	}
}

static void offers_version_3_once_for_version_2(void **state)
{
	static const char again[] = "-1V2\0-1V3\0";
	static const char twice[] = "-1V2\0-1V2\0";
	struct tfs_strbuf answer = TFS_STRBUF_INIT;
	struct tfs_net_handshake h;
	size_t rest;

	(void)state;
	assert_int_equal(give(&h, again, sizeof(again) - 1, 99, &answer, &rest), 0);
	assert_int_equal(h.stage, TFS_NET_CONFIRMATION);
	assert_memory_equal(answer.s, "V3\0V3\0", 6);
	assert_int_equal(give(&h, twice, sizeof(twice) - 1, 99, &answer, &rest), -EBADMSG);
	tfs_strbuf_release(&answer);
}

static void takes_version_1(void **state)
{
	static const char tcp[] = "2\0"
				  "4096\0"
				  "1\0"
				  "4\0TCP\0metadata";
	static const char udp[] = "4096\0"
				  "1024\0"
				  "0\0m";
	struct tfs_strbuf answer = TFS_STRBUF_INIT;
	struct tfs_net_handshake h;
	size_t rest;

	(void)state;
	for (size_t piece = 1; piece < sizeof(tcp); piece++) {
		assert_int_equal(give(&h, tcp, sizeof(tcp) - 1, piece, &answer, &rest), 0);
		assert_int_equal(h.stage, TFS_NET_STREAM);
		assert_int_equal(rest, 8);
		assert_int_equal(h.init.cpus, 2);
		assert_int_equal(h.init.page_size, 4096);
		assert_true(h.init.tcp);
	}
	assert_int_equal(give(&h, udp, sizeof(udp) - 1, 99, &answer, &rest), 0);
	assert_int_equal(h.stage, TFS_NET_STREAM);
	assert_int_equal(h.init.cpus, 4096);
	assert_false(h.init.tcp);
	assert_int_equal(answer.len, 0);
	tfs_strbuf_release(&answer);
}

static void refuses_what_is_not_trace_cmd(void **state)
{
	static const struct {
		const char *data;
		size_t size;
	} bad[] = {
#define BAD(s) { s, sizeof(s) - 1 }
		BAD("GET / HTTP/1.1\r\nHost: a.example\r\nUser-Agent: somebody\r\nAccept: */*\r\n"),
		BAD("\0"),
		BAD("-2\0"),
		BAD("0\0004096\0000\0"),
		BAD("4097\0004096\0000\0"),
		BAD("99999999999999999999\0"),
		BAD("4294967297\0004096\0000\0"),
		BAD("2\0001000\0000\0"),
		BAD("2\0002147483648\0000\0"),
		BAD("2\0004096\00017\0"),
		BAD("2\0004096\0001\0000\0"),
		BAD("2\0004096\0001\0004097\0"),
		BAD("2\0004096\0001\0004\0UDP\0"),
		BAD("-1V3\000766679\0x"),
#undef BAD
	};
	struct tfs_strbuf answer = TFS_STRBUF_INIT;
	struct tfs_net_handshake h;
	size_t rest;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_true(give(&h, bad[i].data, bad[i].size, 99, &answer, &rest) < 0);
	tfs_strbuf_release(&answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_on_version_3),
		cmocka_unit_test(offers_version_3_once_for_version_2),
		cmocka_unit_test(takes_version_1),
		cmocka_unit_test(refuses_what_is_not_trace_cmd),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
