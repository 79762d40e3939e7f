/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "stack/fold-lines.h"
#include "stack/fold-name.h"
#include "stack/fold.h"
#include "stack/frames.h"

static int make(void **state)
{
	return tfs_fold_new(0, (struct tfs_fold **)state);
}

static int drop(void **state)
{
	tfs_fold_free(*state);
	return 0;
}

/* Adds a stack whose frames are the characters' names between the '|'. */
static void add(struct tfs_fold *f, const char *stack, uint64_t weight)
{
	uint32_t node = TFS_FOLD_ROOT;

	for (;;) {
		size_t len = strcspn(stack, "|");
		struct tfs_fold_name name = { .text = stack, .len = len };

		assert_int_equal(tfs_fold_child(f, node, &name, &node), 0);
		if (!stack[len])
			break;
		stack += len + 1;
	}
	tfs_fold_add(f, node, weight);
}

static int keep_line(void *ctx, const char *line, size_t len)
{
	return tfs_strbuf_add(ctx, line, len);
}

static char *lines(struct tfs_fold *f, unsigned int flags, uint64_t divisor)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char *text = NULL;

	assert_int_equal(tfs_fold_lines(f, flags, divisor, keep_line, &sb), 0);
	assert_int_equal(tfs_strbuf_detach(&sb, &text), 0);
	return text;
}

static void merges_stacks_and_adds_up_their_weights(void **state)
{
	struct tfs_fold *f = *state;
	const struct tfs_fold_node *node;
	char *text;
	uint32_t n;

	add(f, "sh|main|read", 3);
	add(f, "sh|main", 2);
	add(f, "sh|main|read", 4);
	add(f, "sh|exit", 1);
	assert_int_equal(tfs_fold_sum(f), 10);
	node = tfs_fold_nodes(f, &n);
	assert_int_equal(n, 5);
	for (uint32_t i = 1; i < n; i++)
		assert_true(node[i].parent < i);
	assert_int_equal(node[1].total, 10);
	assert_int_equal(node[2].total, 9);
	assert_int_equal(node[2].self, 2);
	assert_int_equal(node[3].samples, 2);
	assert_int_equal(node[3].depth, 3);
	text = lines(f, 0, 1);
	assert_string_equal(text, "sh;exit 1\nsh;main 2\nsh;main;read 7\n");
	free(text);
	text = lines(f, 0, 2);
	assert_string_equal(text, "sh;main 1\nsh;main;read 4\n");
	free(text);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* As sort(1) with LC_ALL=C has them, whatever bytes the names have around ' ' and ';' */
static void writes_lines_in_the_order_of_their_bytes(void **state)
{
	static const char *const names[] = { "a",  "a b", "a!",       "a-",  "a:",
					     "a<", "aa",  "\xc3\xa9", "a 1", "0" };
	enum { NAMES = sizeof(names) / sizeof(*names), STACKS = NAMES * NAMES * NAMES };
	struct tfs_fold *f = *state;
	char *text, *line[2 * STACKS], *next, stack[64];
	size_t n = 0;

	for (size_t i = 0; i < STACKS; i++) {
		size_t k = i * 7919 % STACKS;

		snprintf(stack, sizeof(stack), "%s|%s|%s", names[k % NAMES],
			 names[k / NAMES % NAMES], names[k / NAMES / NAMES]);
		add(f, stack, k % 13 + 1);
		*strrchr(stack, '|') = '\0';
		if (k % 3)
			add(f, stack, k % 111);
	}
	text = lines(f, 0, 1);
	for (char *p = text; *p; p = next) {
		next = strchr(p, '\n');
		*next++ = '\0';
		assert_true(n < 2 * STACKS);
		line[n++] = p;
	}
	assert_true(n > STACKS);
	for (size_t i = 1; i < n; i++)
		assert_true(compare(&line[i - 1], &line[i]) < 0);
	free(text);
}

static void no_name_ends_a_frame_or_a_line(void **state)
{
	struct tfs_fold *f = *state;
	char *text;

	add(f, "a;b\n9\x1b[2J|</script>\r\t|\x7f", 1);
	text = lines(f, 0, 1);
	assert_string_equal(text, "a:b_9_[2J;</script>__;_ 1\n");
	free(text);
}

static void rounds_weights_so_that_they_add_up(void **state)
{
	struct tfs_fold *f = *state;
	char *text;

	add(f, "sh|a", 2400);
	add(f, "sh|b", 700);
	add(f, "sh|b|c", 600);
	add(f, "sh|d", 600);
	add(f, "sh|e", 300);
	/* 4.6 in all: 2 and the three largest rests, the first of equal ones */
	text = lines(f, 0, 1000);
	assert_string_equal(text, "sh;a 2\nsh;b 1\nsh;b;c 1\nsh;d 1\n");
	free(text);
	text = lines(f, 0, 100);
	assert_string_equal(text, "sh;a 24\nsh;b 7\nsh;b;c 6\nsh;d 6\nsh;e 3\n");
	free(text);
	text = lines(f, 0, 10000);
	assert_string_equal(text, "");
	free(text);
}

static void ends_stacks_that_are_too_deep_and_counts_their_frames(void **state)
{
	struct tfs_fold *f = *state;
	struct tfs_fold_name name = tfs_fold_plain_name("again");
	const struct tfs_fold_node *nodes;
	uint32_t node = TFS_FOLD_ROOT, n;

	for (int i = 0; i < TFS_FOLD_DEPTH_MAX + 1000; i++)
		assert_int_equal(tfs_fold_child(f, node, &name, &node), 0);
	tfs_fold_add(f, node, 5);
	assert_int_equal(tfs_fold_cut(f), 1000);
	nodes = tfs_fold_nodes(f, &n);
	assert_int_equal(n, TFS_FOLD_DEPTH_MAX + 1);
	assert_int_equal(nodes[n - 1].self, 5);
	free(lines(f, 0, 1));
}

static void holds_no_more_nodes_than_asked_for(void **state)
{
	struct tfs_fold *f = NULL;
	char stack[32];
	uint32_t n;

	(void)state;
	assert_int_equal(tfs_fold_new(100, &f), 0);
	for (int i = 0; i < 5000; i++) {
		snprintf(stack, sizeof(stack), "task|f%d|g%d", i % 7, i);
		add(f, stack, 1);
	}
	tfs_fold_nodes(f, &n);
	assert_int_equal(n, 100);
	/* root, task, seven f, and g for 91 of the stacks */
	assert_int_equal(tfs_fold_cut(f), 5000 - 91);
	assert_int_equal(tfs_fold_sum(f), 5000);
	tfs_fold_free(f);
}

static void sums_stop_at_the_largest_number(void **state)
{
	struct tfs_fold *f = *state;
	char *text;

	add(f, "a|b", UINT64_MAX - 1);
	add(f, "a|b", 5);
	add(f, "a", 7);
	assert_true(tfs_fold_sum(f) == UINT64_MAX);
	text = lines(f, 0, 1);
	assert_string_equal(text, "a 7\na;b 18446744073709551615\n");
	free(text);
}

static void marks_kinds_of_code(void **state)
{
	static const struct {
		const char *dso, *text;
	} kinds[] = {
		{ "[kernel.kallsyms]", "f_[k] 1\n" },
		{ "[ext4]", "f_[k] 1\n" },
		{ "/boot/vmlinux", "f_[k] 1\n" },
		{ "/usr/lib/libc.so.6", "f 1\n" },
		{ "/tmp/perf-12.map", "f_[j] 1\n" },
		{ "/tmp/perf-.map", "f 1\n" },
		{ "/tmp/perf-12.map/x", "f 1\n" },
		{ "[unknown]", "f 1\n" },
		{ NULL, "f 1\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct tfs_fold_name name = tfs_fold_plain_name("f");
		struct tfs_fold *f = NULL;
		uint32_t node;
		char *text;

		assert_int_equal(tfs_fold_new(0, &f), 0);
		name.kind = tfs_fold_kind(kinds[i].dso);
		assert_int_equal(tfs_fold_child(f, TFS_FOLD_ROOT, &name, &node), 0);
		tfs_fold_add(f, node, 1);
		text = lines(f, TFS_FOLD_ANNOTATE, 1);
		assert_string_equal(text, kinds[i].text);
		free(text);
		text = lines(f, 0, 1);
		assert_string_equal(text, "f 1\n");
		free(text);
		tfs_fold_free(f);
	}
}

/* As stackcollapse-perf.pl names them */
static void names_frames_without_their_parameters(void **state)
{
	static const struct {
		const char *name, *dso, *want;
	} names[] = {
		{ "main", "/bin/a", "main" },
		{ "std::sort(int*, int*)", "/bin/a", "std::sort" },
		{ "(anonymous namespace)::f(int)", "/bin/a", "(anonymous namespace)::f" },
		{ "ns::(anonymous namespace)::g(char (*)(int))", "/bin/a",
		  "ns::(anonymous namespace)::g" },
		{ "net/http.(*Client).Do", "/bin/go", "net/http.(*Client).Do" },
		{ "operator\"\" _s", "/bin/a", "operator _s" },
		{ "{closure#0}'", "/bin/a", "{closure#0}" },
		{ NULL, "/usr/lib/libc.so.6", "[libc.so.6]" },
		{ NULL, "[kernel.kallsyms]", "[[kernel.kallsyms]]" },
		{ NULL, NULL, "[unknown]" },
		{ "", NULL, "[unknown]" },
	};
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_fold_name name;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct tfs_frame frame = { .name = names[i].name, .dso = names[i].dso };

		assert_int_equal(tfs_fold_frame_name(&frame, 0, &sb, &name), 0);
		assert_string_equal(name.text, names[i].want);
		assert_int_equal(name.len, strlen(names[i].want));
	}
	assert_int_equal(tfs_fold_frame_name(&(struct tfs_frame){ .addr = 0x7f10, .dso = "/a/b" },
					     TFS_FOLD_NAME_ADDRESSES, &sb, &name),
			 0);
	assert_string_equal(name.text, "[b <7f10>]");
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(merges_stacks_and_adds_up_their_weights, make,
						drop),
		cmocka_unit_test_setup_teardown(writes_lines_in_the_order_of_their_bytes, make,
						drop),
		cmocka_unit_test_setup_teardown(no_name_ends_a_frame_or_a_line, make, drop),
		cmocka_unit_test_setup_teardown(rounds_weights_so_that_they_add_up, make, drop),
		cmocka_unit_test_setup_teardown(
			ends_stacks_that_are_too_deep_and_counts_their_frames, make, drop),
		cmocka_unit_test(holds_no_more_nodes_than_asked_for),
		cmocka_unit_test_setup_teardown(sums_stop_at_the_largest_number, make, drop),
		cmocka_unit_test(marks_kinds_of_code),
		cmocka_unit_test(names_frames_without_their_parameters),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
