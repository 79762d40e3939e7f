/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"
#include "strace/call.h"
#include "strace/fd-table.h"
#include "syscalls/tables.h"

/* clone(2), as pthread_create() and fork() call it */
#define THREAD (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD)
#define FORK 17

/*
 * @now: goes up with each entry and exit of a call
 * @entry: of the calls that a test made: by name
 */
struct fixture {
	struct tfs_fd_table *t;
	uint64_t now;
	struct sys_entry entry[64];
	struct tfs_strbuf text;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	tfs_strbuf_init(&f->text);
	f->now = 100;
	return tfs_fd_table_new(&f->t);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_fd_table_free(f->t);
	tfs_strbuf_release(&f->text);
	free(f);
	return 0;
}

static const struct sys_entry *entry_of(struct fixture *f, const char *name)
{
	for (unsigned int i = 0; i < 64; i++) {
		if (!f->entry[i].name) {
			f->entry[i].name = name;
			f->entry[i].nr = i;
		}
		if (!strcmp(f->entry[i].name, name))
			return &f->entry[i];
	}
	fail();
	return NULL;
}

/* A call begins: its registers, and the text that the register at @path points to */
static struct tfs_call enter(struct fixture *f, int tid, const char *name, int path,
			     const char *text, const uint64_t *args)
{
	struct tfs_call call = { .tid = tid, .tgid = tid, .entry = entry_of(f, name) };

	memcpy(call.args, args, sizeof(call.args));
	if (text)
		call.text[path] =
			(struct tfs_call_text){ .s = text, .len = (uint32_t)strlen(text) };
	call.begin = ++f->now;
	assert_int_equal(tfs_fd_table_enter(f->t, &call), 0);
	return call;
}

static void leave(struct fixture *f, struct tfs_call *call, int64_t ret)
{
	call->end = ++f->now;
	call->ret = ret;
	assert_int_equal(tfs_fd_table_returned(f->t, call), 0);
}

#define REGS(...) ((const uint64_t[6]){ __VA_ARGS__ })
#define BEGIN(f, tid, name, ...) enter(f, tid, name, 0, NULL, REGS(__VA_ARGS__))

static void make(struct fixture *f, struct tfs_call call, int64_t ret)
{
	leave(f, &call, ret);
}

#define CALL(f, tid, name, ret, ...) make(f, BEGIN(f, tid, name, __VA_ARGS__), ret)

/* openat(AT_FDCWD, @path, @flags) */
static struct tfs_call begin_open(struct fixture *f, int tid, const char *path, uint64_t flags)
{
	return enter(f, tid, "openat", 1, path, REGS((uint32_t)AT_FDCWD, 0x1000, flags));
}

static void open_file(struct fixture *f, int tid, const char *path, uint64_t flags, int fd)
{
	make(f, begin_open(f, tid, path, flags), fd);
}

static void fork_task(struct fixture *f, int tid, int child, uint64_t flags)
{
	struct tfs_call call = BEGIN(f, tid, "clone", flags);

	assert_int_equal(tfs_fd_table_fork(f->t, tid, child, flags, true, ++f->now), 0);
	leave(f, &call, child);
}

static void run_program(struct fixture *f, int tid, int tgid)
{
	struct tfs_call call = BEGIN(f, tid, "execve", 0x1000);

	assert_int_equal(tfs_fd_table_exec(f->t, tgid, tgid, ++f->now), 0);
	call.tid = call.tgid = tgid;
	leave(f, &call, 0);
}

static const char *text_of(struct fixture *f, int tid, int fd, enum tfs_fd_style style)
{
	tfs_strbuf_reset(&f->text);
	assert_int_equal(tfs_fd_table_print(f->t, tid, fd, style, &f->text), 0);
	return f->text.s;
}

#define assert_is(f, tid, fd, text) assert_string_equal(text_of(f, tid, fd, TFS_FD_FILES), text)
#define assert_unknown(f, tid, fd) assert_is(f, tid, fd, "")

/* What /proc says of a descriptor between the two times */
static void see(struct fixture *f, int tid, int fd, const char *text, int cloexec, uint64_t begin,
		uint64_t end)
{
	const struct tfs_fd_seen seen = {
		.tid = tid,
		.tgid = tid,
		.fd = fd,
		.text = text,
		.cloexec = cloexec,
		.begin = begin,
		.end = end,
	};

	assert_int_equal(tfs_fd_table_saw(f->t, &seen), 0);
}

static void an_open_file_has_the_name_that_was_typed(void **state)
{
	struct fixture *f = *state;

	open_file(f, 1, "/etc/passwd", O_RDONLY, 3);
	assert_is(f, 1, 3, "<~/etc/passwd>");
	/* It may go through links. */
	assert_string_equal(tfs_fd_table_path(f->t, 1, 3), "/etc/passwd");
	assert_false(tfs_fd_table_is_known(f->t, 1, 3));
	assert_unknown(f, 1, 4);
	assert_unknown(f, 2, 3);
	open_file(f, 1, "/missing", O_RDONLY, -ENOENT);
	assert_unknown(f, 1, -ENOENT);
	CALL(f, 1, "close", 0, 3);
	assert_unknown(f, 1, 3);
}

static void the_file_of_a_result_is_known_unless_it_changed_before_it_was_seen(void **state)
{
	struct fixture *f = *state;
	uint64_t since;

	CALL(f, 1, "openat2", 3, 0, 0x1000);
	since = f->now;
	see(f, 1, 3, "/etc/passwd", 0, since + 2, since + 4);
	assert_int_equal(tfs_fd_table_reach(f->t, since + 3), 0);
	assert_false(tfs_fd_table_is_since(f->t, 1, 3, since));
	assert_int_equal(tfs_fd_table_reach(f->t, since + 4), 0);
	assert_true(tfs_fd_table_is_since(f->t, 1, 3, since));
	assert_is(f, 1, 3, "</etc/passwd>");

	f->now += 10;
	CALL(f, 1, "close", 0, 3);
	assert_false(tfs_fd_table_is_since(f->t, 1, 3, since));

	/* The number is another file's by the time at which it is seen. */
	CALL(f, 1, "openat2", 3, 0, 0x1000);
	since = f->now;
	CALL(f, 1, "close", 0, 3);
	CALL(f, 1, "openat2", 3, 0, 0x2000);
	see(f, 1, 3, "/etc/group", 0, f->now + 1, f->now + 2);
	assert_int_equal(tfs_fd_table_reach(f->t, f->now + 2), 0);
	assert_false(tfs_fd_table_is_since(f->t, 1, 3, since));
	assert_true(tfs_fd_table_is_since(f->t, 1, 3, f->now));
}

static void a_close_of_a_number_that_is_not_open_changes_nothing(void **state)
{
	struct fixture *f = *state;

	open_file(f, 1, "/a", 0, 3);
	CALL(f, 1, "close", -EBADF, 4);
	assert_is(f, 1, 3, "<~/a>");
	/* the descriptor is gone even if what was written did not reach the disk */
	CALL(f, 1, "close", -EIO, 3);
	assert_unknown(f, 1, 3);
}

static void descriptors_are_copied(void **state)
{
	struct fixture *f = *state;

	open_file(f, 1, "/a", 0, 3);
	CALL(f, 1, "dup", 4, 3);
	CALL(f, 1, "dup2", 0, 3, 0);
	CALL(f, 1, "dup3", 9, 3, 9, O_CLOEXEC);
	CALL(f, 1, "fcntl", 10, 3, F_DUPFD, 10);
	CALL(f, 1, "fcntl", 11, 3, F_DUPFD_CLOEXEC, 10);
	CALL(f, 1, "dup2", 3, 3, 3);
	CALL(f, 1, "close", 0, 3);
	assert_unknown(f, 1, 3);
	assert_is(f, 1, 4, "<~/a>");
	assert_is(f, 1, 0, "<~/a>");
	assert_is(f, 1, 9, "<~/a>");
	assert_is(f, 1, 10, "<~/a>");
	assert_is(f, 1, 11, "<~/a>");
	/* of what is not known the copy is not known, and what was there is gone */
	CALL(f, 1, "dup2", 4, 77, 4);
	assert_unknown(f, 1, 4);
	run_program(f, 1, 1);
	assert_is(f, 1, 0, "<~/a>");
	assert_unknown(f, 1, 9);
	assert_is(f, 1, 10, "<~/a>");
	assert_unknown(f, 1, 11);
}

static void exec_closes_what_says_so(void **state)
{
	struct fixture *f = *state;

	open_file(f, 1, "/kept", O_RDONLY, 3);
	open_file(f, 1, "/closed", O_RDONLY | O_CLOEXEC, 4);
	open_file(f, 1, "/kept-later", O_CLOEXEC, 5);
	CALL(f, 1, "fcntl", 0, 5, F_SETFD, 0);
	open_file(f, 1, "/closed-later", 0, 6);
	CALL(f, 1, "fcntl", 0, 6, F_SETFD, FD_CLOEXEC);
	open_file(f, 1, "/ioctl", 0, 7);
	CALL(f, 1, "ioctl", 0, 7, 0x5451);
	CALL(f, 1, "ioctl", 0, 3, 0x5401);
	run_program(f, 1, 1);
	assert_is(f, 1, 3, "<~/kept>");
	assert_unknown(f, 1, 4);
	assert_is(f, 1, 5, "<~/kept-later>");
	assert_unknown(f, 1, 6);
	assert_unknown(f, 1, 7);
}

static void a_failed_exec_closes_nothing(void **state)
{
	struct fixture *f = *state;

	open_file(f, 1, "/closed", O_CLOEXEC, 4);
	CALL(f, 1, "execve", -ENOENT, 0x1000);
	assert_is(f, 1, 4, "<~/closed>");
}

static void a_child_has_a_copy(void **state)
{
	struct fixture *f = *state;

	open_file(f, 1, "/a", 0, 3);
	fork_task(f, 1, 2, FORK);
	assert_is(f, 2, 3, "<~/a>");
	CALL(f, 2, "close", 0, 3);
	open_file(f, 2, "/b", 0, 3);
	open_file(f, 1, "/c", 0, 4);
	assert_is(f, 1, 3, "<~/a>");
	assert_is(f, 2, 3, "<~/b>");
	assert_unknown(f, 2, 4);
	tfs_fd_table_end(f->t, 2);
	assert_unknown(f, 2, 3);
	assert_is(f, 1, 3, "<~/a>");
}

static void threads_share_descriptors(void **state)
{
	struct fixture *f = *state;

	fork_task(f, 1, 2, THREAD);
	open_file(f, 2, "/a", 0, 3);
	assert_is(f, 1, 3, "<~/a>");
	CALL(f, 1, "close", 0, 3);
	assert_unknown(f, 2, 3);
	open_file(f, 1, "/b", 0, 3);
	CALL(f, 2, "unshare", 0, CLONE_FILES);
	CALL(f, 2, "close", 0, 3);
	assert_is(f, 1, 3, "<~/b>");
	/* a thread may outlive the one that the process began with */
	fork_task(f, 1, 4, THREAD);
	tfs_fd_table_end(f->t, 1);
	assert_is(f, 4, 3, "<~/b>");
}

static void exec_of_a_thread_ends_the_others(void **state)
{
	struct fixture *f = *state;

	run_program(f, 1, 1);
	open_file(f, 1, "/a", 0, 3);
	open_file(f, 1, "/b", O_CLOEXEC, 4);
	fork_task(f, 1, 2, THREAD);
	run_program(f, 2, 1);
	assert_is(f, 1, 3, "<~/a>");
	assert_unknown(f, 1, 4);
	assert_unknown(f, 2, 3);
}

static void ranges_are_closed(void **state)
{
	struct fixture *f = *state;

	for (int fd = 3; fd < 8; fd++)
		open_file(f, 1, "/a", 0, fd);
	CALL(f, 1, "close_range", 0, 4, 5, 0);
	CALL(f, 1, "close_range", 0, 7, UINT32_MAX, 4); /* CLOSE_RANGE_CLOEXEC */
	assert_is(f, 1, 3, "<~/a>");
	assert_unknown(f, 1, 4);
	assert_unknown(f, 1, 5);
	assert_is(f, 1, 6, "<~/a>");
	assert_is(f, 1, 7, "<~/a>");
	run_program(f, 1, 1);
	assert_is(f, 1, 6, "<~/a>");
	assert_unknown(f, 1, 7);
	/* CLOSE_RANGE_UNSHARE: not those of the other thread */
	fork_task(f, 1, 2, THREAD);
	CALL(f, 2, "close_range", 0, 3, 3, 2);
	assert_is(f, 1, 3, "<~/a>");
	assert_unknown(f, 2, 3);
}

static void objects_without_path_have_the_kernels_names(void **state)
{
	struct fixture *f = *state;

	CALL(f, 1, "eventfd2", 3, 0, O_CLOEXEC);
	CALL(f, 1, "epoll_create1", 4, 0);
	CALL(f, 1, "signalfd4", 5, (uint32_t)-1, 0x1000, 8, 0);
	CALL(f, 1, "signalfd4", 3, 3, 0x1000, 8, 0);
	make(f, enter(f, 1, "memfd_create", 0, "memo", REGS(0x1000, 0)), 6);
	CALL(f, 1, "socket", 7, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CALL(f, 1, "socket", 8, AF_INET6, SOCK_DGRAM, 0);
	CALL(f, 1, "socket", 9, 38 /* AF_ALG */, SOCK_SEQPACKET, 0);
	CALL(f, 1, "accept4", 10, 7, 0, 0, 0);
	assert_is(f, 1, 3, "<anon_inode:[eventfd]>");
	assert_is(f, 1, 4, "<anon_inode:[eventpoll]>");
	assert_is(f, 1, 5, "<anon_inode:[signalfd]>");
	assert_is(f, 1, 6, "</memfd:memo>(deleted)");
	assert_is(f, 1, 7, "<socket:[?]>");
	assert_string_equal(text_of(f, 1, 7, TFS_FD_PROTOCOLS), "<TCP:[?]>");
	assert_string_equal(text_of(f, 1, 8, TFS_FD_PROTOCOLS), "<UDPv6:[?]>");
	assert_string_equal(text_of(f, 1, 9, TFS_FD_PROTOCOLS), "<socket:[?]>");
	assert_string_equal(text_of(f, 1, 10, TFS_FD_PROTOCOLS), "<TCP:[?]>");
	see(f, 1, 10, "socket:[123]", 0, f->now + 1, f->now + 2);
	f->now += 2;
	CALL(f, 1, "read", 0, 10);
	assert_is(f, 1, 10, "<socket:[123]>");
	assert_string_equal(text_of(f, 1, 10, TFS_FD_PROTOCOLS), "<TCP:[123]>");
}

static void relative_paths_begin_at_a_directory_that_is_known(void **state)
{
	struct fixture *f = *state;

	open_file(f, 1, "x", 0, 3);
	assert_unknown(f, 1, 3);
	make(f, enter(f, 1, "chdir", 0, "/usr/lib/", REGS(0)), 0);
	assert_is(f, 1, TFS_FD_CWD, "<~/usr/lib>");
	open_file(f, 1, "./a//b/.", 0, 3);
	assert_is(f, 1, 3, "<~/usr/lib/a/b>");
	make(f, enter(f, 1, "openat", 1, "c", REGS(3, 0x1000, 0)), 4);
	assert_is(f, 1, 4, "<~/usr/lib/a/b/c>");
	/* links decide where this is */
	open_file(f, 1, "../c", 0, 5);
	assert_unknown(f, 1, 5);
	open_file(f, 1, "/proc/self/fd/3", 0, 6);
	assert_unknown(f, 1, 6);
	CALL(f, 1, "fchdir", 0, 4);
	assert_is(f, 1, TFS_FD_CWD, "<~/usr/lib/a/b/c>");
	fork_task(f, 1, 2, FORK);
	make(f, enter(f, 2, "chdir", 0, "/", REGS(0)), 0);
	open_file(f, 2, "x", 0, 7);
	assert_is(f, 2, 7, "<~/x>");
	assert_is(f, 1, TFS_FD_CWD, "<~/usr/lib/a/b/c>");
	/* a directory that is not known */
	CALL(f, 1, "chdir", 0, 0x1000);
	assert_unknown(f, 1, TFS_FD_CWD);
	/* what paths mean there nobody outside knows */
	CALL(f, 2, "setns", 0, 3, 0);
	open_file(f, 2, "/etc/passwd", 0, 8);
	assert_unknown(f, 2, 8);
}

static void names_follow_what_is_removed_and_renamed(void **state)
{
	struct fixture *f = *state;

	open_file(f, 1, "/d/a", 0, 3);
	open_file(f, 1, "/d/b", 0, 4);
	open_file(f, 1, "/da", 0, 5);
	make(f, enter(f, 1, "unlink", 0, "/d/a", REGS(0)), 0);
	assert_is(f, 1, 3, "<~/d/a>(deleted)");
	/* another file of that name */
	open_file(f, 1, "/d/a", 0, 6);
	assert_is(f, 1, 6, "<~/d/a>");
	make(f, enter(f, 1, "rename", 0, "/d", REGS(0)), 0);
	assert_unknown(f, 1, 4);
	assert_unknown(f, 1, 6);
	assert_is(f, 1, 5, "<~/da>");
	assert_is(f, 1, 3, "<~/d/a>(deleted)");
}

/* A close and an open of two threads overlap, and the open gets the number: it came second. */
static void a_number_that_is_used_again_at_once_is_the_new_file(void **state)
{
	struct fixture *f = *state;
	struct tfs_call closing, opening;

	fork_task(f, 1, 2, THREAD);
	open_file(f, 1, "/old", 0, 3);
	closing = BEGIN(f, 1, "close", 3);
	opening = begin_open(f, 2, "/new", 0);
	leave(f, &closing, 0);
	assert_unknown(f, 2, 3);
	leave(f, &opening, 3);
	assert_is(f, 1, 3, "<~/new>");

	/* the same, and the open returns first */
	closing = BEGIN(f, 1, "close", 3);
	opening = begin_open(f, 2, "/newer", 0);
	leave(f, &opening, 3);
	leave(f, &closing, 0);
	assert_is(f, 1, 3, "<~/newer>");
	CALL(f, 1, "close", 0, 3);
	assert_unknown(f, 1, 3);
}

static void files_that_depend_on_the_order_of_calls_are_unknown(void **state)
{
	struct fixture *f = *state;
	struct tfs_call closing, opening, copying;

	fork_task(f, 1, 2, THREAD);
	fork_task(f, 1, 3, THREAD);
	open_file(f, 1, "/old", 0, 5);
	open_file(f, 1, "/other", 0, 6);
	/* which copy came last? */
	copying = BEGIN(f, 1, "dup2", 6, 5);
	opening = BEGIN(f, 2, "dup2", 6, 5);
	leave(f, &copying, 5);
	leave(f, &opening, 5);
	assert_unknown(f, 1, 5);
	/* was the copy made before the number was closed and used again? */
	open_file(f, 1, "/old", 0, 7);
	copying = BEGIN(f, 1, "dup", 7);
	CALL(f, 2, "close", 0, 7);
	open_file(f, 2, "/new", 0, 7);
	leave(f, &copying, 8);
	assert_unknown(f, 1, 8);
	assert_is(f, 1, 7, "<~/new>");
	/* was it this file that was closed, or the one that had the number before? */
	closing = BEGIN(f, 1, "close", 12);
	opening = begin_open(f, 2, "/new", 0);
	leave(f, &closing, 0);
	leave(f, &opening, 12);
	assert_unknown(f, 1, 12);
	/* a close that nobody knows when it closes: two of the same number, and an open */
	closing = BEGIN(f, 3, "close", 7);
	CALL(f, 2, "close", 0, 7);
	open_file(f, 2, "/newer", 0, 7);
	assert_unknown(f, 1, 7);
	leave(f, &closing, 0);
	assert_unknown(f, 1, 7);
	/* a number that another thread may close just now */
	open_file(f, 1, "/a", 0, 9);
	closing = BEGIN(f, 1, "close", 9);
	assert_is(f, 1, 9, "<~/a>");
	assert_unknown(f, 2, 9);
	leave(f, &closing, -EBADF);
	assert_is(f, 2, 9, "<~/a>");
}

static void a_fork_copies_what_is_certain(void **state)
{
	struct fixture *f = *state;
	struct tfs_call forking, closing;

	fork_task(f, 1, 2, THREAD);
	open_file(f, 1, "/a", 0, 3);
	open_file(f, 1, "/b", 0, 4);
	open_file(f, 1, "/c", 0, 5);
	closing = BEGIN(f, 2, "dup2", 3, 4);
	forking = BEGIN(f, 1, "clone", FORK);
	assert_int_equal(tfs_fd_table_fork(f->t, 1, 10, FORK, true, ++f->now), 0);
	leave(f, &closing, 4);
	leave(f, &forking, 10);
	assert_is(f, 10, 3, "<~/a>");
	assert_unknown(f, 10, 4);
	assert_is(f, 10, 5, "<~/c>");
	assert_is(f, 1, 4, "<~/a>");
	/* ended between the entry of the fork and the copy, or after it */
	forking = BEGIN(f, 1, "clone", FORK);
	CALL(f, 2, "close", 0, 5);
	open_file(f, 2, "/d", 0, 5);
	assert_int_equal(tfs_fd_table_fork(f->t, 1, 11, FORK, true, ++f->now), 0);
	leave(f, &forking, 11);
	assert_unknown(f, 11, 5);
	assert_is(f, 11, 3, "<~/a>");
}

static void a_child_of_clone3_may_share_or_not(void **state)
{
	struct fixture *f = *state;

	open_file(f, 1, "/a", 0, 3);
	open_file(f, 1, "/b", 0, 4);
	assert_int_equal(tfs_fd_table_fork(f->t, 1, 2, 0, false, ++f->now), 0);
	assert_unknown(f, 2, 3);
	assert_is(f, 1, 3, "<~/a>");
	/* if it shares, this one is another now */
	CALL(f, 2, "close", 0, 3);
	assert_unknown(f, 1, 3);
	assert_is(f, 1, 4, "<~/b>");
	open_file(f, 2, "/c", 0, 5);
	assert_is(f, 2, 5, "<~/c>");
	CALL(f, 1, "close", 0, 5);
	assert_unknown(f, 2, 5);
	/* a program of its own has descriptors of its own */
	run_program(f, 2, 2);
	open_file(f, 2, "/d", 0, 6);
	CALL(f, 1, "close", 0, 6);
	assert_is(f, 2, 6, "<~/d>");
}

static void nothing_is_known_after_a_loss(void **state)
{
	struct fixture *f = *state;
	struct tfs_call opening;

	make(f, enter(f, 1, "chdir", 0, "/tmp", REGS(0)), 0);
	open_file(f, 1, "/a", 0, 3);
	opening = begin_open(f, 1, "/b", 0);
	tfs_fd_table_lost(f->t, ++f->now);
	opening.flags |= TFS_CALL_CUT;
	leave(f, &opening, 4);
	assert_unknown(f, 1, 3);
	assert_unknown(f, 1, 4);
	assert_unknown(f, 1, TFS_FD_CWD);
	/* a process may have come, of which nothing was seen: whose is 5? */
	run_program(f, 1, 1);
	open_file(f, 1, "/c", 0, 5);
	CALL(f, 99, "close", 0, 5);
	assert_unknown(f, 1, TFS_FD_CWD);
	assert_is(f, 1, 5, "");
}

static void calls_without_an_end_may_have_had_an_effect(void **state)
{
	struct fixture *f = *state;
	struct tfs_call call;

	fork_task(f, 1, 2, THREAD);
	open_file(f, 1, "/a", 0, 3);
	open_file(f, 1, "/b", 0, 4);
	call = BEGIN(f, 2, "close", 3);
	call.flags |= TFS_CALL_NO_EXIT | TFS_CALL_DEAD;
	leave(f, &call, 0);
	assert_unknown(f, 1, 3);
	assert_is(f, 1, 4, "<~/b>");
	/* which one was closed? */
	call = (struct tfs_call){ .tid = 1, .tgid = 1, .entry = entry_of(f, "close") };
	call.flags = TFS_CALL_NO_ENTRY;
	leave(f, &call, 0);
	assert_unknown(f, 1, 4);
}

static void a_ring_changes_descriptors_without_calls(void **state)
{
	struct fixture *f = *state;

	open_file(f, 1, "/a", 0, 3);
	CALL(f, 1, "io_uring_setup", 4, 8, 0x1000);
	assert_unknown(f, 1, 3);
	open_file(f, 1, "/b", 0, 5);
	assert_unknown(f, 1, 5);
	run_program(f, 1, 1);
	assert_unknown(f, 1, 3);
	open_file(f, 1, "/b", 0, 5);
	assert_is(f, 1, 5, "<~/b>");
}

static void a_look_counts_when_the_trace_gets_there(void **state)
{
	struct fixture *f = *state;

	/* it is 1000 by now; the trace is at 100 */
	see(f, 1, 3, "/etc/shadow", 1, 1000, 1001);
	see(f, 1, 4, "pipe:[77]", 0, 1000, 1001);
	see(f, 1, TFS_FD_CWD, "/root", -1, 1000, 1001);
	open_file(f, 1, NULL, 0, 3);
	assert_unknown(f, 1, 3);
	f->now = 1001;
	CALL(f, 1, "read", 0, 3);
	assert_is(f, 1, 3, "</etc/shadow>");
	assert_is(f, 1, 4, "<pipe:[77]>");
	assert_is(f, 1, TFS_FD_CWD, "</root>");
	assert_string_equal(tfs_fd_table_path(f->t, 1, 3), "/etc/shadow");
	assert_null(tfs_fd_table_path(f->t, 1, 4));
	assert_true(tfs_fd_table_is_known(f->t, 1, 3));
	assert_false(tfs_fd_table_is_known(f->t, 1, 5));
	run_program(f, 1, 1);
	assert_unknown(f, 1, 3);
	assert_is(f, 1, 4, "<pipe:[77]>");
}

static void a_look_does_not_count_if_a_call_overlaps(void **state)
{
	struct fixture *f = *state;
	struct tfs_call call;

	see(f, 1, 3, "/late", 0, 200, 210);
	see(f, 1, 4, "/closing", 0, 200, 210);
	see(f, 1, 5, "/quiet", 0, 200, 210);
	f->now = 190;
	/* 3 may be the file before or after this */
	call = begin_open(f, 1, NULL, 0);
	f->now = 203;
	leave(f, &call, 3);
	call = BEGIN(f, 1, "close", 4);
	f->now = 220;
	CALL(f, 7, "read", 0, 0);
	leave(f, &call, -EBADF);
	assert_unknown(f, 1, 3);
	assert_unknown(f, 1, 4);
	assert_is(f, 1, 5, "</quiet>");
	/* a process that has the number of one that was looked at */
	f->now = 240;
	see(f, 2, 6, "/other", 0, 241, 245);
	fork_task(f, 1, 2, FORK);
	f->now = 250;
	CALL(f, 1, "read", 0, 3);
	assert_unknown(f, 2, 6);
	see(f, 2, 6, "/mine", 0, 255, 256);
	f->now = 260;
	CALL(f, 1, "read", 0, 3);
	assert_is(f, 2, 6, "</mine>");
}

static void odd_bytes_are_escaped_as_strace_does(void **state)
{
	struct fixture *f = *state;

	/* as strace 6.1 -y prints a file of this name */
	see(f, 1, 3, "/tmp/we<ird>\"d\\\303\251\tx/\0011\002a", 0, 101, 102);
	f->now = 102;
	CALL(f, 1, "read", 0, 3);
	assert_is(f, 1, 3, "</tmp/we\\74ird\\76\\\"d\\\\\\303\\251\\tx/\\0011\\2a>");
	see(f, 1, 4, "/tmp/gone (deleted)", 0, 110, 111);
	f->now = 120;
	CALL(f, 1, "read", 0, 3);
	assert_is(f, 1, 4, "</tmp/gone>(deleted)");
}

static void large_numbers_are_not_kept(void **state)
{
	struct fixture *f = *state;

	open_file(f, 1, "/a", 0, 65535);
	assert_is(f, 1, 65535, "<~/a>");
	open_file(f, 1, "/a", 0, 65536);
	assert_unknown(f, 1, 65536);
	CALL(f, 1, "close", 0, 0x7fffffff);
	CALL(f, 1, "close_range", 0, 0, UINT32_MAX, 0);
	assert_unknown(f, 1, 65535);
}

static void sequence(struct fixture *f)
{
	struct tfs_call call = { .tid = 1, .tgid = 1 };
	const struct tfs_fd_seen seen = { .tid = 2, .tgid = 1, .fd = 9, .text = "/x", .begin = 9 };

	tfs_fd_table_saw(f->t, &seen);
	for (int i = 0; i < 40; i++) {
		call.tid = call.tgid = i % 4 + 1;
		call.entry = entry_of(f, i % 5 == 4 ? "close" : i % 3 ? "openat" : "dup2");
		call.args[0] = (uint32_t)(i % 5 == 4 ? i % 7 : i % 3 ? AT_FDCWD : 3);
		call.args[1] = 5;
		call.text[1] = (struct tfs_call_text){ "/etc/passwd", 11, false, false };
		call.begin = ++f->now;
		tfs_fd_table_enter(f->t, &call);
		if (i % 9 == 8)
			tfs_fd_table_fork(f->t, call.tid, i, i % 2 ? THREAD : FORK, i % 4, f->now);
		call.ret = i % 3 ? i % 6 : 5;
		call.end = ++f->now;
		tfs_fd_table_returned(f->t, &call);
		if (i % 11 == 10)
			tfs_fd_table_exec(f->t, call.tid, call.tid, ++f->now);
	}
}

static void a_lack_of_memory_leaves_no_wrong_name(void **state)
{
	bool failed = true;

	for (size_t n = 0; failed; n++) {
		assert_int_equal(teardown(state), 0);
		assert_int_equal(setup(state), 0);
		alloc_fail_at(n);
		sequence(*state);
		failed = alloc_fail_off();
		for (int fd = 0; fd < 8; fd++) {
			const char *text = text_of(*state, 1, fd, TFS_FD_FILES);

			assert_true(!*text || !strcmp(text, "<~/etc/passwd>"));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(an_open_file_has_the_name_that_was_typed),
		TEST(the_file_of_a_result_is_known_unless_it_changed_before_it_was_seen),
		TEST(a_close_of_a_number_that_is_not_open_changes_nothing),
		TEST(descriptors_are_copied),
		TEST(exec_closes_what_says_so),
		TEST(a_failed_exec_closes_nothing),
		TEST(a_child_has_a_copy),
		TEST(threads_share_descriptors),
		TEST(exec_of_a_thread_ends_the_others),
		TEST(ranges_are_closed),
		TEST(objects_without_path_have_the_kernels_names),
		TEST(relative_paths_begin_at_a_directory_that_is_known),
		TEST(names_follow_what_is_removed_and_renamed),
		TEST(a_number_that_is_used_again_at_once_is_the_new_file),
		TEST(files_that_depend_on_the_order_of_calls_are_unknown),
		TEST(a_fork_copies_what_is_certain),
		TEST(a_child_of_clone3_may_share_or_not),
		TEST(nothing_is_known_after_a_loss),
		TEST(calls_without_an_end_may_have_had_an_effect),
		TEST(a_ring_changes_descriptors_without_calls),
		TEST(a_look_counts_when_the_trace_gets_there),
		TEST(a_look_does_not_count_if_a_call_overlaps),
		TEST(odd_bytes_are_escaped_as_strace_does),
		TEST(large_numbers_are_not_kept),
		TEST(a_lack_of_memory_leaves_no_wrong_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
