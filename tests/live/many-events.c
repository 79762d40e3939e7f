/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounded workload that makes many types of events occur: files, processes, threads, signals,
 * timers, memory, sockets, terminals, namespaces. Every step is tried; one that this machine does
 * not allow is passed over. It needs no libraries besides libc, changes nothing that outlives it,
 * and works in the directory that is its only argument.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, TIMES = 3 };

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!write(fd, text, strlen(text));
		close(fd);
	}
}

static void nap(long ns)
{
	struct timespec t = { 0, ns };

	nanosleep(&t, NULL);
}

/* Runs STEP in a child, so that what it leaves behind goes away with it. */
static void apart(void (*step)(void))
{
	pid_t pid = fork();

	if (!pid) {
		alarm(20);
		step();
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void lock_file(int fd)
{
	struct flock fl = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10 };

	flock(fd, LOCK_EX);
	flock(fd, LOCK_UN);
	fcntl(fd, F_SETLK, &fl);
	fl.l_type = F_UNLCK;
	fcntl(fd, F_SETLK, &fl);
	fcntl(fd, F_OFD_SETLK, &fl);
	fcntl(fd, F_SETLEASE, F_WRLCK);
	fcntl(fd, F_SETLEASE, F_UNLCK);
}

static void change_file(int fd)
{
	struct timespec times[2] = { { 1, 0 }, { 2, 0 } };
	struct iovec iov[2];
	char buf[PAGE];

	memset(buf, 'x', sizeof(buf));
	iov[0].iov_base = buf;
	iov[0].iov_len = 100;
	iov[1] = iov[0];
	(void)!writev(fd, iov, 2);
	(void)!pwrite(fd, buf, sizeof(buf), 3 * PAGE);
	(void)!pread(fd, buf, sizeof(buf), PAGE);
	fallocate(fd, 0, 0, 1 << 20);
	fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, PAGE, PAGE);
	fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, 2 * PAGE);
	fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, PAGE);
	fallocate(fd, FALLOC_FL_INSERT_RANGE, 0, PAGE);
	(void)!ftruncate(fd, 10 * PAGE);
	lseek(fd, 0, SEEK_HOLE);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
	readahead(fd, 0, 1 << 16);
	sync_file_range(fd, 0, PAGE, SYNC_FILE_RANGE_WRITE);
	futimens(fd, times);
	(void)!fchmod(fd, 0640);
	(void)!fchown(fd, 0, 0);
	fsetxattr(fd, "user.tracecraft", "value", 5, 0);
	fgetxattr(fd, "user.tracecraft", buf, sizeof(buf));
	fremovexattr(fd, "user.tracecraft");
	fdatasync(fd);
	fsync(fd);
	syncfs(fd);
}

static void files(void)
{
	void *aligned = NULL;
	struct stat st;
	char buf[256];
	int fd = open("file", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int ino = inotify_init1(IN_NONBLOCK);
	int direct, to;

	inotify_add_watch(ino, ".", IN_ALL_EVENTS);
	change_file(fd);
	lock_file(fd);
	direct = open("file", O_RDWR | O_DIRECT | O_CLOEXEC);
	if (direct >= 0 && !posix_memalign(&aligned, PAGE, PAGE)) {
		memset(aligned, 1, PAGE);
		(void)!pwrite(direct, aligned, PAGE, 0);
		(void)!pread(direct, aligned, PAGE, 0);
		(void)!pread(direct, aligned, PAGE, 1 << 30);
	}
	free(aligned);
	close(direct);
	to = open("copy", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	lseek(fd, 0, SEEK_SET);
	(void)!sendfile(to, fd, NULL, 2 * PAGE);
	(void)!copy_file_range(fd, NULL, to, NULL, PAGE, 0);
	close(to);
	close(fd);
	(void)!link("file", "link");
	(void)!symlink("file", "symlink");
	stat("symlink", &st);
	stat("no-such-file", &st);
	(void)!readlink("symlink", buf, sizeof(buf));
	rename("link", "renamed");
	mkdir("directory", 0700);
	rmdir("directory");
	mkfifo("fifo", 0600);
	unlink("fifo");
	(void)!truncate("copy", 1);
	(void)!read(ino, buf, sizeof(buf));
	close(ino);
	unlink("copy");
	unlink("renamed");
	unlink("symlink");
	unlink("file");
}

static void pipes(void)
{
	int p[2], q[2];
	char buf[PAGE] = "";

	if (pipe2(p, O_CLOEXEC | O_NONBLOCK) || pipe2(q, O_CLOEXEC | O_NONBLOCK))
		return;
	fcntl(p[1], F_SETPIPE_SZ, 1 << 16);
	(void)!write(p[1], buf, sizeof(buf));
	(void)!tee(p[0], q[1], PAGE, SPLICE_F_NONBLOCK);
	(void)!splice(p[0], NULL, q[1], NULL, PAGE, SPLICE_F_NONBLOCK);
	(void)!read(q[0], buf, sizeof(buf));
	close(p[0]);
	signal(SIGPIPE, SIG_IGN);
	(void)!write(p[1], buf, 1);
	close(p[1]);
	close(q[0]);
	close(q[1]);
}

static void on_signal(int nr)
{
	(void)nr;
}

static void signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };
	union sigval v = { .sival_int = 42 };
	struct itimerval it = { .it_value = { 0, 1000 } };
	struct itimerspec ts = { .it_value = { 0, 1000000 } };
	timer_t t;

	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGALRM, &sa, NULL);
	sigaction(SIGVTALRM, &sa, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	raise(SIGUSR1);
	kill(getpid(), SIGUSR1);
	sigqueue(getpid(), SIGUSR1, v);
	setitimer(ITIMER_REAL, &it, NULL);
	pause();
	setitimer(ITIMER_VIRTUAL, &it, NULL);
	for (volatile long i = 0; i < 30000000; i++)
		;
	if (!timer_create(CLOCK_MONOTONIC, NULL, &t)) {
		timer_settime(t, 0, &ts, NULL);
		pause();
		timer_delete(t);
	}
}

static void fault(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	*(volatile int *)16 = 1;
}

static void timers(void)
{
	struct itimerspec ts = { .it_value = { 0, 2000000 } };
	struct epoll_event ev = { .events = EPOLLIN };
	struct timespec t = { 0, 100000 };
	uint64_t n = 1;
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	int alarmfd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);
	int efd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int ep = epoll_create1(EPOLL_CLOEXEC);

	timerfd_settime(fd, 0, &ts, NULL);
	timerfd_settime(alarmfd, TFD_TIMER_ABSTIME, &ts, NULL);
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
	epoll_ctl(ep, EPOLL_CTL_ADD, efd, &ev);
	(void)!write(efd, &n, sizeof(n));
	epoll_wait(ep, &ev, 1, 10);
	(void)!read(efd, &n, sizeof(n));
	epoll_wait(ep, &ev, 1, 10);
	(void)!read(fd, &n, sizeof(n));
	clock_nanosleep(CLOCK_REALTIME, 0, &t, NULL);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
	poll(NULL, 0, 1);
	close(ep);
	close(efd);
	close(alarmfd);
	close(fd);
}

static void memory(void)
{
	const size_t size = 4 << 20;
	char *a = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *huge = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = memfd_create("memory", MFD_CLOEXEC);
	unsigned char in_core[1024];
	char *shared;

	if (a == MAP_FAILED || huge == MAP_FAILED || fd < 0 || ftruncate(fd, (off_t)size))
		return;
	madvise(huge, size, MADV_HUGEPAGE);
	memset(huge, 1, size);
	madvise(huge, size, 25); /* MADV_COLLAPSE */
	memset(a, 1, 64 * PAGE);
	mprotect(a, PAGE, PROT_READ);
	mprotect(a, PAGE, PROT_READ | PROT_WRITE);
	mlock(a, 2 * PAGE);
	munlock(a, 2 * PAGE);
	mincore(a, size, in_core);
	madvise(a, 16 * PAGE, MADV_COLD);
	madvise(a, 16 * PAGE, MADV_PAGEOUT);
	madvise(a, 16 * PAGE, MADV_DONTNEED);
	madvise(a, 16 * PAGE, MADV_FREE);
	a = mremap(a, size, 2 * size, MREMAP_MAYMOVE);
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (shared != MAP_FAILED) {
		memset(shared, 1, 32 * PAGE);
		msync(shared, size, MS_SYNC);
		madvise(shared, size, MADV_REMOVE);
		munmap(shared, size);
	}
	if (a != MAP_FAILED)
		munmap(a, 2 * size);
	munmap(huge, size);
	(void)!sbrk(1 << 16);
	close(fd);
}

static int in_thread(void *word)
{
	struct timespec t = { 0, 1000000 };

	syscall(SYS_futex, word, FUTEX_WAIT, 0, &t, NULL, 0);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
	return 0;
}

static void processes(void)
{
	struct sched_param sp = { .sched_priority = 1 };
	static char stack[64 * 1024] __attribute__((aligned(16)));
	static int word;
	cpu_set_t one, mine;
	pid_t pid;

	pid = clone(in_thread, stack + sizeof(stack),
		    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD, &word);
	nap(200000);
	word = 1;
	syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
	waitpid(pid, NULL, 0);
	prctl(PR_SET_NAME, "renamed");
	sched_getaffinity(0, sizeof(mine), &mine);
	for (int cpu = 0; cpu < 2; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		sched_yield();
	}
	sched_setaffinity(0, sizeof(mine), &mine);
	(void)!nice(1);
	sched_setscheduler(0, SCHED_FIFO, &sp);
	nap(1000);
	sp.sched_priority = 0;
	sched_setscheduler(0, SCHED_BATCH, &sp);
	pid = fork();
	if (!pid) {
		execl("/bin/true", "true", "with", "arguments", NULL);
		execl("/bin/busybox", "busybox", "true", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	pid = vfork();
	if (!pid) {
		execl("/no/such/program", "program", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static void traced(void)
{
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	waitpid(pid, NULL, 0);
}

static void datagrams(int family)
{
	struct sockaddr_storage to = { .ss_family = (sa_family_t)family };
	socklen_t len = family == AF_INET ? sizeof(struct sockaddr_in) :
					    sizeof(struct sockaddr_in6);
	char buf[2000] = "";
	int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (family == AF_INET)
		((struct sockaddr_in *)&to)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		((struct sockaddr_in6 *)&to)->sin6_addr = in6addr_loopback;
	if (fd < 0 || bind(fd, (struct sockaddr *)&to, len) ||
	    getsockname(fd, (struct sockaddr *)&to, &len))
		return;
	for (int i = 0; i < TIMES; i++) {
		(void)!sendto(fd, buf, sizeof(buf), 0, (struct sockaddr *)&to, len);
		(void)!recv(fd, buf, sizeof(buf), 0);
	}
	/* more than the receive buffer holds */
	for (int i = 0; i < 400; i++)
		(void)!sendto(fd, buf, sizeof(buf), 0, (struct sockaddr *)&to, len);
	close(fd);
	fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	/* nobody is there: an ICMP message */
	(void)!sendto(fd, buf, 10, 0, (struct sockaddr *)&to, len);
	(void)!sendto(fd, buf, 10, 0, (struct sockaddr *)&to, len);
	close(fd);
}

static void streams(int family)
{
	struct sockaddr_storage to = { .ss_family = (sa_family_t)family };
	socklen_t len = family == AF_INET ? sizeof(struct sockaddr_in) :
					    sizeof(struct sockaddr_in6);
	struct linger abort = { 1, 0 };
	static char buf[1 << 17];
	int server = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int client, fd, one = 1;

	if (family == AF_INET)
		((struct sockaddr_in *)&to)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		((struct sockaddr_in6 *)&to)->sin6_addr = in6addr_loopback;
	if (server < 0 || bind(server, (struct sockaddr *)&to, len) || listen(server, 2) ||
	    getsockname(server, (struct sockaddr *)&to, &len))
		return;
	for (int i = 0; i < TIMES; i++) {
		client = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		(void)!connect(client, (struct sockaddr *)&to, len);
		fd = accept4(server, NULL, NULL, SOCK_CLOEXEC);
		(void)!send(client, buf, sizeof(buf), 0);
		(void)!recv(fd, buf, sizeof(buf), 0);
		if (i)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
		else
			shutdown(client, SHUT_RDWR);
		close(i ? fd : client);
		(void)!send(i ? client : fd, buf, 1, MSG_NOSIGNAL);
		close(i ? client : fd);
	}
	close(server);
	client = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	(void)!connect(client, (struct sockaddr *)&to, len);
	close(client);
}

static void local_sockets(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "socket" };
	char buf[10] = "";
	int sv[2], fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)!bind(fd, (struct sockaddr *)&un, sizeof(un));
	listen(fd, 1);
	close(fd);
	unlink("socket");
	if (!socketpair(AF_UNIX, SOCK_STREAM, 0, sv)) {
		(void)!write(sv[0], buf, sizeof(buf));
		(void)!read(sv[1], buf, sizeof(buf));
		close(sv[0]);
		close(sv[1]);
	}
}

static void loop_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ioctl(fd, SIOCSIFFLAGS, &ifr);
	close(fd);
}

static void sockets(void)
{
	datagrams(AF_INET);
	datagrams(AF_INET6);
	streams(AF_INET);
	streams(AF_INET6);
	local_sockets();
}

static void namespaces(void)
{
	if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC))
		return;
	loop_up();
	sockets();
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return;
	mkdir("mounted", 0700);
	if (!mount("none", "mounted", "tmpfs", 0, "size=4m")) {
		int fd = open("mounted/file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		(void)!write(fd, "x", 1);
		fsync(fd);
		close(fd);
		umount("mounted");
	}
	rmdir("mounted");
}

static void terminal(void)
{
	struct winsize size = { 24, 80, 0, 0 };
	struct termios tio;
	char buf[64];
	int fd, master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (master < 0 || grantpt(master) || unlockpt(master))
		return;
	fd = open(ptsname(master), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	tcgetattr(fd, &tio);
	tio.c_lflag &= ~(tcflag_t)ECHO;
	tcsetattr(fd, TCSANOW, &tio);
	ioctl(fd, TIOCSWINSZ, &size);
	(void)!write(master, "hello\n", 6);
	(void)!read(fd, buf, sizeof(buf));
	(void)!write(fd, "world\n", 6);
	nap(1000000);
	(void)!read(master, buf, sizeof(buf));
	close(fd);
	close(master);
}

static void groups(void)
{
	static const char dir[] = "/sys/fs/cgroup/tracecraft-events";
	char path[sizeof(dir) + 32], pid[32];

	if (mkdir(dir, 0755))
		return;
	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	write_text(path, pid);
	snprintf(path, sizeof(path), "%s/cgroup.freeze", dir);
	write_text("/sys/fs/cgroup/cgroup.procs", pid);
	write_text(path, "1");
	write_text(path, "0");
	rmdir(dir);
}

int main(int argc, char **argv)
{
	static void (*const steps[])(void) = { files,   pipes,      signals,   fault,
					       timers,  memory,     processes, traced,
					       sockets, namespaces, terminal,  groups };

	if (argc != 2 || chdir(argv[1]))
		return EXIT_FAILURE;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		apart(steps[i]);
	return EXIT_SUCCESS;
}
