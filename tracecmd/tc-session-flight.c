/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/own.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "cli/signals.h"
#include "config.h"
#include "tc-session-dump.h"
#include "tc-session-flight-conf.h"
#include "tc-session-instances.h"
#include "base/notify.h"
#include "tc-session.h"
#include "tracefs/cpu-stats.h"
#include "tracefs/file.h"
#include "tracefs/journal.h"
#include "tracefs/tracing-on.h"

/*
 * The flight recorder: a session whose ring buffer nobody reads until a trigger comes. Between two
 * triggers this process sleeps, but for a look at tracing_on each second.
 */

#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC 1000000000ULL
#define RUN_DIR "/run/tracecraft"

/*
 * struct flight_request - as typed
 * @config: the file; NULL: NAME.conf in PACKAGE_FLIGHT_DIR
 * @dump: make a dump as the file says, of the recorder that runs
 */
struct flight_request {
	const char *config;
	bool dump, dry_run, quiet;
};

/*
 * struct flight - one run
 * @instances: the recorder's
 * @lock: held while this process runs the recorder
 * @signals: of tc_signals_fd()
 * @pressure: a descriptor for each of conf.own.pressures
 * @pending: what asked for a dump that is not made yet; NULL: nothing
 * @next_ns: not before; CLOCK_MONOTONIC
 * @was_off: tracing was off at the last look
 */
struct flight {
	const struct flight_request *req;
	const char *name;
	struct flight_conf conf;
	struct session_instances instances;
	int lock, signals;
	int pressure[FLIGHT_PRESSURES];
	const char *pending;
	uint64_t next_ns;
	bool was_off;
};

#define AT(member) .offset = offsetof(struct flight_request, member)

static const struct tc_option options[] = {
	{ 0, "config", "FILE", "read FILE (" PACKAGE_FLIGHT_DIR "/NAME.conf)", TC_OPT_STRING,
	  AT(config), .complete = "file" },
	{ 0, "dump", NULL, "make one dump of the recorder NAME that runs, as its file says",
	  TC_OPT_FLAG, AT(dump) },
	{ 0, "dry-run", NULL, "check the file, print the equivalent shell commands; start nothing",
	  TC_OPT_FLAG, AT(dry_run) },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END_ANY_ORDER,
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* The recorder works without a service manager that listens. */
static void notify(const char *state)
{
	struct tfs_err err = TFS_ERR_INIT;

	if (tfs_notify(state, &err))
		tc_msg_error(SESSION_PROGRAM, &err);
}

static int open_lock(const char *name, int flags)
{
	char path[512];

	snprintf(path, sizeof(path), RUN_DIR "/.flight-%s", name);
	return open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

/* Two processes for one recorder would dump, and end, each other's session. */
static int take_lock(struct flight *f, struct tfs_err *err)
{
	int rc = tfs_own_mkdir(RUN_DIR);

	if (rc)
		return tfs_err_set(err, rc, "cannot make '%s'", RUN_DIR);
	f->lock = open_lock(f->name, O_CREAT);
	if (f->lock < 0)
		return tfs_err_set(err, -errno, "cannot open the lock of '%s' in " RUN_DIR,
				   f->name);
	if (!flock(f->lock, LOCK_EX | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK)
		return tfs_err_say(err, -EBUSY, "the flight recorder '%s' runs already", f->name);
	return tfs_err_set(err, -errno, "cannot take the lock of '%s' in " RUN_DIR, f->name);
}

/* The lock is only tried, and shared: two programs that look do not see each other. */
bool session_flight_runs(const char *name)
{
	int fd = open_lock(name, 0);
	bool runs = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

	tfs_close(&fd);
	return runs;
}

/* Finds the instance, also one that nobody has started a session in: *@there, *@ours. */
static int find_instance(struct flight *f, bool *there, bool *ours, struct tfs_err *err)
{
	struct session_selector all = { .all = true };
	const struct session_selection selection = { .v = &all, .n = 1 };
	struct session_instances found = { 0 };
	int status = session_open(&selection, SESSION_ALLOW_NONE, 0, NULL, &found, err);

	*there = *ours = false;
	for (size_t i = 0; i < found.n && status == TC_EXIT_OK; i++) {
		if (strcmp(found.v[i].inst.name, f->name) != 0)
			continue;
		*there = true;
		*ours = found.v[i].ours;
	}
	session_close(&found);
	return status == TC_EXIT_OK ? 0 : err->code;
}

static int open_instance(struct flight *f, struct tfs_err *err)
{
	struct session_selector one = { .name = f->name };
	const struct session_selection selection = { .v = &one, .n = 1 };

	session_close(&f->instances);
	return session_open(&selection, 0, 0, NULL, &f->instances, err) == TC_EXIT_OK ? 0 :
											err->code;
}

/* Text of a control file of the instance; its absence is an error unless @err is NULL */
static int read_file(const struct flight *f, const char *file, struct tfs_strbuf *text,
		     struct tfs_err *err)
{
	char path[256];
	int rc = tfs_instance_path(&f->instances.v[0].inst, file, path, sizeof(path));

	if (rc)
		return tfs_err_set(err, rc, "cannot read '%s'", file);
	if (!err && !tfs_file_exists(f->instances.root, path))
		return -ENOENT;
	return tfs_file_read(f->instances.root, path, text, err);
}

static int dump(struct flight *f, const char *why, struct tfs_err *err)
{
	char name[TFS_DUMP_NAME_MAX];
	bool last_boot = !strcmp(why, "last boot");

	snprintf(name, sizeof(name), "%s%s", f->name, last_boot ? ".last-boot" : "");
	return session_dump_file(&f->conf.own.dump, &f->instances, name, why, f->req->quiet, err);
}

static int count_entries(const struct flight *f, uint64_t *entries, struct tfs_err *err)
{
	const struct tfs_instance *inst = &f->instances.v[0].inst;
	struct tfs_cpu_stats stats;
	unsigned int *cpus = NULL;
	size_t n = 0;
	int rc = tfs_instance_cpus(f->instances.root, inst, &cpus, &n, err);

	*entries = 0;
	for (size_t i = 0; i < n && !rc; i++) {
		if (!tfs_cpu_stats_read(f->instances.root, inst, cpus[i], NULL, &stats))
			*entries += stats.entries;
	}
	free(cpus);
	return rc;
}

/*
 * A ring buffer that outlives a reboot (trace_instance= of the kernel's command line) still has the
 * events of the boot before, until an event is enabled. last_boot_info says "# Current" when they
 * are of this boot, kernel/trace/trace.c; after the machine was off there are none.
 */
static int dump_last_boot(struct flight *f, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	uint64_t entries = 0;
	int rc = open_instance(f, err);

	if (!rc && !read_file(f, "last_boot_info", &text, NULL) && text.len &&
	    strncmp(text.s, "# Current", 9) != 0)
		rc = count_entries(f, &entries, err);
	if (!rc && entries)
		rc = dump(f, "last boot", err);
	tfs_strbuf_release(&text);
	return rc;
}

/* Starts the session, or goes on with that of a process that was killed. */
static int begin(struct flight *f, struct tfs_err *err)
{
	struct session_start_request *start = &f->conf.start;
	bool there, ours;
	int rc = find_instance(f, &there, &ours, err);

	if (rc)
		return rc;
	start->quiet = f->req->quiet;
	if (there && !ours)
		rc = dump_last_boot(f, err);
	if (there && ours) {
		if (!f->req->quiet)
			tc_msg_notice(SESSION_PROGRAM,
				      "the session '%s' exists: this goes on with it as it is",
				      f->name);
	} else if (!rc && session_start.run(start, 0, NULL, err) != TC_EXIT_OK) {
		rc = err->code ? err->code : -EIO;
	}
	return rc ? rc : open_instance(f, err);
}

static int open_pressures(struct flight *f, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < f->conf.own.n_pressures && !rc; i++)
		rc = tfs_pressure_open(&f->conf.own.pressures[i], &f->pressure[i], err);
	return rc;
}

/* Is tracing off? A traceoff trigger, or somebody's tc-session stop, did that. -errno: it ended */
static int is_off(const struct flight *f, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = read_file(f, "tracing_on", &text, err);
	bool off = !rc && text.s[0] == '0';

	tfs_strbuf_release(&text);
	return rc ? rc : off;
}

/*
 * Has a trigger turned tracing off? Others pause it to read the ring buffer: dumps hold the lock of
 * the directory then, tc-session extract is done by the next look. 1, 0, -errno
 */
static int is_triggered(struct flight *f, struct tfs_err *err)
{
	struct tfs_dump_dir dir = { .fd = -1 };
	bool was_off = f->was_off;
	int rc = is_off(f, err);

	f->was_off = rc > 0;
	if (rc <= 0 || !was_off)
		return rc < 0 ? rc : 0;
	/* if it cannot be locked, the dump will say why */
	if (!tfs_dump_dir_open(&dir, f->conf.own.dump.directory, NULL))
		rc = is_off(f, err);
	tfs_dump_dir_close(&dir);
	return rc;
}

/* A dump that fails is tried again after the holdoff: its events stay in the ring buffer. */
static int make_dump(struct flight *f, struct tfs_err *err)
{
	struct tfs_err why = TFS_ERR_INIT;
	int off = is_off(f, err);

	if (off < 0)
		return off;
	f->next_ns = now_ns() + f->conf.own.holdoff_ns;
	if (dump(f, f->pending, &why)) {
		tc_msg_error(SESSION_PROGRAM, &why);
		notify("STATUS=the last dump failed");
		return 0;
	}
	f->pending = NULL;
	f->was_off = false;
	notify("STATUS=recording, dumped");
	return off ? tfs_tracing_on(f->instances.root, &f->instances.v[0].inst,
				    session_has_markers(&f->instances.v[0]), err) :
		     0;
}

/* Milliseconds to sleep: until the next look at tracing_on, or the end of the holdoff */
static int sleep_ms(const struct flight *f)
{
	uint64_t ns = f->conf.own.poll_ns, now = now_ns();

	if (f->pending && f->next_ns > now && f->next_ns - now < ns)
		ns = f->next_ns - now;
	ns = ns / NSEC_PER_MSEC + 1;
	return ns > 3600000 ? 3600000 : (int)ns;
}

/* 1: the recorder is to end; 0; -errno */
static int take_signals(struct flight *f, struct tfs_err *err)
{
	int sig, end = 0;

	while ((sig = tc_signals_take(f->signals)) > 0) {
		if (sig == SIGUSR2)
			f->pending = "signal";
		else if (sig != SIGCHLD)
			end = 1;
	}
	return sig < 0 ? tfs_err_set(err, sig, "cannot wait for signals") : end;
}

static int wait_for_trigger(struct flight *f, struct tfs_err *err)
{
	struct pollfd fds[1 + FLIGHT_PRESSURES];
	size_t n = f->conf.own.n_pressures;
	int rc;

	fds[0] = (struct pollfd){ .fd = f->signals, .events = POLLIN };
	for (size_t i = 0; i < n; i++)
		fds[1 + i] = (struct pollfd){ .fd = f->pressure[i], .events = POLLPRI };
	if (poll(fds, 1 + n, sleep_ms(f)) < 0 && errno != EINTR)
		return tfs_err_set(err, -errno, "cannot wait for triggers");
	rc = take_signals(f, err);
	for (size_t i = 0; i < n && !rc; i++) {
		if (fds[1 + i].revents & POLLPRI)
			f->pending = "pressure";
	}
	if (rc)
		return rc;
	rc = is_triggered(f, err);
	if (rc > 0 && !f->pending)
		f->pending = "traceoff";
	return rc < 0 ? rc : 0;
}

/* Until a signal ends it: 0, or -errno */
static int record(struct flight *f, struct tfs_err *err)
{
	int rc;

	for (;;) {
		rc = wait_for_trigger(f, err);
		if (!rc && f->pending && now_ns() >= f->next_ns)
			rc = make_dump(f, err);
		if (rc)
			return rc < 0 ? rc : 0;
	}
}

/* Takes the session down; what it was not started for is as before. */
static int end(struct flight *f, struct tfs_err *err)
{
	bool done = false;
	int rc;

	if (!f->instances.n)
		return 0;
	rc = tfs_journal_undo(TFS_JOURNAL_DIR, f->instances.root, &f->instances.v[0].inst, &done,
			      err);
	if (rc || done)
		return rc;
	rc = tfs_err_say(err, -ENOENT, "it is not known what the session '%s' changed", f->name);
	tfs_err_hint(err, "'tc-session reset -B %s -d' removes it", f->name);
	return rc;
}

static int fly(struct flight *f, struct tfs_err *err)
{
	struct tfs_err late = TFS_ERR_INIT;
	int rc;

	tc_signals_accept();
	f->signals = tc_signals_fd(err);
	if (f->signals < 0)
		return f->signals;
	rc = tc_signals_add(f->signals, SIGUSR2, err);
	if (!rc)
		rc = take_lock(f, err);
	if (!rc)
		rc = open_pressures(f, err);
	if (!rc)
		rc = begin(f, err);
	if (rc)
		return rc;
	notify("READY=1\nSTATUS=recording");
	if (!f->req->quiet)
		tc_msg_line(SESSION_PROGRAM ": recording '%s'; dumps go to '%s'", f->name,
			    f->conf.own.dump.directory);
	rc = record(f, err);
	notify("STOPPING=1");
	if (end(f, rc ? &late : err)) {
		if (rc)
			tc_msg_error(SESSION_PROGRAM, &late);
		rc = rc ? rc : err->code;
	}
	return rc;
}

static int run_one(struct flight *f, struct tfs_err *err)
{
	int rc;

	if (f->req->dry_run) {
		f->conf.start.dry_run = true;
		return session_start.run(&f->conf.start, 0, NULL, err);
	}
	if (!f->req->dump)
		return fly(f, err) ? TC_EXIT_FAILED : TC_EXIT_OK;
	rc = open_instance(f, err);
	if (!rc)
		rc = dump(f, "request", err);
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct flight f = { .req = request, .lock = -1, .signals = -1 };
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	struct tfs_instance inst;
	int rc, status = TC_EXIT_USAGE;

	for (size_t i = 0; i < FLIGHT_PRESSURES; i++)
		f.pressure[i] = -1;
	if (argc != 1) {
		tfs_err_say(err, -EINVAL, argc ? "unexpected argument '%s'" : "NAME is missing",
			    argc ? argv[1] : "");
		return TC_EXIT_USAGE;
	}
	f.name = argv[0];
	rc = tfs_instance_named(&inst, f.name, err);
	if (!rc && f.req->config)
		rc = tfs_strbuf_adds(&path, f.req->config);
	else if (!rc)
		rc = tfs_strbuf_addf(&path, PACKAGE_FLIGHT_DIR "/%s.conf", f.name);
	if (!rc)
		rc = flight_conf_read(&f.conf, f.name, path.s, err);
	if (!rc)
		status = run_one(&f, err);
	session_close(&f.instances);
	flight_conf_release(&f.conf);
	for (size_t i = 0; i < FLIGHT_PRESSURES; i++)
		tfs_close(&f.pressure[i]);
	tfs_close(&f.signals);
	tfs_close(&f.lock);
	tfs_strbuf_release(&path);
	return status;
}

const struct tc_command session_flight = {
	.name = SESSION_PROGRAM,
	.verb = "flight",
	.summary = "run a flight recorder: trace until stopped, dump when triggered",
	.operands = "NAME",
	.options = options,
	.request_size = sizeof(struct flight_request),
	.run = run,
};
