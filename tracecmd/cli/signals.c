/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/err.h"
#include "base/macros.h"

/*
 * Signal state at the start of the process, for its children. It belongs to the process, hence
 * the one variable of file scope; written before there are threads.
 */
static struct {
	bool known;
	sigset_t mask;
	struct sigaction pipe;
	struct sigaction size;
	struct sigaction child;
	struct sigaction ends[2]; /* of always[] */
} start;

/* The terminal as it is to be left: a crash happens anywhere, so this is of file scope, too. */
static struct {
	int fd;
	size_t len;
	char text[TC_SIGNALS_GUARD];
	struct termios before;
} guarded = { .fd = -1 };

/* A shell without job control starts "COMMAND &" with SIGINT ignored, not by the user's wish. */
static const int always[] = { SIGINT, SIGTERM };

_Static_assert(ARRAY_SIZE(always) == sizeof(start.ends) / sizeof(start.ends[0]),
	       "a disposition for each signal");

/* Both functions may be called in a handler of signals. */
static void restore_terminal(void)
{
	if (guarded.fd < 0)
		return;
	if (write(guarded.fd, guarded.text, guarded.len) < 0) {
		/* The terminal is gone. */
	}
	tcsetattr(guarded.fd, TCSADRAIN, &guarded.before);
	guarded.fd = -1;
}

/* The default action follows: the handler was removed when it was called. */
static void on_crash(int sig)
{
	restore_terminal();
	raise(sig);
}

void tc_signals_guard(int fd, const char *text, const struct termios *before)
{
	static const int crashes[] = { SIGSEGV, SIGABRT, SIGFPE, SIGILL };
	const struct sigaction crash = { .sa_handler = on_crash, .sa_flags = SA_RESETHAND };
	const struct sigaction none = { .sa_handler = SIG_DFL };

	guarded.fd = -1;
	if (fd >= 0) {
		guarded.len = strlen(text);
		memcpy(guarded.text, text, guarded.len + 1);
		guarded.before = *before;
		guarded.fd = fd;
	}
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], fd >= 0 ? &crash : &none, NULL);
}

/*
 * A mapped file was truncated by somebody who may write to it, for which libdw has no other error
 * than this signal. Any other SIGBUS is raised again, with the default action.
 */
static void on_bus_error(int sig, siginfo_t *info, void *context)
{
	static const char text[] = ": a file was truncated while it was read\n";
	const char *name = program_invocation_short_name;

	(void)sig;
	(void)context;
	restore_terminal();
	if (info->si_code != BUS_ADRERR)
		return;
	/* As TC_EXIT_FAILED; a message that cannot be written changes nothing. */
	if (write(STDERR_FILENO, name, strlen(name)) < 0 ||
	    write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

void tc_signals_start(void)
{
	const struct sigaction bus = { .sa_sigaction = on_bus_error,
				       .sa_flags = SA_SIGINFO | SA_RESETHAND };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };

	if (start.known)
		return;
	sigprocmask(SIG_SETMASK, NULL, &start.mask);
	sigaction(SIGCHLD, NULL, &start.child);
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		sigaction(always[i], NULL, &start.ends[i]);
	sigaction(SIGPIPE, &ignore, &start.pipe);
	sigaction(SIGXFSZ, &ignore, &start.size);
	sigaction(SIGBUS, &bus, NULL);
	start.known = true;
}

void tc_signals_accept(void)
{
	const struct sigaction deliver = { .sa_handler = SIG_DFL };

	tc_signals_start();
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		sigaction(always[i], &deliver, NULL);
}

static bool is_ignored(int sig)
{
	struct sigaction now;

	return !sigaction(sig, NULL, &now) && now.sa_handler == SIG_IGN;
}

/*
 * Signals that end the program, but for those it was started to ignore: blocked, even an ignored
 * signal would be queued (sig_ignored() in kernel/signal.c).
 */
static void ends_of(sigset_t *set)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };

	sigemptyset(set);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (!is_ignored(ends[i]))
			sigaddset(set, ends[i]);
}

int tc_signals_fd(struct tfs_err *err)
{
	const struct sigaction deliver = { .sa_handler = SIG_DFL };
	sigset_t set;
	int fd;

	tc_signals_start();
	ends_of(&set);
	/* Ignored, children would be reaped before their status could be read (wait(2)). */
	sigaction(SIGCHLD, &deliver, NULL);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return tfs_err_set(err, -errno, "cannot block signals");
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		return tfs_err_set(err, -errno, "cannot wait for signals");
	return fd;
}

int tc_signals_add(int fd, int sig, struct tfs_err *err)
{
	sigset_t set;

	ends_of(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, sig);
	if (sigprocmask(SIG_BLOCK, &set, NULL) || signalfd(fd, &set, 0) < 0)
		return tfs_err_set(err, -errno, "cannot wait for signals");
	return 0;
}

int tc_signals_take(int fd)
{
	struct signalfd_siginfo info;
	ssize_t n;

	do {
		n = read(fd, &info, sizeof(info));
	} while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(info))
		return (int)info.ssi_signo;
	if (n >= 0 || errno == EAGAIN)
		return 0;
	return -errno;
}

void tc_signals_block(sigset_t *before)
{
	sigset_t set;

	ends_of(&set);
	sigprocmask(SIG_BLOCK, &set, before);
}

bool tc_signals_pending(const sigset_t *before)
{
	sigset_t set, pending;

	ends_of(&set);
	sigpending(&pending);
	for (int sig = 1; sig < SIGRTMIN; sig++)
		if (sigismember(&set, sig) == 1 && sigismember(&pending, sig) == 1 &&
		    !sigismember(before, sig))
			return true;
	return false;
}

void tc_signals_unblock(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

void tc_signals_restore(void)
{
	if (!start.known)
		return;
	sigaction(SIGPIPE, &start.pipe, NULL);
	sigaction(SIGXFSZ, &start.size, NULL);
	sigaction(SIGCHLD, &start.child, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		sigaction(always[i], &start.ends[i], NULL);
	sigprocmask(SIG_SETMASK, &start.mask, NULL);
}
