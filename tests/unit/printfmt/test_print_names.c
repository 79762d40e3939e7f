/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/strbuf-core.h"
#include "printfmt/print-names.h"

static int add(void *context, const char *name, size_t len)
{
	struct tfs_strbuf *list = context;
	int rc = tfs_strbuf_add(list, name, len);

	return rc ? rc : tfs_strbuf_addc(list, ' ');
}

static int stop(void *context, const char *name, size_t len)
{
	(void)context;
	(void)name;
	(void)len;
	return 7;
}

static void expect(const char *print, const char *names)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT, list = TFS_STRBUF_INIT;

	assert_int_equal(
		tfs_strbuf_addf(&text, "name: x\nID: 1\nformat:\n\nprint fmt: %s\n", print), 0);
	assert_int_equal(tfs_print_names(text.s, text.len, add, &list), 0);
	assert_string_equal(list.s, names);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&list);
}

static void names_exclude_fields_functions_and_types(void **state)
{
	(void)state;
	expect("\"%d REC->x FOO\", REC->BAR, (unsigned long)REC->state, sizeof(struct page)", "");
	/* include/trace/events/writeback.h */
	expect("\"%s\", __print_flags(REC->state, \"|\", {I_DIRTY_SYNC, \"I_DIRTY_SYNC\"}, "
	       "{I_NEW, \"I_NEW\"})",
	       "I_DIRTY_SYNC I_NEW ");
	expect("\"%s %u\", __get_str(name), __get_dynamic_array_len(buf)", "");
	expect("\"%p\", (((struct page *)vmemmap_base) + (REC->pfn))", "vmemmap_base ");
}

static void jiffies_need_the_tick_rate(void **state)
{
	(void)state;
	expect("\"%u\", jiffies_to_msecs(REC->wait)", "HZ ");
}

static void the_walk_ends_when_the_callback_says_so(void **state)
{
	static const char text[] = "\nprint fmt: \"%d\", FOO, BAR";

	(void)state;
	assert_int_equal(tfs_print_names(text, sizeof(text) - 1, stop, NULL), 7);
}

static void a_text_without_a_format_or_an_end_has_none(void **state)
{
	struct tfs_strbuf list = TFS_STRBUF_INIT;

	(void)state;
	assert_int_equal(tfs_print_names("name: x\n", 8, add, &list), 0);
	assert_int_equal(list.len, 0);
	expect("\"%d, FOO", "");
	expect("\"%d\", __get_str(", "");
	tfs_strbuf_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_exclude_fields_functions_and_types),
		cmocka_unit_test(jiffies_need_the_tick_rate),
		cmocka_unit_test(the_walk_ends_when_the_callback_says_so),
		cmocka_unit_test(a_text_without_a_format_or_an_end_has_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
