/* SPDX-License-Identifier: GPL-2.0-or-later */
/* texts - makes system calls with strings that are not paths, and with bytes */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char line[] = "0123456789012345678901234567890123456789\n";

int main(void)
{
	char value[8];
	int queue;

	syscall(SYS_getxattr, "/tmp", "user.attribute", value, sizeof(value));
	syscall(SYS_memfd_create, "my memory", MFD_CLOEXEC);
	syscall(SYS_finit_module, -1, "opt=1 two=2", 0);
	syscall(SYS_fsopen, "no type", 0);
	syscall(SYS_sethostname, "host\tname", 9);
	syscall(SYS_pwrite64, -1, "bytes\0\1\002more", 12, 5);
	queue = (int)syscall(SYS_mq_open, "queue", O_CREAT | O_RDWR, 0600, NULL);
	syscall(SYS_mq_timedsend, queue, "message", 7, 1, NULL);
	syscall(SYS_mq_unlink, "queue");
	syscall(SYS_delete_module, "nomodule", 0);
	syscall(SYS_write, -1, line, sizeof(line) - 1);
	syscall(SYS_write, -1, line, 0);
	syscall(SYS_write, -1, (char *)16, 3);
	return 0;
}
