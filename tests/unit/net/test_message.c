/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "net/message.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"

/* Written by hand from trace-cmd's layout: TCP, 2 CPUs and sub-buffers of 4 KiB. */
static const unsigned char tinit[] = {
	0, 0, 0, 28, 0, 0, 0, 1, 0, 0, 0, 12, 0, 0, 0, 2, 0, 0, 16, 0, 0, 0, 0, 1, 't', 'c', 'p', 0,
};
static const unsigned char rinit[] = {
	0, 0, 0, 26,  0,   0,   0,   2, 0,   0,   0,   4,   0,
	0, 0, 2, '1', '5', '0', '0', 0, '1', '5', '0', '1', 0,
};

static void writes_what_trace_cmd_sends(void **state)
{
	const struct tfs_net_tinit init = { .cpus = 2, .page_size = 4096, .tcp = true };
	static const char more[] = "confirms\0clock=here, clock mono";
	const uint16_t ports[] = { 1500, 1501 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_net_tinit_add(&sb, &init), 0);
	assert_int_equal(sb.len, sizeof(tinit));
	assert_memory_equal(sb.s, tinit, sizeof(tinit));
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_net_rinit_add(&sb, ports, 2, "here, clock mono"), 0);
	/* And two strings more, which trace-cmd does not look at. */
	assert_int_equal(sb.len, sizeof(rinit) + sizeof(more));
	assert_int_equal(sb.s[3], sizeof(rinit) + sizeof(more));
	assert_memory_equal(sb.s + 4, rinit + 4, sizeof(rinit) - 4);
	assert_memory_equal(sb.s + sizeof(rinit), more, sizeof(more));
	tfs_strbuf_reset(&sb);
	assert_int_equal(tfs_net_message_add(&sb, TFS_NET_CLOSE, NULL, 0), 0);
	assert_int_equal(sb.len, 12);
	assert_memory_equal(sb.s, "\0\0\0\14\0\0\0\0\0\0\0\0", 12);
	tfs_strbuf_release(&sb);
}

static void reads_what_trace_cmd_sends(void **state)
{
	struct tfs_net_tinit init;
	struct tfs_net_message m;
	uint16_t ports[2];
	struct tfs_net_extras extras;
	size_t used;

	(void)state;
	assert_int_equal(tfs_net_message_parse(tinit, sizeof(tinit), &m, &used, NULL), 1);
	assert_int_equal(used, sizeof(tinit));
	assert_int_equal(tfs_net_tinit_parse(&m, &init, NULL), 0);
	assert_int_equal(init.cpus, 2);
	assert_int_equal(init.page_size, 4096);
	assert_true(init.tcp);
	assert_int_equal(tfs_net_message_parse(rinit, sizeof(rinit), &m, &used, NULL), 1);
	assert_int_equal(tfs_net_rinit_parse(&m, ports, 2, &extras, NULL), 0);
	assert_int_equal(ports[0], 1500);
	assert_int_equal(ports[1], 1501);
	assert_false(extras.confirms);
	/* One CPU more or less than were announced */
	assert_int_equal(tfs_net_rinit_parse(&m, ports, 1, &extras, NULL), -EBADMSG);
}

/* The name of a listener's clock, after its ports */
static void names_of_clocks_are_checked(void **state)
{
	static const struct {
		const char *sent, *read;
	} names[] = {
		{ "here, clock mono of boot 1", "here, clock mono of boot 1" },
		{ "", "" },
		{ "two\nlines", "" },
		{ "not \xc3\xa4scii", "" },
	};
	const uint16_t ports[] = { 1500, 1501 };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_net_extras extras;
	struct tfs_net_message m;
	char long_name[2 * TFS_CLOCK_REFERENCE_MAX];
	uint16_t read[2];
	size_t used;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		tfs_strbuf_reset(&sb);
		assert_int_equal(tfs_net_rinit_add(&sb, ports, 2, names[i].sent), 0);
		assert_int_equal(tfs_net_message_parse(sb.s, sb.len, &m, &used, NULL), 1);
		assert_int_equal(tfs_net_rinit_parse(&m, read, 2, &extras, NULL), 0);
		assert_true(extras.confirms);
		assert_string_equal(extras.clock, names[i].read);
	}
	memset(long_name, 'x', sizeof(long_name));
	for (size_t len = TFS_CLOCK_REFERENCE_MAX - 1; len <= TFS_CLOCK_REFERENCE_MAX; len++) {
		long_name[len] = '\0';
		tfs_strbuf_reset(&sb);
		assert_int_equal(tfs_net_rinit_add(&sb, ports, 2, long_name), 0);
		assert_int_equal(tfs_net_message_parse(sb.s, sb.len, &m, &used, NULL), 1);
		assert_int_equal(tfs_net_rinit_parse(&m, read, 2, &extras, NULL), 0);
		assert_int_equal(strlen(extras.clock), len < TFS_CLOCK_REFERENCE_MAX ? len : 0);
		long_name[len] = 'x';
	}
	tfs_strbuf_release(&sb);
}

static void waits_for_whole_messages(void **state)
{
	struct tfs_net_message m;
	size_t used;

	(void)state;
	for (size_t i = 0; i < sizeof(tinit); i++)
		assert_int_equal(tfs_net_message_parse(tinit, i, &m, &used, NULL), 0);
}

static void refuses_sizes_that_cannot_be(void **state)
{
	static const struct {
		unsigned char bytes[12];
	} bad[] = {
		{ { 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0 } },
		{ { 0, 0, 0, 11, 0, 0, 0, 3, 0, 0, 0, 0 } },
		{ { 0, 0, 32, 1, 0, 0, 0, 3, 0, 0, 0, 0 } },
		{ { 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 3, 0, 0, 0, 0 } },
		{ { 0, 0, 0, 12, 0, 0, 0, 3, 0, 0, 0, 1 } },
		{ { 0, 0, 0, 12, 0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff } },
	};
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_net_message m;
	size_t used;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		tfs_err_clear(&err);
		assert_int_equal(tfs_net_message_parse(bad[i].bytes, 12, &m, &used, &err),
				 -EBADMSG);
		assert_int_equal(err.code, -EBADMSG);
	}
}

static void takes_fixed_parts_that_are_longer(void **state)
{
	static const unsigned char longer[] = {
		0, 0, 0, 32, 0, 0, 0, 1, 0, 0, 0, 20, 0, 0, 0, 3,
		0, 1, 0, 0,  0, 0, 0, 0, 9, 9, 9, 9,  9, 9, 9, 9,
	};
	struct tfs_net_tinit init;
	struct tfs_net_message m;
	size_t used;

	(void)state;
	assert_int_equal(tfs_net_message_parse(longer, sizeof(longer), &m, &used, NULL), 1);
	assert_int_equal(tfs_net_tinit_parse(&m, &init, NULL), 0);
	assert_int_equal(init.cpus, 3);
	assert_int_equal(init.page_size, 65536);
	assert_false(init.tcp);
}

static void refuses_machines_that_cannot_be(void **state)
{
	static const struct tfs_net_tinit bad[] = {
		{ .cpus = 0, .page_size = 4096 },          { .cpus = 4097, .page_size = 4096 },
		{ .cpus = UINT32_MAX, .page_size = 4096 }, { .cpus = 1, .page_size = 0 },
		{ .cpus = 1, .page_size = 512 },           { .cpus = 1, .page_size = 4097 },
		{ .cpus = 1, .page_size = 131072 },        { .cpus = 1, .page_size = 0x80000000u },
	};
	const struct tfs_net_tinit most = { .cpus = 4096, .page_size = 65536 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(tfs_net_tinit_check(&bad[i], NULL), -ERANGE);
	assert_int_equal(tfs_net_tinit_check(&most, NULL), 0);
}

static void refuses_options_that_do_not_fit(void **state)
{
	unsigned char bytes[sizeof(tinit)];
	struct tfs_net_tinit init;
	struct tfs_net_message m;
	size_t used;

	(void)state;
	memcpy(bytes, tinit, sizeof(tinit));
	bytes[23] = 2; /* two options, but there is one */
	assert_int_equal(tfs_net_message_parse(bytes, sizeof(bytes), &m, &used, NULL), 1);
	assert_int_equal(tfs_net_tinit_parse(&m, &init, NULL), -EBADMSG);
	bytes[23] = 1;
	bytes[27] = 'x'; /* without its NUL */
	assert_int_equal(tfs_net_message_parse(bytes, sizeof(bytes), &m, &used, NULL), 1);
	assert_int_equal(tfs_net_tinit_parse(&m, &init, NULL), -EBADMSG);
}

static void says_when_ports_do_not_fit(void **state)
{
	static uint16_t ports[TFS_NET_CPUS_MAX];
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++)
		ports[i] = 60000;
	/* 8192 - 12 - 4 bytes, 6 for each */
	assert_int_equal(tfs_net_rinit_add(&sb, ports, 1362, ""), 0);
	assert_int_equal(sb.len, 16 + 1362 * 6);
	assert_int_equal(tfs_net_rinit_add(&sb, ports, 1363, ""), -EMSGSIZE);
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_what_trace_cmd_sends),
		cmocka_unit_test(reads_what_trace_cmd_sends),
		cmocka_unit_test(names_of_clocks_are_checked),
		cmocka_unit_test(waits_for_whole_messages),
		cmocka_unit_test(refuses_sizes_that_cannot_be),
		cmocka_unit_test(takes_fixed_parts_that_are_longer),
		cmocka_unit_test(refuses_machines_that_cannot_be),
		cmocka_unit_test(refuses_options_that_do_not_fit),
		cmocka_unit_test(says_when_ports_do_not_fit),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
