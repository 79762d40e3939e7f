/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * one [OPTION...] PROGRAM - run one test program in an environment of its own.
 *
 *   -n "WORDS"    what the test declares ("# needs:", "# wants:"); the rest is taken away
 *   -c SECONDS    CPU time for each of its processes (60); ten times that for all to end
 *   -e FILE       where stderr goes
 *   -l FILE       a lock that tests with "tracefs" share; one with "exclusive" has it alone
 *
 * The program gets a session of its own, default signals, /dev/null as stdin, no other file that
 * was open, and a loopback network of its own unless it needs "net". As root it gets mounts of its
 * own with an empty /run: journals, pid files and network namespaces of one test are nobody else's;
 * without "root" it has no capabilities, and without "tracefs" an empty directory in its place.
 *
 * A test's own things are known, not guessed: processes, since orphans come to this program (a
 * subreaper); changes of tracefs, since each program that makes some names its journal after its
 * pid, and every name that appears there is written to the file TC_MINE. A process or a
 * change of tracefs that the test leaves is ended or named on stderr, and fails the test.
 *
 * Exit status: the program's; 124 after a limit, 98 when something was left, 125 when this
 * program itself failed. The last line of stderr is "one: CPU-SECONDS SECONDS".
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define JOURNALS "/run/tracecraft"
#define TRACEFS "/sys/kernel/tracing"
#define DEBUGFS "/sys/kernel/debug"

enum {
	STATUS_LEFT = 98,
	STATUS_LIMIT = 124,
	STATUS_BROKEN = 125,
	/* what ends by itself when its parent is gone needs moments, on a busy machine seconds */
	SECONDS_TO_END = 20,
};

struct one {
	const char *needs;
	const char *err;
	const char *lock;
	long cpu;
	bool root;
	char mine[64]; /* file of pids whose journals were seen */
	int mine_fd;
	int watch; /* inotify, or -1 */
	int signals;
	pid_t child;
	int status;
	bool ended;
	int caught; /* a signal that this program was sent */
};

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("one: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

static void die(const char *what)
{
	say("%s: %s", what, strerror(errno));
	exit(STATUS_BROKEN);
}

static bool needs(const struct one *one, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = one->needs; (at = strstr(at, word)); at += len)
		if ((at == one->needs || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/* --- the environment ------------------------------------------------------------- */

static void hide(const char *dir)
{
	if (access(dir, F_OK) == 0 && mount("none", dir, "tmpfs", 0, "mode=755"))
		die(dir);
}

static void make_dir(const char *dir, mode_t mode)
{
	if (mkdir(dir, mode) && errno != EEXIST)
		die(dir);
}

/* Mounts that nobody else sees; nothing of them comes back to the machine. */
static void own_mounts(const struct one *one)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
		die("root needs the right to have mounts of its own");
	hide("/run");
	make_dir("/run/lock", 0755);
	make_dir(JOURNALS, 0700);
	/* Who has looked there has made a second place of tracefs, which others may prefer. */
	while (!umount2(DEBUGFS, MNT_DETACH))
		;
	if (!needs(one, "tracefs"))
		hide(TRACEFS);
}

static void own_network(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd;

	if (unshare(CLONE_NEWNET))
		die("a network of its own");
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo))
		die("lo");
	close(fd);
}

/* Still user 0, who owns the files of the build, but with no more rights than their owner. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = {};

	if (prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP,
		  0, 0, 0) ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) ||
	    syscall(SYS_capset, &header, none))
		die("capabilities");
}

/* Taken before /run is hidden, held to the end. No limit counts the time that it is waited for. */
static void take_lock(const struct one *one)
{
	int fd;

	if (!one->lock || !needs(one, "tracefs"))
		return;
	fd = open(one->lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		die(one->lock);
	while (flock(fd, needs(one, "exclusive") ? LOCK_EX : LOCK_SH))
		if (errno != EINTR)
			die(one->lock);
}

static void watch_journals(struct one *one)
{
	one->watch = -1;
	one->mine_fd = -1;
	if (!one->root)
		return;
	snprintf(one->mine, sizeof(one->mine), "/run/tests-mine");
	one->mine_fd = open(one->mine, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
	one->watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (one->mine_fd < 0 || one->watch < 0 ||
	    inotify_add_watch(one->watch, JOURNALS, IN_CREATE | IN_MOVED_TO) < 0)
		die(JOURNALS);
	setenv("TC_MINE", one->mine, 1);
}

/* --- the program ----------------------------------------------------------------- */

/*
 * All signals, those of the C library too, which signal() refuses and posix_spawn() (make's) leaves
 * ignored. A kernel's struct sigaction of zeros is SIG_DFL.
 */
static void default_signals(void)
{
	static const unsigned long zeros[8];
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		syscall(SYS_rt_sigaction, sig, zeros, NULL, 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void be_the_program(const struct one *one, char **argv)
{
	struct rlimit cpu = { .rlim_cur = one->cpu, .rlim_max = one->cpu + 5 };

	setsid();
	default_signals();
	setrlimit(RLIMIT_CPU, &cpu);
	setenv("TC_ONE", "1", 1);
	if (one->root && !needs(one, "root"))
		drop_capabilities();
	execv(argv[0], argv);
	say("%s: %s", argv[0], strerror(errno));
	_exit(127);
}

/* note_journals() - append the pid in the name of each journal that appeared: PROGRAM.PID[.N] */
static void note_journals(struct one *one)
{
	char buf[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	while (one->watch >= 0 && (n = read(one->watch, buf, sizeof(buf))) > 0) {
		const struct inotify_event *e;

		for (char *at = buf; at < buf + n; at += sizeof(*e) + e->len) {
			const char *dot;
			char *end;
			long pid;

			e = (const struct inotify_event *)at;
			dot = e->len ? strchr(e->name, '.') : NULL;
			pid = dot ? strtol(dot + 1, &end, 10) : 0;
			if (pid > 0)
				dprintf(one->mine_fd, "%ld\n", pid);
		}
	}
}

static void reap(struct one *one)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == one->child) {
			one->status = status;
			one->ended = true;
		}
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* wait_for_program() - until it ends, a signal comes, or @seconds have passed: then false */
static bool wait_for_program(struct one *one, double seconds)
{
	struct pollfd fds[] = { { .fd = one->signals, .events = POLLIN },
				{ .fd = one->watch, .events = POLLIN } };
	double end = now() + seconds;

	while (!one->ended) {
		struct signalfd_siginfo info;
		double left = end - now();

		if (left <= 0)
			return false;
		poll(fds, 2, (int)(left * 1000) + 1);
		note_journals(one);
		while (read(one->signals, &info, sizeof(info)) == sizeof(info)) {
			if (info.ssi_signo == SIGCHLD)
				continue;
			one->caught = (int)info.ssi_signo;
			return false;
		}
		reap(one);
	}
	return true;
}

/* --- what is left ---------------------------------------------------------------- */

/* child_left() - a living child, or 0. Each descendant becomes one when its parent has ended. */
static pid_t child_left(void)
{
	char path[64];
	FILE *f;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%d", &pid) != 1)
		pid = 0;
	fclose(f);
	return pid;
}

static void name_process(pid_t pid)
{
	char path[64], args[200] = "";
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, args, sizeof(args) - 1);
		close(fd);
	}
	for (ssize_t i = 0; i < n - 1; i++)
		if (!args[i] || args[i] == '\n')
			args[i] = ' ';
	say("left running: %d %s", pid, args);
}

/* The first process of a pid namespace ends after those in it were waited for: ours, perhaps. */
static void wait_for_end_of(pid_t pid)
{
	pid_t ended;

	do {
		ended = waitpid(-1, NULL, 0);
	} while (ended > 0 && ended != pid);
}

static void end_children(bool tell)
{
	pid_t pid;

	while ((pid = child_left())) {
		if (tell)
			name_process(pid);
		kill(pid, SIGKILL);
		wait_for_end_of(pid);
	}
}

/* A process that was asked to end may take its time; one that was not is named. */
static bool left_running(struct one *one)
{
	double end = now() + SECONDS_TO_END;
	bool left;

	while (reap(one), child_left() && now() < end)
		poll(NULL, 0, 20);
	left = child_left() != 0;
	end_children(true);
	return left;
}

static bool names_pid(const char *name, long pid)
{
	char text[24];
	size_t len = (size_t)snprintf(text, sizeof(text), "%ld", pid);

	for (const char *at = name; (at = strstr(at, text)); at += len) {
		bool before = at > name && at[-1] >= '0' && at[-1] <= '9';
		bool after = at[len] >= '0' && at[len] <= '9';

		if (!before && !after)
			return true;
	}
	return false;
}

/*
 * The test's own pid, which comes first, may be in any name. Those of its programs have ended, and
 * another test may have one of them by now: they count in names that programs give, not tests.
 */
static bool names_mine(const char *name, const long *pids, size_t count)
{
	const bool by_program = !strncmp(name, "tc-", 3) || !strncmp(name, "tc_", 3);

	for (size_t i = 0; i < (by_program ? count : 1); i++)
		if (names_pid(name, pids[i]))
			return true;
	return false;
}

/* Instances, or groups of events: the list of probes may lack lines while others change it. */
static bool dirs_left(const char *dir, const char *what, const long *pids, size_t count)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	bool left = false;

	while (d && (e = readdir(d))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.' ||
		    !names_mine(e->d_name, pids, count))
			continue;
		say("left in tracefs: %s %s", what, e->d_name);
		left = true;
	}
	if (d)
		closedir(d);
	return left;
}

static bool journals_left(void)
{
	DIR *dir = opendir(JOURNALS);
	struct dirent *d;
	bool left = false;

	while (dir && (d = readdir(dir))) {
		if (d->d_type == DT_DIR)
			continue;
		say("left: journal %s", d->d_name);
		left = true;
	}
	if (dir)
		closedir(dir);
	return left;
}

static bool left_in_tracefs(struct one *one)
{
	FILE *f;
	long pids[4096] = { one->child };
	size_t count = 1;
	bool left;

	if (!one->root || !needs(one, "tracefs"))
		return false;
	note_journals(one);
	f = fopen(one->mine, "re");
	while (f && count < sizeof(pids) / sizeof(*pids) && fscanf(f, "%ld", &pids[count]) == 1)
		count++;
	if (f)
		fclose(f);
	left = dirs_left(TRACEFS "/instances", "instance", pids, count);
	left |= dirs_left(TRACEFS "/events", "group of events", pids, count);
	return left | journals_left();
}

/* --- main ------------------------------------------------------------------------ */

static char **parse(struct one *one, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "+n:c:e:l:")) != -1) {
		switch (c) {
		case 'n':
			one->needs = optarg;
			break;
		case 'c':
			one->cpu = strtol(optarg, NULL, 10);
			break;
		case 'e':
			one->err = optarg;
			break;
		case 'l':
			one->lock = optarg;
			break;
		default:
			exit(STATUS_BROKEN);
		}
	}
	if (optind == argc || one->cpu <= 0) {
		say("usage: one [-n NEEDS] [-c SECONDS] [-e FILE] [-l LOCK] PROGRAM [ARG...]");
		exit(STATUS_BROKEN);
	}
	return argv + optind;
}

/* A root without rights is a user like any other: in a test that was not given them, say. */
static bool may_mount(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};

	return syscall(SYS_capget, &header, data) == 0 && data[0].effective & 1U << CAP_SYS_ADMIN;
}

static void prepare(struct one *one)
{
	sigset_t mask;

	/* A test may count on the number of the next descriptor. */
	syscall(SYS_close_range, 3, ~0U, 0);
	/* At the end of this pipe the harness would wait for this test alone. */
	if (one->err && fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) < 0)
		die("stderr");
	if (one->err && !freopen(one->err, "w", stderr))
		die(one->err);
	setvbuf(stderr, NULL, _IOLBF, 0);
	if (!freopen("/dev/null", "r", stdin))
		die("/dev/null");
	take_lock(one);
	one->root = geteuid() == 0 && may_mount();
	if (one->root) {
		own_mounts(one);
		if (!needs(one, "net"))
			own_network();
	}
	watch_journals(one);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* tests/run may be killed. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	one->signals = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	if (one->signals < 0)
		die("signalfd");
}

static int result(struct one *one)
{
	bool left = left_running(one);

	left |= left_in_tracefs(one);
	if (WIFSIGNALED(one->status)) {
		int sig = WTERMSIG(one->status);

		if (sig == SIGXCPU || sig == SIGKILL)
			say("ended after %ld s of CPU time", one->cpu);
		else
			say("ended by signal %d (%s)", sig, strsignal(sig));
		return sig == SIGXCPU ? STATUS_LIMIT : 128 + sig;
	}
	return left ? STATUS_LEFT : WEXITSTATUS(one->status);
}

int main(int argc, char **argv)
{
	struct one one = { .needs = "", .cpu = 60 };
	char **program = parse(&one, argc, argv);
	struct rusage used;
	double start;
	int status;

	prepare(&one);
	start = now();
	one.child = fork();
	if (one.child < 0)
		die("fork");
	if (one.child == 0)
		be_the_program(&one, program);
	if (wait_for_program(&one, 10.0 * one.cpu)) {
		status = result(&one);
	} else {
		if (one.caught)
			say("ended by signal %d", one.caught);
		else
			say("ended after %ld s", 10 * one.cpu);
		end_children(!one.caught);
		left_in_tracefs(&one);
		status = one.caught ? 128 + one.caught : STATUS_LIMIT;
	}
	getrusage(RUSAGE_CHILDREN, &used);
	say("%.2f %.2f",
	    used.ru_utime.tv_sec + used.ru_stime.tv_sec +
		    (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
	    now() - start);
	return status;
}
