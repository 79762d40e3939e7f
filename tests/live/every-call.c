/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each system call once, by a child, with arguments that none of them takes: all bits set. Left out
 * are those that would end or stop the child, or do something all the same. Datagrams to itself, a
 * file that is written to the disk, and a signal come after that, for other events.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Above all numbers that architectures share, below those that are an architecture's own. */
enum { CALLS = 480 };

static bool is_left_out(long nr)
{
	static const long out[] = {
		SYS_clone,
		SYS_execve,
		SYS_execveat,
		SYS_exit,
		SYS_exit_group,
		SYS_kill,
		SYS_tkill,
		SYS_tgkill,
		SYS_rt_sigqueueinfo,
		SYS_rt_tgsigqueueinfo,
		SYS_rt_sigreturn,
		SYS_rt_sigsuspend,
		SYS_vhangup,
		SYS_sync,
		SYS_reboot,
		SYS_kexec_load,
		SYS_init_module,
		SYS_delete_module,
		SYS_finit_module,
		SYS_mount,
		SYS_umount2,
		SYS_pivot_root,
		SYS_swapon,
		SYS_swapoff,
		SYS_settimeofday,
		SYS_clock_settime,
#ifdef SYS_clone3
		SYS_clone3,
#endif
#ifdef SYS_pidfd_send_signal
		SYS_pidfd_send_signal,
#endif
#ifdef SYS_kexec_file_load
		SYS_kexec_file_load,
#endif
#ifdef SYS_fork
		SYS_fork,
		SYS_vfork,
		SYS_pause,
#endif
#ifdef __x86_64__
		335,
		336, /* uretprobe(), uprobe(): a signal if they come from elsewhere */
#endif
	};

	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++) {
		if (out[i] == nr)
			return true;
	}
	return false;
}

static void call_all(void)
{
	for (long nr = 0; nr < CALLS; nr++) {
		if (!is_left_out(nr))
			(void)syscall(nr, -1L, -1L, -1L, -1L, -1L, -1L);
	}
}

static void send_to_itself(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	socklen_t len = sizeof(to);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	char buf[64] = "";

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&to, len) ||
	    getsockname(fd, (struct sockaddr *)&to, &len))
		return;
	for (int i = 0; i < 20; i++) {
		(void)!sendto(fd, buf, sizeof(buf), 0, (struct sockaddr *)&to, len);
		(void)!recv(fd, buf, sizeof(buf), 0);
	}
	close(fd);
}

static void write_to_disk(const char *path)
{
	const size_t size = 1 << 20;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char *map;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		return;
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map != MAP_FAILED) {
		for (size_t i = 0; i < size; i += 512)
			map[i] = 1;
		msync(map, size, MS_SYNC);
		munmap(map, size);
	}
	fsync(fd);
	close(fd);
	unlink(path);
}

int main(int argc, char **argv)
{
	pid_t pid = fork();
	int status;

	if (pid < 0 || argc != 2)
		return EXIT_FAILURE;
	if (!pid) {
		call_all();
		raise(SIGKILL);
	}
	send_to_itself();
	write_to_disk(argv[1]);
	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
			       WTERMSIG(status) == SIGKILL ?
		       EXIT_SUCCESS :
		       EXIT_FAILURE;
}
