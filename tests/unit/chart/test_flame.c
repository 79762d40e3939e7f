/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "chart/colors.h"
#include "chart/flame-html.h"
#include "chart/flame-layout.h"
#include "chart/flame-look.h"
#include "chart/flame-svg.h"
#include "chart/flame-tree.h"
#include "lib/alloc_fail.h"

/* Boxes that are compared are exact to a thousandth of a pixel. */
#define CLOSE(a, b) assert_in_range((a)*1000 + 0.5, (b)*1000, (b)*1000 + 1)

struct fixture {
	struct tfs_fold *before, *after;
	struct tfs_flame_tree *tree;
	struct tfs_flame_layout layout;
	struct tfs_out *out;
	struct tfs_strbuf said;
	char *text;
	size_t len;
	int fd;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	*state = f;
	tfs_strbuf_init(&f->said);
	f->fd = memfd_create("flame", MFD_CLOEXEC);
	if (f->fd < 0 || tfs_out_new(f->fd, &f->out) || tfs_fold_new(0, &f->before))
		return -1;
	return tfs_fold_new(0, &f->after);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	alloc_fail_off();
	tfs_flame_layout_release(&f->layout);
	tfs_flame_tree_free(f->tree);
	tfs_fold_free(f->before);
	tfs_fold_free(f->after);
	tfs_out_free(f->out);
	tfs_strbuf_release(&f->said);
	tfs_close(&f->fd);
	free(f->text);
	free(f);
	return 0;
}

/* Adds a stack, @times, whose frames are named by what is between the '|'. */
static void add(struct tfs_fold *fold, const char *stack, uint64_t times)
{
	uint32_t node = TFS_FOLD_ROOT;

	for (;; stack++) {
		size_t len = strcspn(stack, "|");
		struct tfs_fold_name name = { .text = stack, .len = len, .kind = TFS_FRAME_USER };

		assert_int_equal(tfs_fold_child(fold, node, &name, &node), 0);
		stack += len;
		if (!*stack)
			break;
	}
	while (times--)
		tfs_fold_add(fold, node, 1);
}

static void join(struct fixture *f, const struct tfs_fold *before)
{
	tfs_flame_tree_free(f->tree);
	f->tree = NULL;
	assert_int_equal(tfs_flame_tree_new(before, f->after, &f->tree), 0);
}

/* The node at @i, as "depth name before/after" */
static const char *at(const struct fixture *f, uint32_t i, char *text, size_t size)
{
	const struct tfs_flame_node *n = &f->tree->node[i];

	assert_true(i < f->tree->n);
	snprintf(text, size, "%u %s %llu/%llu", n->depth, f->tree->name[n->name].text,
		 (unsigned long long)n->total[TFS_FLAME_BEFORE],
		 (unsigned long long)n->total[TFS_FLAME_AFTER]);
	return text;
}

static void sorts_what_a_frame_called_by_name(void **state)
{
	static const char *const want[] = { "0 all 0/10", "1 ls 0/3",   "2 main 0/3", "1 sh 0/7",
					    "2 exit 0/1", "2 main 0/6", "3 read 0/4" };
	struct fixture *f = *state;
	char text[64];

	add(f->after, "sh|main|read", 4);
	add(f->after, "ls|main", 3);
	add(f->after, "sh|main", 2);
	add(f->after, "sh|exit", 1);
	join(f, NULL);
	assert_int_equal(f->tree->n, ARRAY_SIZE(want));
	for (uint32_t i = 0; i < f->tree->n; i++)
		assert_string_equal(at(f, i, text, sizeof(text)), want[i]);
	assert_int_equal(f->tree->node[0].end, 7);
	assert_int_equal(f->tree->node[1].end, 3);
	assert_int_equal(f->tree->node[3].end, 7);
	assert_int_equal(f->tree->node[4].parent, 3);
	assert_int_equal(f->tree->depth, 3);
}

static void says_where_nodes_of_the_fold_are(void **state)
{
	struct fixture *f = *state;
	const struct tfs_fold_node *from;
	uint32_t n;

	add(f->before, "x|y", 1);
	add(f->after, "sh|main|read", 4);
	add(f->after, "ls|main", 3);
	add(f->after, "sh|exit", 1);
	join(f, f->before);
	from = tfs_fold_nodes(f->after, &n);
	assert_int_equal(f->tree->n_fold, n);
	assert_int_equal(n, 7);
	for (uint32_t i = 1; i < n; i++) {
		const struct tfs_flame_node *to = &f->tree->node[f->tree->of_fold[i]];

		assert_string_equal(f->tree->name[to->name].text,
				    tfs_fold_name(f->after, from[i].name).text);
		assert_int_equal(to->parent, f->tree->of_fold[from[i].parent]);
		assert_int_equal(to->self[TFS_FLAME_AFTER], from[i].self);
	}
}

static void joins_two_sides_by_names_and_callers(void **state)
{
	static const char *const want[] = { "0 all 5/7", "1 a 5/6",    "2 new 0/6",
					    "2 old 5/0", "3 deep 2/0", "1 b 0/1" };
	struct fixture *f = *state;
	char text[64];

	add(f->before, "a|old", 3);
	add(f->before, "a|old|deep", 2);
	add(f->after, "a|new", 6);
	add(f->after, "b", 1);
	join(f, f->before);
	assert_int_equal(f->tree->n, ARRAY_SIZE(want));
	for (uint32_t i = 0; i < f->tree->n; i++)
		assert_string_equal(at(f, i, text, sizeof(text)), want[i]);
	assert_int_equal(f->tree->samples[TFS_FLAME_BEFORE], 5);
	assert_int_equal(f->tree->samples[TFS_FLAME_AFTER], 7);
	/* widths of what is vanished are shares of the side before */
	assert_int_equal(tfs_flame_layout(f->tree, 700, 0.1, 100, &f->layout), 0);
	assert_int_equal(f->layout.n, 4);
	assert_int_equal(f->layout.n_vanished, 2);
	assert_int_equal(f->layout.box[4].row, 0);
	CLOSE(f->layout.box[4].width, 700);
	assert_int_equal(f->layout.box[5].row, 1);
	CLOSE(f->layout.box[5].x, 420);
	CLOSE(f->layout.box[5].width, 280);
	assert_int_equal(f->layout.rows_vanished, 2);
	CLOSE(f->layout.vanished_share, 1);
}

static void places_frames_right_of_their_callers_own_weight(void **state)
{
	static const struct {
		uint32_t row;
		double x, width;
	} want[] = { { 0, 0, 1000 },  { 1, 0, 300 },   { 2, 0, 300 },  { 1, 300, 700 },
		     { 2, 300, 100 }, { 2, 400, 600 }, { 3, 600, 400 } };
	struct fixture *f = *state;

	add(f->after, "sh|main|read", 4);
	add(f->after, "ls|main", 3);
	add(f->after, "sh|main", 2);
	add(f->after, "sh|exit", 1);
	join(f, NULL);
	assert_int_equal(tfs_flame_layout(f->tree, 1000, 0.1, 100, &f->layout), 0);
	assert_int_equal(f->layout.n, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(f->layout.box[i].row, want[i].row);
		CLOSE(f->layout.box[i].x, want[i].x);
		CLOSE(f->layout.box[i].width, want[i].width);
	}
	assert_int_equal(f->layout.rows, 4);
	assert_int_equal(f->layout.left_out, 0);
}

static void leaves_out_the_narrowest_until_there_are_few(void **state)
{
	struct fixture *f = *state;
	char name[16];

	for (int i = 1; i <= 9; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		add(f->after, name, i < 4 ? 1 : (uint64_t)i);
	}
	join(f, NULL);
	/* 42 samples: the root, and frames of 1, 1, 1, 4, 5, 6, 7, 8 and 9 */
	assert_int_equal(tfs_flame_layout(f->tree, 420, 0.1, 8, &f->layout), 0);
	assert_int_equal(f->layout.n, 7);
	assert_int_equal(f->layout.left_out, 3);
	CLOSE(f->layout.min_width, 40);
	CLOSE(f->layout.left_share, 3 / 42.0);
	tfs_flame_layout_release(&f->layout);
	assert_int_equal(tfs_flame_layout(f->tree, 420, 45, 8, &f->layout), 0);
	assert_int_equal(f->layout.n, 6);
	CLOSE(f->layout.min_width, 45);
}

static void takes_a_change_for_chance_below_two_deviations(void **state)
{
	struct fixture *f = *state;

	/* 2 * sqrt(100 + 128) = 30.2; 2 * sqrt(100 + 132) = 30.5 */
	add(f->before, "a", 100);
	add(f->before, "b", 100);
	add(f->after, "a", 128);
	add(f->after, "b", 132);
	join(f, f->before);
	CLOSE(tfs_flame_change(f->tree, &f->tree->node[1], 1), 0);
	CLOSE(tfs_flame_change(f->tree, &f->tree->node[2], 1), 32);
	/* as many in all: neither changed by more than chance */
	CLOSE(tfs_flame_factor(f->tree), 1.3);
	CLOSE(tfs_flame_change(f->tree, &f->tree->node[2], 1.3), 0);
}

/* The file as text, NUL-terminated */
static const char *written(struct fixture *f)
{
	off_t size;

	assert_int_equal(tfs_out_flush(f->out), 0);
	size = lseek(f->fd, 0, SEEK_END);
	f->text = malloc((size_t)size + 1);
	assert_non_null(f->text);
	assert_int_equal(pread(f->fd, f->text, (size_t)size, 0), size);
	f->text[size] = '\0';
	f->len = (size_t)size;
	return f->text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

static void draws_no_markup_of_strangers(void **state)
{
	static const struct tfs_flame_look look = {
		.title = "</title><script>alert(1)</script>",
		.unit = "samples",
		.notes = "one <b>\ntwo",
	};
	struct fixture *f = *state;
	const char *text;

	add(f->after, "</script><script>alert(1)</script>|\"onload=\"x\x01\xff&amp;|\xef\xbf\xbe",
	    3);
	join(f, NULL);
	assert_int_equal(tfs_flame_svg(f->tree, &look, f->out, &f->said), 0);
	text = written(f);
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "</script"));
	assert_null(strchr(text, '\x01'));
	assert_null(strchr(text, '\xff'));
	assert_null(strstr(text, "\xef\xbf\xbe"));
	assert_non_null(strstr(text, "&quot;onload=&quot;x"));
	assert_non_null(strstr(text, "&amp;amp: (3 samples, 100.00%)</title>"));
	assert_non_null(strstr(text, "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; (3 "));
	assert_int_equal(f->said.len, 0);
}

static void pages_hold_no_markup_of_strangers(void **state)
{
	static const struct tfs_flame_look look = {
		.title = "</title><script>alert(1)</script>",
		.unit = "samples",
		.notes = "</script><script>alert(2)</script>",
	};
	struct fixture *f = *state;
	const char *text;

	add(f->after, "</script><script>alert(3)</script>", 3);
	join(f, NULL);
	assert_int_equal(tfs_flame_html(f->tree, &look, f->out), 0);
	text = written(f);
	assert_null(strstr(text, "<script>alert"));
	assert_null(strstr(text, "alert(3)"));
	assert_non_null(strstr(text, "&lt;/title>&lt;script>alert(1)"));
	assert_non_null(strstr(text, "Content-Security-Policy"));
}

static void pictures_have_no_more_than_ten_thousand_frames(void **state)
{
	static const struct tfs_flame_look look = { .title = "", .unit = "samples", .notes = "" };
	struct fixture *f = *state;
	const char *text;
	char name[32];

	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "f%d|1|2|3|4|5|6|7|8|9", i);
		add(f->after, name, i < 800 ? 2 : 1);
	}
	join(f, NULL);
	assert_int_equal(tfs_flame_svg(f->tree, &look, f->out, &f->said), 0);
	text = written(f);
	/* 800 columns of 10 frames and the root; 1200 columns are left out, of 2800 samples */
	assert_int_equal(count(text, "<g>"), 8001);
	assert_string_equal(f->said.s, "12,000 frames narrower than 0.84 pixels are left out; "
				       "42.86% of the weight ends in them\n");
}

static void draws_the_deepest_stacks(void **state)
{
	static const struct tfs_flame_look look = { .title = "", .unit = "samples", .notes = "" };
	struct tfs_fold_name name = { .text = "f", .len = 1 };
	struct fixture *f = *state;
	uint32_t node = TFS_FOLD_ROOT;

	for (int i = 0; i < TFS_FOLD_DEPTH_MAX + 10; i++)
		assert_int_equal(tfs_fold_child(f->after, node, &name, &node), 0);
	tfs_fold_add(f->after, node, 1);
	join(f, NULL);
	assert_int_equal(f->tree->depth, TFS_FOLD_DEPTH_MAX);
	assert_int_equal(tfs_flame_svg(f->tree, &look, f->out, &f->said), 0);
	assert_int_equal(count(written(f), "<g>"), TFS_FOLD_DEPTH_MAX + 1);
}

static void reports_when_memory_is_short(void **state)
{
	static const struct tfs_flame_look look = { .title = "t", .unit = "samples", .notes = "n" };
	struct fixture *f = *state;
	int n, rc = -1;

	add(f->before, "a|b|d", 2);
	add(f->after, "a|b|c", 2);
	for (n = 0; rc; n++) {
		assert_true(n < 200);
		alloc_fail_at(n);
		rc = tfs_flame_tree_new(f->before, f->after, &f->tree);
		if (!rc)
			rc = tfs_flame_svg(f->tree, &look, f->out, &f->said);
		if (!rc)
			rc = tfs_flame_html(f->tree, &look, f->out);
		alloc_fail_off();
		if (rc) {
			assert_int_equal(rc, -12);
			tfs_flame_tree_free(f->tree);
			f->tree = NULL;
		}
	}
	assert_true(n > 15);
}

static void names_colors_by_kind_file_or_one_hue(void **state)
{
	const struct tfs_fold_name kernel = { "read", "[kernel.kallsyms]", 4, TFS_FRAME_KERNEL };
	const struct tfs_fold_name libc = { "read", "/lib/libc.so.6", 4, TFS_FRAME_USER };
	const struct tfs_fold_name libm = { "exp", "/lib/libm.so.6", 3, TFS_FRAME_USER };
	struct tfs_err err = TFS_ERR_INIT;
	unsigned int scheme = 99;

	(void)state;
	assert_int_equal(tfs_colors_parse("kind", &scheme, &err), 0);
	assert_int_equal(scheme, TFS_COLORS_KIND);
	assert_int_not_equal(tfs_color_family(scheme, &kernel), tfs_color_family(scheme, &libc));
	assert_int_equal(tfs_color_family(scheme, &libm), tfs_color_family(scheme, &libc));
	assert_int_equal(tfs_color_shade(&kernel), tfs_color_shade(&libc));
	assert_int_equal(tfs_colors_parse("dso", &scheme, &err), 0);
	assert_int_not_equal(tfs_color_family(scheme, &libm), tfs_color_family(scheme, &libc));
	assert_int_equal(tfs_colors_parse("blue", &scheme, &err), 0);
	assert_int_equal(tfs_color_family(scheme, &kernel), tfs_color_family(scheme, &libc));
	assert_int_equal(tfs_colors_parse("mauve", &scheme, &err), -22);
	assert_non_null(strstr(err.hint, "purple"));
	tfs_err_clear(&err);
	/* blue is mostly blue, in both themes */
	for (unsigned int i = 0; i < TFS_COLOR_SHADES; i++) {
		uint32_t light = tfs_color_rgb(scheme - TFS_COLORS_ONE, i, TFS_COLOR_LIGHT);
		uint32_t dark = tfs_color_rgb(scheme - TFS_COLORS_ONE, i, TFS_COLOR_DARK);

		assert_true((light & 0xff) > (light >> 16 & 0xff));
		assert_true((dark & 0xff) > (dark >> 16 & 0xff));
		assert_true((dark & 0xff) < (light & 0xff));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sorts_what_a_frame_called_by_name, setup, teardown),
		cmocka_unit_test_setup_teardown(says_where_nodes_of_the_fold_are, setup, teardown),
		cmocka_unit_test_setup_teardown(joins_two_sides_by_names_and_callers, setup,
						teardown),
		cmocka_unit_test_setup_teardown(places_frames_right_of_their_callers_own_weight,
						setup, teardown),
		cmocka_unit_test_setup_teardown(leaves_out_the_narrowest_until_there_are_few, setup,
						teardown),
		cmocka_unit_test_setup_teardown(takes_a_change_for_chance_below_two_deviations,
						setup, teardown),
		cmocka_unit_test_setup_teardown(draws_no_markup_of_strangers, setup, teardown),
		cmocka_unit_test_setup_teardown(pages_hold_no_markup_of_strangers, setup, teardown),
		cmocka_unit_test_setup_teardown(pictures_have_no_more_than_ten_thousand_frames,
						setup, teardown),
		cmocka_unit_test_setup_teardown(draws_the_deepest_stacks, setup, teardown),
		cmocka_unit_test_setup_teardown(reports_when_memory_is_short, setup, teardown),
		cmocka_unit_test(names_colors_by_kind_file_or_one_hue),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
