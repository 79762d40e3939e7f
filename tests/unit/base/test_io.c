/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"

/*
 * System calls that are interrupted, give less than asked and fail on request. Link with --wrap
 * for them.
 * @part: bytes a call moves at most, 0 for no limit
 * @interrupt: every other call is interrupted first
 * @error: errno of the calls from number @error_at on, 0 for none
 * @zero: writes move nothing
 * @no_copy: errno of copy_file_range(), 0 if it works
 */
static struct {
	size_t part;
	bool interrupt;
	int error;
	unsigned int error_at;
	unsigned int calls;
	bool zero;
	int no_copy;
} sys;

ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __real_write(int fd, const void *buf, size_t len);
ssize_t __real_pread(int fd, void *buf, size_t len, off_t off);
ssize_t __real_pwrite(int fd, const void *buf, size_t len, off_t off);
ssize_t __real_copy_file_range(int in, off_t *in_off, int out, off_t *out_off, size_t len,
			       unsigned int flags);
ssize_t __wrap_read(int fd, void *buf, size_t len);
ssize_t __wrap_write(int fd, const void *buf, size_t len);
ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t off);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t len, off_t off);
/* what pread() and pwrite() are called where off_t may be of two sizes */
ssize_t __wrap_pread64(int fd, void *buf, size_t len, off_t off);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t len, off_t off);
ssize_t __wrap_copy_file_range(int in, off_t *in_off, int out, off_t *out_off, size_t len,
			       unsigned int flags);

/* False, with errno set, if the call is to fail; else *@len is how much it may move */
static bool allowed(size_t *len)
{
	unsigned int call = sys.calls++;

	if (sys.interrupt && !(call & 1)) {
		errno = EINTR;
		return false;
	}
	if (sys.error && call >= sys.error_at) {
		errno = sys.error;
		return false;
	}
	if (sys.part && *len > sys.part)
		*len = sys.part;
	return true;
}

ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	return allowed(&len) ? __real_read(fd, buf, len) : -1;
}

ssize_t __wrap_write(int fd, const void *buf, size_t len)
{
	if (sys.zero)
		return 0;
	return allowed(&len) ? __real_write(fd, buf, len) : -1;
}

ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t off)
{
	return allowed(&len) ? __real_pread(fd, buf, len, off) : -1;
}

ssize_t __wrap_pwrite(int fd, const void *buf, size_t len, off_t off)
{
	if (sys.zero)
		return 0;
	return allowed(&len) ? __real_pwrite(fd, buf, len, off) : -1;
}

ssize_t __wrap_pread64(int fd, void *buf, size_t len, off_t off)
{
	return __wrap_pread(fd, buf, len, off);
}

ssize_t __wrap_pwrite64(int fd, const void *buf, size_t len, off_t off)
{
	return __wrap_pwrite(fd, buf, len, off);
}

ssize_t __wrap_copy_file_range(int in, off_t *in_off, int out, off_t *out_off, size_t len,
			       unsigned int flags)
{
	if (sys.no_copy) {
		errno = sys.no_copy;
		return -1;
	}
	if (!allowed(&len))
		return -1;
	return __real_copy_file_range(in, in_off, out, out_off, len, flags);
}

#define SIZE 50000

struct fixture {
	int in;
	int out;
	unsigned char *data;
	unsigned char *back;
	struct tfs_strbuf sb;
};

static void calm(void)
{
	memset(&sys, 0, sizeof(sys));
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	size_t i;

	calm();
	if (!f)
		return -1;
	f->in = memfd_create("in", MFD_CLOEXEC);
	f->out = memfd_create("out", MFD_CLOEXEC);
	f->data = malloc(SIZE);
	f->back = calloc(1, SIZE);
	tfs_strbuf_init(&f->sb);
	if (f->in < 0 || f->out < 0 || !f->data || !f->back)
		return -1;
	for (i = 0; i < SIZE; i++)
		f->data[i] = (unsigned char)(i * 7 + i / 251);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	calm();
	tfs_close(&f->in);
	tfs_close(&f->out);
	tfs_strbuf_release(&f->sb);
	free(f->data);
	free(f->back);
	free(f);
	return 0;
}

static void close_forgets_the_descriptor(void **state)
{
	int fd = dup(STDERR_FILENO), copy = fd, none = -1;

	(void)state;
	assert_true(fd >= 0);
	tfs_close(&fd);
	assert_int_equal(fd, -1);
	assert_int_equal(fcntl(copy, F_GETFD), -1);
	tfs_close(&none);
	assert_int_equal(none, -1);
}

static void all_bytes_pass_in_small_interrupted_parts(void **state)
{
	struct fixture *f = *state;

	sys.part = 777;
	sys.interrupt = true;
	assert_int_equal(tfs_write_all(f->in, f->data, SIZE), 0);
	assert_int_equal(tfs_pread_all(f->in, f->back, SIZE, 0), 0);
	assert_memory_equal(f->data, f->back, SIZE);

	memset(f->back, 0, SIZE);
	assert_int_equal(tfs_pwrite_all(f->out, f->data, SIZE - 10, 10), 0);
	assert_int_equal(tfs_pread_all(f->out, f->back, SIZE - 10, 10), 0);
	assert_memory_equal(f->data, f->back, SIZE - 10);

	calm();
	sys.part = 1000;
	sys.interrupt = true;
	assert_int_equal(lseek(f->in, 0, SEEK_SET), 0);
	assert_int_equal(tfs_strbuf_adds(&f->sb, "before"), 0);
	assert_int_equal(tfs_read_fd(f->in, &f->sb), 0);
	assert_int_equal(f->sb.len, SIZE + 6);
	assert_memory_equal(f->sb.s, "before", 6);
	assert_memory_equal(f->sb.s + 6, f->data, SIZE);
}

static void the_errno_that_stopped_it_is_returned(void **state)
{
	struct fixture *f = *state;
	unsigned int at;

	assert_int_equal(tfs_write_all(f->in, f->data, SIZE), 0);
	for (at = 0; at < 3; at++) {
		calm();
		sys.part = 1000;
		sys.error = ENOSPC;
		sys.error_at = at;
		assert_int_equal(tfs_write_all(f->out, f->data, SIZE), -ENOSPC);
		sys.calls = 0;
		assert_int_equal(tfs_pwrite_all(f->out, f->data, SIZE, 0), -ENOSPC);
		sys.calls = 0;
		sys.error = EIO;
		assert_int_equal(tfs_pread_all(f->in, f->back, SIZE, 0), -EIO);
		sys.calls = 0;
		lseek(f->in, 0, SEEK_SET);
		assert_int_equal(tfs_read_fd(f->in, &f->sb), -EIO);
		assert_int_equal(f->sb.len, 0);
		assert_string_equal(f->sb.s, "");
		sys.calls = 0;
		assert_int_equal(tfs_copy_fd(f->in, 0, f->out, SIZE), -EIO);
	}
	calm();
	assert_int_equal(tfs_write_all(-1, "x", 1), -EBADF);
	assert_int_equal(tfs_write_all(-1, NULL, 0), 0);
	sys.zero = true;
	assert_int_equal(tfs_write_all(f->out, "x", 1), -EIO);
	assert_int_equal(tfs_pwrite_all(f->out, "x", 1, 0), -EIO);
}

static void a_file_that_ends_early_is_enodata(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tfs_write_all(f->in, f->data, 100), 0);
	assert_int_equal(tfs_pread_all(f->in, f->back, 101, 0), -ENODATA);
	assert_int_equal(tfs_pread_all(f->in, f->back, 1, 100), -ENODATA);
	assert_int_equal(tfs_pread_all(f->in, f->back, 100, 0), 0);
	assert_int_equal(tfs_copy_fd(f->in, 0, f->out, 101), -ENODATA);
}

static void a_path_is_read_whole(void **state)
{
	struct fixture *f = *state;

	/* its size is 0 for stat() */
	assert_int_equal(tfs_read_path("/proc/self/stat", &f->sb), 0);
	assert_true(f->sb.len > 10);
	tfs_strbuf_reset(&f->sb);
	assert_int_equal(tfs_read_path("/nonexistent/file", &f->sb), -ENOENT);
	assert_int_equal(tfs_read_path("/", &f->sb), -EISDIR);
	assert_int_equal(f->sb.len, 0);
}

static void reading_without_memory_keeps_the_contents(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tfs_write_all(f->in, f->data, SIZE), 0);
	lseek(f->in, 0, SEEK_SET);
	assert_int_equal(tfs_strbuf_adds(&f->sb, "kept"), 0);
	alloc_fail_at(1);
	assert_int_equal(tfs_read_fd(f->in, &f->sb), -ENOMEM);
	assert_true(alloc_fail_off());
	assert_string_equal(f->sb.s, "kept");
	assert_int_equal(f->sb.len, 4);
}

static void check_copy(struct fixture *f, size_t off, size_t len)
{
	assert_int_equal(tfs_pread_all(f->out, f->back, 3, 0), 0);
	assert_memory_equal(f->back, "top", 3);
	assert_int_equal(tfs_pread_all(f->out, f->back, len, 3), 0);
	assert_memory_equal(f->back, f->data + off, len);
	assert_int_equal(lseek(f->out, 0, SEEK_CUR), (off_t)(len + 3));
	/* the input's position is nobody's business */
	assert_int_equal(lseek(f->in, 0, SEEK_CUR), SIZE);
}

static void copying_goes_on_by_hand_where_the_kernel_does_not_copy(void **state)
{
	/* what copy_file_range(2) fails with for files that can be read and written all the same */
	static const int errors[] = { 0, EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EBADF, EPERM, EISDIR };
	struct fixture *f = *state;
	size_t i;

	assert_int_equal(tfs_write_all(f->in, f->data, SIZE), 0);
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		calm();
		assert_int_equal(ftruncate(f->out, 0), 0);
		lseek(f->out, 0, SEEK_SET);
		assert_int_equal(tfs_write_all(f->out, "top", 3), 0);
		sys.part = 1234;
		sys.interrupt = true;
		sys.no_copy = errors[i];
		assert_int_equal(tfs_copy_fd(f->in, 11, f->out, 40000), 0);
		calm();
		check_copy(f, 11, 40000);
	}
}

static void a_pipe_can_be_copied_to(void **state)
{
	struct fixture *f = *state;
	int ends[2];

	assert_int_equal(tfs_write_all(f->in, f->data, SIZE), 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(tfs_copy_fd(f->in, 5, ends[1], 3000), 0);
	tfs_close(&ends[1]);
	assert_int_equal(tfs_read_fd(ends[0], &f->sb), 0);
	tfs_close(&ends[0]);
	assert_int_equal(f->sb.len, 3000);
	assert_memory_equal(f->sb.s, f->data + 5, 3000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(close_forgets_the_descriptor),
		TEST(all_bytes_pass_in_small_interrupted_parts),
		TEST(the_errno_that_stopped_it_is_returned),
		TEST(a_file_that_ends_early_is_enodata),
		TEST(a_path_is_read_whole),
		TEST(reading_without_memory_keeps_the_contents),
		TEST(copying_goes_on_by_hand_where_the_kernel_does_not_copy),
		TEST(a_pipe_can_be_copied_to),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
