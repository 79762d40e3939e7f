/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants: root */
/* The program's own memory: its contents are what it has put there */
#include "record/task-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/skip.h"

static unsigned char *two_pages(size_t page)
{
	unsigned char *p =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static void pages_that_are_there_are_read(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *p = two_pages(page);
	struct tfs_task_memory *m;
	char text[16];

	(void)state;
	memcpy(p + page - 4, "path", 4);
	assert_int_equal(mprotect(p + page, page, PROT_NONE), 0);
	assert_int_equal(tfs_task_memory_new(&m), 0);
	assert_int_equal(tfs_task_memory_read(m, getpid(), (uintptr_t)p + page - 4, text, 16), 4);
	assert_memory_equal(text, "path", 4);
	assert_int_equal(tfs_task_memory_read(m, getpid(), (uintptr_t)p + page, text, 16), -EFAULT);
	assert_int_equal(tfs_task_memory_read(m, getpid(), UINTPTR_MAX - 3, text, 16), -EFAULT);
	assert_int_equal(mprotect(p + page, page, PROT_READ | PROT_WRITE), 0);
	memcpy(p + page, "s/of/files", 11);
	assert_int_equal(tfs_task_memory_read(m, getpid(), (uintptr_t)p + page - 4, text, 16), 16);
	assert_string_equal(text, "paths/of/files");
	tfs_task_memory_free(m);
	munmap(p, 2 * page);
}

static void a_page_that_never_comes_holds_up_nobody(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	unsigned char *p = two_pages(page);
	const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct tfs_task_memory *m;
	char text[16];

	(void)state;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		skip_because("userfaultfd(2) is not permitted");
	range.range.start = (uintptr_t)p;
	range.range.len = page;
	assert_int_equal(ioctl(fd, UFFDIO_REGISTER, &range), 0);
	assert_int_equal(tfs_task_memory_new(&m), 0);
	assert_int_equal(tfs_task_memory_read(m, getpid(), (uintptr_t)p, text, 16), -ETIMEDOUT);
	/* Pages that are there are not asked for any more. */
	assert_int_equal(tfs_task_memory_read(m, getpid(), (uintptr_t)text, text, 16), -ETIMEDOUT);
	/* The thread waits for the page still: it keeps what it needs. */
	tfs_task_memory_free(m);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_that_are_there_are_read),
		cmocka_unit_test(a_page_that_never_comes_holds_up_nobody),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
