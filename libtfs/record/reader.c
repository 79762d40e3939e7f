/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/reader.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/thread.h"
#include "base/time.h"

#define EVENTS_AT_ONCE 16
/* How often a CPU that was not online is looked at again. */
#define PARKED_RETRY_MS 1000
/*
 * Events reach the file less than a second after they are in the ring buffer, with some time to
 * write them. At high rates this adds one small chunk a second to thousands.
 */
#define FRESH_MS 900
/* In place of a CPU's index. */
#define STOP_INDEX UINT32_MAX
#define PAUSE_INDEX (UINT32_MAX - 1)

/* CPU_FULL: the budget is used up; what was taken is still to be flushed. */
enum cpu_state { CPU_WAITING, CPU_PARKED, CPU_FULL, CPU_FAILED };

struct reader_cpu {
	struct tfs_percpu *percpu;
	enum cpu_state state;
};

struct tfs_reader {
	struct tfs_reader_opts o;
	struct tfs_codec *codec;
	struct tfs_pipe pipe;
	struct reader_cpu *cpus;
	size_t n;
	size_t parked;
	int epoll;
	pthread_t thread;
	bool started;
	sem_t ready;
	int pause_fd; /* eventfd: readable once it is to pause */
	sem_t paused, resumed;
	pid_t tid;
	atomic_bool ended;
	atomic_bool failed;
	struct tfs_err failure; /* the first; the thread's until it ended */
};

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) && errno == EINTR)
		;
}

int tfs_reader_new(const struct tfs_reader_opts *opts, struct tfs_reader **out, struct tfs_err *err)
{
	struct tfs_reader *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return tfs_err_set(err, -ENOMEM, "cannot make a reader thread");
	r->o = *opts;
	r->pipe.fds[0] = -1;
	r->pipe.fds[1] = -1;
	r->failure = TFS_ERR_INIT;
	sem_init(&r->ready, 0, 0);
	sem_init(&r->paused, 0, 0);
	sem_init(&r->resumed, 0, 0);
	r->pause_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0 || r->pause_fd < 0) {
		rc = tfs_err_set(err, -errno, "cannot make a reader thread");
		goto out;
	}
	r->cpus = calloc(opts->max_cpus, sizeof(*r->cpus));
	if (!r->cpus) {
		rc = tfs_err_set(err, -ENOMEM, "cannot make a reader thread");
		goto out;
	}
	rc = tfs_codec_new(opts->codec, opts->level, &r->codec, err);
	if (!rc && opts->codec == TFS_CODEC_NONE)
		rc = tfs_pipe_open(&r->pipe, err);
out:
	if (rc)
		tfs_reader_free(r);
	else
		*out = r;
	return rc;
}

void tfs_reader_free(struct tfs_reader *r)
{
	if (!r)
		return;
	tfs_reader_join(r, NULL);
	for (size_t i = 0; r->cpus && i < r->n; i++)
		tfs_percpu_free(r->cpus[i].percpu);
	free(r->cpus);
	tfs_codec_free(r->codec);
	tfs_pipe_close(&r->pipe);
	tfs_close(&r->epoll);
	tfs_close(&r->pause_fd);
	sem_destroy(&r->ready);
	sem_destroy(&r->paused);
	sem_destroy(&r->resumed);
	free(r);
}

struct tfs_codec *tfs_reader_codec(const struct tfs_reader *r)
{
	return r->codec;
}

struct tfs_pipe *tfs_reader_pipe(struct tfs_reader *r)
{
	return r->pipe.fds[0] >= 0 ? &r->pipe : NULL;
}

void tfs_reader_take(struct tfs_reader *r, struct tfs_percpu *cpu)
{
	r->cpus[r->n++] = (struct reader_cpu){ .percpu = cpu, .state = CPU_WAITING };
}

static void add_one(int fd)
{
	const uint64_t one = 1;

	/* Fails only when the counter is full, and then whoever waits is awake already. */
	if (write(fd, &one, sizeof(one)) < 0)
		return;
}

static void note(const struct tfs_reader *r)
{
	add_one(r->o.note_fd);
}

static int epoll_change(struct tfs_reader *r, int op, uint32_t index)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u32 = index };
	int fd;

	if (index == STOP_INDEX)
		fd = r->o.stop_fd;
	else if (index == PAUSE_INDEX)
		fd = r->pause_fd;
	else
		fd = tfs_percpu_raw_fd(r->cpus[index].percpu);
	return epoll_ctl(r->epoll, op, fd, &ev) ? -errno : 0;
}

static void fail(struct tfs_reader *r, size_t index, const struct tfs_err *err)
{
	if (r->cpus[index].state == CPU_WAITING)
		epoll_change(r, EPOLL_CTL_DEL, (uint32_t)index);
	else if (r->cpus[index].state == CPU_PARKED)
		r->parked--;
	r->cpus[index].state = CPU_FAILED;
	if (!r->failure.code)
		r->failure = *err;
	atomic_store(&r->failed, true);
	note(r);
}

/* Still readable, but not to be read: epoll would report it all the time. */
static void leave(struct tfs_reader *r, size_t index)
{
	epoll_change(r, EPOLL_CTL_DEL, (uint32_t)index);
	r->cpus[index].state = CPU_FULL;
}

/* By tfs_percpu_drain(), or by tfs_percpu_sync() to have it in the file as well. */
static void take(struct tfs_reader *r, size_t index,
		 int (*how)(struct tfs_percpu *p, struct tfs_err *err))
{
	struct tfs_err err = TFS_ERR_INIT;

	if (how(r->cpus[index].percpu, &err))
		fail(r, index, &err);
	else if (tfs_percpu_is_full(r->cpus[index].percpu))
		leave(r, index);
	/* Said by each reader that comes across it: one too many does not hurt. */
	if (r->o.budget && atomic_load(&r->o.budget->reached))
		note(r);
}

static void drain(struct tfs_reader *r, size_t index, uint32_t events)
{
	if (r->cpus[index].state != CPU_WAITING)
		return;
	/* A CPU that is not online has no ring buffer yet; poll answers with an error at once. */
	if (!(events & EPOLLIN)) {
		epoll_change(r, EPOLL_CTL_DEL, (uint32_t)index);
		r->cpus[index].state = CPU_PARKED;
		r->parked++;
		return;
	}
	take(r, index, tfs_percpu_drain);
}

static void freshen(struct tfs_reader *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->cpus[i].state == CPU_WAITING)
			take(r, i, tfs_percpu_sync);
	}
}

static void pause_here(struct tfs_reader *r)
{
	struct tfs_err err = TFS_ERR_INIT;
	uint64_t times;

	if (read(r->pause_fd, &times, sizeof(times)) < 0)
		return;
	for (size_t i = 0; i < r->n; i++) {
		tfs_err_clear(&err);
		if (r->cpus[i].state != CPU_FAILED && tfs_percpu_sync(r->cpus[i].percpu, &err))
			fail(r, i, &err);
	}
	sem_post(&r->paused);
	wait_for(&r->resumed);
}

static void unpark(struct tfs_reader *r)
{
	for (size_t i = 0; i < r->n && r->parked; i++) {
		if (r->cpus[i].state != CPU_PARKED || epoll_change(r, EPOLL_CTL_ADD, (uint32_t)i))
			continue;
		r->cpus[i].state = CPU_WAITING;
		r->parked--;
	}
}

/* epoll counts milliseconds. */
static int interval_ms(const struct tfs_reader *r)
{
	uint64_t ms = (r->o.interval_us + 999) / 1000;

	return ms < INT_MAX ? (int)ms : INT_MAX;
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / NS_PER_MSEC;
}

/* Who asked to look more seldom than once a second gets that. */
static void freshen_if_due(struct tfs_reader *r, long long *due)
{
	const long long now = now_ms();
	const int often = interval_ms(r);

	if (now < *due)
		return;
	if (*due)
		freshen(r);
	*due = now + (often > FRESH_MS ? often : FRESH_MS);
}

static int min_wait(int a, long long b)
{
	return b < 0 ? 0 : b < a ? (int)b : a;
}

static void run(struct tfs_reader *r)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	const int often = interval_ms(r);
	long long due = 0;
	bool stop = false;
	int n;

	freshen_if_due(r, &due);
	while (!stop) {
		int patience = r->parked ? PARKED_RETRY_MS : INT_MAX;

		if (often)
			patience = min_wait(patience, often);
		patience = min_wait(patience, due - now_ms());
		n = epoll_wait(r->epoll, events, EVENTS_AT_ONCE, patience);
		for (int i = 0; i < n; i++) {
			if (events[i].data.u32 == STOP_INDEX)
				stop = true;
			else if (events[i].data.u32 == PAUSE_INDEX)
				pause_here(r);
			else
				drain(r, events[i].data.u32, events[i].events);
		}
		if (!stop)
			freshen_if_due(r, &due);
		if (n)
			continue;
		for (size_t i = 0; i < r->n && often; i++)
			drain(r, i, EPOLLIN);
		unpark(r);
	}
}

static void finish(struct tfs_reader *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct tfs_err err = TFS_ERR_INIT;

		if (r->cpus[i].state != CPU_FAILED && tfs_percpu_finish(r->cpus[i].percpu, &err))
			fail(r, i, &err);
	}
}

static void *reader_main(void *arg)
{
	struct tfs_reader *r = arg;

	r->tid = gettid();
	sem_post(&r->ready);
	run(r);
	finish(r);
	atomic_store(&r->ended, true);
	note(r);
	return NULL;
}

int tfs_reader_start(struct tfs_reader *r, struct tfs_err *err)
{
	int rc;

	rc = epoll_change(r, EPOLL_CTL_ADD, STOP_INDEX);
	if (!rc)
		rc = epoll_change(r, EPOLL_CTL_ADD, PAUSE_INDEX);
	for (size_t i = 0; i < r->n && !rc; i++) {
		rc = epoll_change(r, EPOLL_CTL_ADD, (uint32_t)i);
		/* A snapshot cannot be waited for: all of it is there. It is taken at the end. */
		if (rc == -EPERM)
			rc = 0;
	}
	if (rc)
		return tfs_err_set(err, rc, "cannot wait for the ring buffer");
	rc = tfs_thread_start(&r->thread, NULL, reader_main, r);
	if (rc)
		return tfs_err_set(err, rc, "cannot start a reader thread");
	r->started = true;
	wait_for(&r->ready);
	return 0;
}

void tfs_reader_pause(struct tfs_reader *r)
{
	add_one(r->pause_fd);
}

void tfs_reader_paused(struct tfs_reader *r)
{
	wait_for(&r->paused);
}

void tfs_reader_resume(struct tfs_reader *r)
{
	sem_post(&r->resumed);
}

pid_t tfs_reader_tid(const struct tfs_reader *r)
{
	return r->tid;
}

bool tfs_reader_ended(const struct tfs_reader *r)
{
	return !r->started || atomic_load(&r->ended);
}

bool tfs_reader_failed(const struct tfs_reader *r)
{
	return atomic_load(&r->failed);
}

int tfs_reader_join(struct tfs_reader *r, struct tfs_err *err)
{
	if (r->started) {
		pthread_join(r->thread, NULL);
		r->started = false;
	}
	if (r->failure.code && err)
		*err = r->failure;
	return r->failure.code;
}
