/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "strace/args.h"
#include "strace/call.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"

/* A call of x86_64, and the text of strace 6.1, where a seccomp filter made it fail with EPERM */
struct row {
	const char *name;
	uint64_t args[6];
	const char *text;
};

#define HIGH UINT64_C(0xdefaced00000000)

static const struct sys_entry *entry_of(const char *name)
{
	const struct sys_table *table = &sys_tables[SYS_ABI_X86_64];

	for (size_t i = 0; i < table->n; i++)
		if (!strcmp(table->entries[i].name, name))
			return &table->entries[i];
	fail();
	return NULL;
}

static void are(const struct row *rows, size_t n)
{
	static const struct tfs_args_opts opts = { .max_string = TFS_ARGS_STRING };
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	for (size_t i = 0; i < n; i++) {
		struct tfs_call call = {
			.abi = SYS_ABI_X86_64,
			.entry = entry_of(rows[i].name),
			.ret = -EPERM,
		};

		memcpy(call.args, rows[i].args, sizeof(call.args));
		tfs_strbuf_reset(&text);
		assert_int_equal(tfs_args_name(&call, &text), 0);
		assert_int_equal(tfs_strbuf_addc(&text, '('), 0);
		assert_int_equal(tfs_args_enter(&opts, &call, &text), 0);
		assert_int_equal(tfs_args_exit(&opts, &call, &text), 0);
		assert_int_equal(tfs_strbuf_addc(&text, ')'), 0);
		assert_string_equal(text.s, rows[i].text);
	}
	tfs_strbuf_release(&text);
}

#define ROWS(rows) are(rows, sizeof(rows) / sizeof((rows)[0]))

/* A program need not clear the upper half of a register that the kernel takes an int from. */
static void an_int_is_as_wide_as_the_kernel_takes_it(void **state)
{
	static const struct row rows[] = {
		{ "setns", { HIGH | 5, HIGH }, "setns(5, 0)" },
		{ "setns", { 5, HIGH | 0x40000000 }, "setns(5, CLONE_NEWNET)" },
		{ "unshare", { HIGH | 0x200 }, "unshare(CLONE_FS|0xdefaced00000000)" },
		{ "mmap",
		  { 0, 4096, 3, HIGH | 0x22, HIGH | 0xffffffff, 0 },
		  "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)" },
		{ "mmap",
		  { 0, 4096, HIGH | 1, 2, 3, HIGH },
		  "mmap(NULL, 4096, PROT_READ|0xdefaced00000000, "
		  "MAP_PRIVATE, 3, 0xdefaced00000000)" },
		{ "prctl", { 1, 9 }, "prctl(PR_SET_PDEATHSIG, SIGKILL)" },
		{ "prctl", { 1, HIGH | 9 }, "prctl(PR_SET_PDEATHSIG, 1004211375834136585)" },
		{ "kill", { HIGH | 0xffffffff, HIGH | 9 }, "kill(-1, SIGKILL)" },
		{ "lseek", { 3, -5, 2 }, "lseek(3, -5, SEEK_END)" },
		{ "fadvise64",
		  { 3, -1, -1, HIGH | 4 },
		  "fadvise64(3, -1, 18446744073709551615, POSIX_FADV_DONTNEED)" },
		{ "process_vm_readv",
		  { 1, 16, 1, 16, 1, HIGH | 1 },
		  "process_vm_readv(1, 0x10, 1, 0x10, 1, 1004211375834136577)" },
		{ "sched_setattr", { HIGH | 1, 16, HIGH | 16 }, "sched_setattr(1, 0x10, 16)" },
		{ "process_madvise",
		  { 3, 16, 1, HIGH | 4, 16 },
		  "process_madvise(3, 0x10, 1, MADV_DONTNEED, 0x10)" },
		{ "mount_setattr",
		  { 3, 16, HIGH | 0x8100, 16, 32 },
		  "mount_setattr(3, 0x10, AT_SYMLINK_NOFOLLOW|AT_RECURSIVE, 0x10, 32)" },
		{ "clone",
		  { HIGH },
		  "clone(child_stack=NULL, flags=0xdefaced00000000 /* CLONE_??? */)" },
		{ "poll", { 16, HIGH | 1, HIGH | 0xffffffff }, "poll(0x10, 1, -1)" },
	};

	(void)state;
	ROWS(rows);
}

/* -100 is the current directory only where the kernel takes one. */
static void a_descriptor_is_not_a_directory_of_its_own(void **state)
{
	static const struct row rows[] = {
		{ "close", { -100 }, "close(-100)" },
		{ "read", { 0xffffff9c, 16, 1 }, "read(-100, 0x10, 1)" },
		{ "ioctl", { -100, 0x541b, 16 }, "ioctl(-100, FIONREAD, 0x10)" },
		{ "mmap",
		  { 0, 4096, 1, 2, -100, 0 },
		  "mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -100, 0)" },
		{ "epoll_ctl",
		  { -100, 1, HIGH | 0xffffff9c, 16 },
		  "epoll_ctl(-100, EPOLL_CTL_ADD, -100, 0x10)" },
		{ "openat", { -100, 16, 0 }, "openat(AT_FDCWD, 0x10, O_RDONLY)" },
		{ "openat", { HIGH | 0xffffff9c, 16, 0 }, "openat(AT_FDCWD, 0x10, O_RDONLY)" },
		{ "fanotify_mark",
		  { -100, 0, 0, -100, 16 },
		  "fanotify_mark(-100, 0, 0, AT_FDCWD, 0x10)" },
		{ "dup3", { -100, 1, 0 }, "dup3(-100, 1, 0)" },
	};

	(void)state;
	ROWS(rows);
}

/* Generated from the kernel's user headers that this was built with */
static void commands_of_devices_have_names(void **state)
{
	static const struct row rows[] = {
		{ "ioctl", { -1, 0xae01, 16 }, "ioctl(-1, KVM_CREATE_VM, 0x10)" },
		{ "ioctl", { -1, 0xae80, 16 }, "ioctl(-1, KVM_RUN, 0x10)" },
		{ "ioctl", { -1, 0x80084502, 16 }, "ioctl(-1, EVIOCGID, 0x10)" },
		{ "ioctl", { -1, 0x81004506, 16 }, "ioctl(-1, EVIOCGNAME(256), 0x10)" },
		{ "ioctl", { -1, 0x4c00, 16 }, "ioctl(-1, LOOP_SET_FD, 16)" },
		{ "ioctl", { -1, 0x4c82, 16 }, "ioctl(-1, LOOP_CTL_GET_FREE)" },
		{ "ioctl", { -1, 0x400454ca, 16 }, "ioctl(-1, TUNSETIFF, 0x10)" },
		{ "ioctl", { -1, 0xc138fd00, 16 }, "ioctl(-1, DM_VERSION, 0x10)" },
		{ "ioctl", { -1, 0x80685600, 16 }, "ioctl(-1, VIDIOC_QUERYCAP, 0x10)" },
		{ "ioctl", { -1, 0x3b64, 16 }, "ioctl(-1, VFIO_GET_API_VERSION, 0x10)" },
		{ "ioctl", { -1, 0x5514, 16 }, "ioctl(-1, USBDEVFS_RESET, 0x10)" },
		{ "ioctl", { -1, 0x8004e500, 16 }, "ioctl(-1, FUSE_DEV_IOC_CLONE, 0x10)" },
		{ "ioctl", { -1, 0xb701, 16 }, "ioctl(-1, NS_GET_USERNS)" },
		{ "ioctl", { -1, 0x80247009, 16 }, "ioctl(-1, RTC_RD_TIME, 0x10)" },
		{ "ioctl", { -1, 0x5606, 16 }, "ioctl(-1, VT_ACTIVATE, 0x10)" },
		{ "ioctl", { -1, 0x40016b01, 16 }, "ioctl(-1, SPI_IOC_WR_MODE, 0x10)" },
		{ "ioctl", { -1, 0x8044b401, 16 }, "ioctl(-1, GPIO_GET_CHIPINFO_IOCTL, 0x10)" },
		{ "ioctl",
		  { -1, 0x80044801, 16 },
		  "ioctl(-1, HIDIOCGRDESCSIZE or HIDIOCGVERSION, 0x10)" },
		{ "ioctl", { -1, 0xc0484e41, 16 }, "ioctl(-1, NVME_IOCTL_ADMIN_CMD, 0x10)" },
		{ "ioctl", { -1, 0x2285, 16 }, "ioctl(-1, SG_IO, 0x10)" },
		{ "ioctl", { -1, 0xaf01, 16 }, "ioctl(-1, VHOST_SET_OWNER, 0x10)" },
		{ "ioctl", { -1, 0x40086200, 16 }, "ioctl(-1, DMA_BUF_IOCTL_SYNC, 0x10)" },
		{ "ioctl", { -1, 0xc1205531, 16 }, "ioctl(-1, SNDRV_CTL_IOCTL_PCM_INFO, 0x10)" },
		{ "ioctl", { -1, 0x5452, 16 }, "ioctl(-1, FIOASYNC, 0x10)" },
		{ "ioctl", { -1, 0x40086602, 16 }, "ioctl(-1, FS_IOC_SETFLAGS, 0x10)" },
		{ "ioctl",
		  { -1, 0x5501, 16 },
		  "ioctl(-1, UI_DEV_CREATE or USB_RAW_IOCTL_RUN, 0x10)" },
		{ "ioctl", { -1, 0xab03, 16 }, "ioctl(-1, NBD_DO_IT)" },
		{ "ioctl", { -1, 0xab04, 16 }, "ioctl(-1, NBD_CLEAR_SOCK)" },
		{ "ioctl", { -1, 0x5331, 16 }, "ioctl(-1, CDROM_GET_CAPABILITY, 0x10)" },
		{ "ioctl",
		  { -1, 0x12345678, 16 },
		  "ioctl(-1, _IOC(_IOC_NONE, 0x56, 0x78, 0x1234), 0x10)" },
	};

	(void)state;
	assert_true(sys_n_ioctls > 500);
	for (size_t i = 1; i < sys_n_ioctls; i++)
		assert_true(sys_ioctls[i - 1].value < sys_ioctls[i].value);
	ROWS(rows);
}

static void json_has_numbers_of_the_same_width(void **state)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_call call = {
		.abi = SYS_ABI_X86_64,
		.entry = entry_of("setns"),
		.args = { HIGH | 5, HIGH | 0x40000000 },
	};

	(void)state;
	assert_int_equal(tfs_args_json(&call, &text), 0);
	assert_string_equal(text.s, "\"fd\":5,\"flags\":1073741824");
	tfs_strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_int_is_as_wide_as_the_kernel_takes_it),
		cmocka_unit_test(a_descriptor_is_not_a_directory_of_its_own),
		cmocka_unit_test(commands_of_devices_have_names),
		cmocka_unit_test(json_has_numbers_of_the_same_width),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
