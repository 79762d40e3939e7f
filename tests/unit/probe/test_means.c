/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/macros.h"
#include "probe/means.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/meaning-list.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "lib/fake.h"
#include "probe/define.h"

/* As the kernel shows what make() defines: with more zeros. */
#define SHOWN "p:grp/open /bin/a:0x0000000000001000 mode=%si:u32\n"

struct fixture {
	struct fake fake;
	struct tfs_probe_defs defs;
	struct tfs_strvec events;
	struct tfs_strbuf payload;
	char dir[512];
};

static void make(struct fixture *f, const char *event, const char *location, const char *args,
		 const char *name)
{
	struct tfs_meaning means = { .n = 0 };
	struct tfs_probe_def def = { .type = TFS_PROBE_UPROBE };

	def.group = strdup("grp");
	def.event = strdup(event);
	def.location = strdup(location);
	def.args = strdup(args);
	assert_int_equal(tfs_meaning_add(&means, 7, name), 0);
	assert_int_equal(tfs_probe_means_add(&def.means, "mode", &means), 0);
	tfs_meaning_release(&means);
	assert_int_equal(tfs_probe_defs_take(&f->defs, &def), 0);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	*state = f;
	fake_new(&f->fake, NULL);
	fake_put(&f->fake, "kprobe_events", "");
	fake_put(&f->fake, "uprobe_events", SHOWN);
	tfs_strbuf_init(&f->payload);
	snprintf(f->dir, sizeof(f->dir), "%s", fake_path(&f->fake, "state/values"));
	return tfs_strvec_push(&f->events, "grp:open");
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tfs_probe_defs_release(&f->defs);
	tfs_strvec_release(&f->events);
	tfs_strbuf_release(&f->payload);
	fake_free(&f->fake);
	free(f);
	return 0;
}

/* The name that the payload has for 7; "" if it is empty */
static const char *name_in(struct fixture *f, char *out, size_t size)
{
	const char *event, *field;
	struct tfs_meaning means;
	struct tfs_cursor c;

	*out = '\0';
	if (!f->payload.len)
		return out;
	tfs_cursor_init(&c, f->payload.s, f->payload.len, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	assert_int_equal(tfs_meaning_list_next(&c, &event, &field, &means), 1);
	assert_string_equal(event, "grp:open");
	assert_string_equal(field, "mode");
	snprintf(out, size, "%s", tfs_meaning_name(&means, 7, 4));
	tfs_meaning_release(&means);
	return out;
}

static const char *loaded(struct fixture *f)
{
	static char name[64];

	tfs_strbuf_reset(&f->payload);
	assert_int_equal(tfs_probe_means_load(f->dir, f->fake.root, &f->events, &f->payload), 0);
	return name_in(f, name, sizeof(name));
}

static void keep(struct fixture *f)
{
	make(f, "open", "/bin/a:0x1000", "mode=%si:u32", "RW");
	assert_int_equal(tfs_probe_means_keep(f->dir, &f->defs, NULL), 0);
}

static void definitions_become_a_payload(void **state)
{
	struct fixture *f = *state;
	char name[64];

	make(f, "open", "/bin/a:0x1000", "mode=%si:u32", "RW");
	assert_int_equal(tfs_probe_means_payload(&f->defs, &f->payload), 0);
	assert_string_equal(name_in(f, name, sizeof(name)), "RW");
}

static void places_that_differ_leave_a_number(void **state)
{
	struct fixture *f = *state;

	make(f, "open", "/bin/a:0x1000", "mode=%si:u32", "RW");
	make(f, "open", "/bin/a:0x2000", "mode=%di:u32", "OTHER");
	assert_int_equal(tfs_probe_means_payload(&f->defs, &f->payload), 0);
	assert_int_equal(f->payload.len, 0);
}

static void kept_constants_are_loaded_for_their_event_only(void **state)
{
	struct fixture *f = *state;

	keep(f);
	assert_string_equal(loaded(f), "RW");
	f->events.v[0][4] = 'x';
	assert_string_equal(loaded(f), "");
	memcpy(f->events.v[0] + 4, "*", 2);
	assert_string_equal(loaded(f), "RW");
}

static void another_definition_of_the_event_has_numbers(void **state)
{
	static const char *const others[] = {
		"",
		"p:grp/open /bin/a:0x0000000000001000 mode=%di:u32\n",
		"p:grp/open /bin/a:0x0000000000010000 mode=%si:u32\n",
		"p:grp/open /bin/b:0x0000000000001000 mode=%si:u32\n",
		"r:grp/open /bin/a:0x0000000000001000 mode=%si:u32\n",
		SHOWN "p:grp/open /bin/a:0x0000000000002000 mode=%si:u32\n",
	};
	struct fixture *f = *state;

	keep(f);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		fake_put(&f->fake, "uprobe_events", others[i]);
		assert_string_equal(loaded(f), "");
	}
	fake_put(&f->fake, "uprobe_events", SHOWN);
	assert_string_equal(loaded(f), "RW");
}

static void files_that_others_may_write_do_not_count(void **state)
{
	struct fixture *f = *state;
	char path[600];

	keep(f);
	snprintf(path, sizeof(path), "%s/grp:open", f->dir);
	assert_int_equal(chmod(path, 0620), 0);
	assert_string_equal(loaded(f), "");
	assert_int_equal(chmod(path, 0600), 0);
	assert_string_equal(loaded(f), "RW");
	assert_int_equal(chmod(f->dir, 0777), 0);
	assert_string_equal(loaded(f), "");
	assert_int_equal(tfs_probe_means_keep(f->dir, &f->defs, NULL), -EPERM);
	assert_int_equal(chmod(f->dir, 0700), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_string_equal(loaded(f), "");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/dev/zero", path), 0);
	assert_string_equal(loaded(f), "");
}

static void a_file_cut_short_has_numbers(void **state)
{
	struct fixture *f = *state;
	char path[600];
	struct stat st;

	keep(f);
	snprintf(path, sizeof(path), "%s/grp:open", f->dir);
	assert_int_equal(stat(path, &st), 0);
	while (st.st_size) {
		assert_int_equal(truncate(path, --st.st_size), 0);
		assert_string_equal(loaded(f), "");
	}
}

static void deleted_and_empty_entries_are_dropped(void **state)
{
	struct fixture *f = *state;
	char path[600];

	keep(f);
	snprintf(path, sizeof(path), "%s/grp:open", f->dir);
	tfs_probe_means_release(&f->defs.v[0].means);
	assert_int_equal(tfs_probe_means_keep(f->dir, &f->defs, NULL), 0);
	assert_int_equal(access(path, F_OK), -1);
	tfs_probe_defs_release(&f->defs);
	keep(f);
	assert_int_equal(access(path, F_OK), 0);
	tfs_probe_means_forget(f->dir, &f->events);
	assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(definitions_become_a_payload),
		TEST(places_that_differ_leave_a_number),
		TEST(kept_constants_are_loaded_for_their_event_only),
		TEST(another_definition_of_the_event_has_numbers),
		TEST(files_that_others_may_write_do_not_count),
		TEST(a_file_cut_short_has_numbers),
		TEST(deleted_and_empty_entries_are_dropped),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
