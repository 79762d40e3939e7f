/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "cli/xalloc.h"
#include "lib/alloc_fail.h"
#include "lib/capture.h"

static void memory_is_zeroed_and_never_null(void **state)
{
	char *p = xcalloc(3, 5), *q = xcalloc(0, 8);
	size_t i;

	(void)state;
	for (i = 0; i < 15; i++)
		assert_int_equal(p[i], 0);
	assert_non_null(q);
	free(q);
	memset(p, 'x', 15);
	p = xreallocarray(p, 100, 10);
	assert_memory_equal(p, "xxxxxxxxxxxxxxx", 15);
	p = xreallocarray(p, 0, 10);
	assert_non_null(p);
	free(p);
}

static void strdup_copies(void **state)
{
	char text[] = "text";
	char *copy = xstrdup(text);

	(void)state;
	text[0] = 'n';
	assert_string_equal(copy, "text");
	free(copy);
}

static void ask_too_much(void *arg)
{
	switch (*(int *)arg) {
	case 0:
		free(xreallocarray(NULL, SIZE_MAX / 2, 4));
		break;
	case 1:
		alloc_fail_at(0);
		free(xcalloc(7, 11));
		break;
	case 2:
		alloc_fail_at(0);
		free(xstrdup("text"));
		break;
	default:
		alloc_fail_at(0);
		free(xreallocarray(NULL, 3, 9));
	}
}

static void no_memory_ends_the_program_with_a_message(void **state)
{
	static const char *const sizes[] = {
		" times 4 bytes",
		"7 times 11 bytes",
		"1 times 5 bytes",
		"3 times 9 bytes",
	};
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int i, status;

	(void)state;
	for (i = 0; i < 4; i++) {
		tfs_strbuf_reset(&sb);
		status = capture_run(ask_too_much, &i, STDERR_FILENO, -1, &sb);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 1);
		assert_non_null(strstr(sb.s, ": cannot allocate "));
		assert_non_null(strstr(sb.s, sizes[i]));
		assert_non_null(strstr(sb.s, "Cannot allocate memory\n"));
	}
	tfs_strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_zeroed_and_never_null),
		cmocka_unit_test(strdup_copies),
		cmocka_unit_test(no_memory_ends_the_program_with_a_message),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
