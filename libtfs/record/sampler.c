/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/hashmap.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "base/thread.h"
#include "base/time.h"

#define SYS_CPU "/sys/devices/system/cpu/"
/* They call nothing that needs more */
#define STACK_SIZE (256 * 1024)
#define PRIORITY 1
/* Binary digits of fractions, and the logarithm of 2 in these */
#define FRACTION_BITS 16
#define LN2 45426u
/* A list of more is longer to go through than a name is to compare, at every wakeup. */
#define TIDS_MAX 16

/* THREAD_PARKED: its CPU is not online, or not allowed; it sleeps without a timer */
enum thread_state { THREAD_PARKED, THREAD_SAMPLING, THREAD_ENDING };

/*
 * struct sampler_thread - samples one CPU
 * @lock: for what follows; only the thread's own but for tfs_sampler_follow() and stop
 * @random: state of the generator
 * @since_ns: when it began to sample; 0: parked
 * @sampled_ns: sum of the times before
 */
struct sampler_thread {
	pthread_t thread;
	struct tfs_sampler *s;
	unsigned int cpu;
	pid_t tid;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	enum thread_state state;
	uint64_t random;
	uint64_t since_ns, sampled_ns;
	uint64_t samples, cpu_ns;
};

/*
 * struct tfs_sampler
 * @n: threads that run
 * @ended: they do not any more
 * @ready: posted by each thread once its tid is known
 * @wanted: CPUs to sample; @nohz: whose timers run elsewhere; @online: when it was last looked
 */
struct tfs_sampler {
	uint64_t period_ns;
	char comm[TFS_SAMPLER_COMM_SIZE];
	struct sampler_thread *threads;
	pid_t *tids;
	size_t n;
	bool realtime, ended;
	sem_t ready;
	struct tfs_cpus wanted, online;
};

/* -log2() of a number evenly spread over 0 to 1: digit by digit, by squaring */
static uint64_t minus_log2(uint32_t random)
{
	const unsigned int zeros = (unsigned int)__builtin_clz(random | 1);
	uint64_t x = (uint64_t)(random | 1) << zeros, digits = 0;

	for (int i = 0; i < FRACTION_BITS; i++) {
		x = x * x >> 31;
		digits = digits << 1 | x >> 32;
		x >>= x >> 32;
	}
	return ((zeros + UINT64_C(1)) << FRACTION_BITS) - digits;
}

uint64_t tfs_sampler_gap(uint64_t period_ns, uint32_t random)
{
	uint64_t gap = period_ns * minus_log2(random) >> FRACTION_BITS;

	gap = gap * LN2 >> FRACTION_BITS;
	return gap < TFS_SAMPLER_GAP_MAX * period_ns ? gap : TFS_SAMPLER_GAP_MAX * period_ns;
}

void tfs_sampler_comm(pid_t pid, char comm[TFS_SAMPLER_COMM_SIZE])
{
	snprintf(comm, TFS_SAMPLER_COMM_SIZE, "tc-samp-%d", (int)pid);
}

int tfs_sampler_filter(const pid_t *tids, size_t n, const char *comm, struct tfs_strbuf *sb)
{
	pid_t low = n ? tids[0] : 0, high = low;
	int rc;

	if (n && n <= TIDS_MAX) {
		rc = tfs_strbuf_addc(sb, '(');
		for (size_t i = 0; i < n && !rc; i++)
			rc = tfs_strbuf_addf(sb, "%spid == %d", i ? " || " : "", (int)tids[i]);
		return rc ? rc : tfs_strbuf_adds(sb, ") && common_pid != 0");
	}
	rc = tfs_strbuf_addf(sb, "comm == \"%s\" && common_pid != 0", comm);
	for (size_t i = 1; i < n; i++) {
		low = tids[i] < low ? tids[i] : low;
		high = tids[i] > high ? tids[i] : high;
	}
	/* Anybody may call a task by that name: these were started one after the other. */
	if (!rc && n)
		rc = tfs_strbuf_addf(sb, " && pid >= %d && pid <= %d", (int)low, (int)high);
	return rc;
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)(ts.tv_sec * NS_PER_SEC + ts.tv_nsec);
}

/* splitmix64: equal seeds but for one bit give unrelated numbers */
static uint32_t next_random(struct sampler_thread *t)
{
	uint64_t x = t->random += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(x >> 32);
}

/* The time of the next sample. Deadlines follow each other, so that the rate is as asked for. */
static uint64_t next_deadline(struct sampler_thread *t, uint64_t last)
{
	uint64_t gap = tfs_sampler_gap(t->s->period_ns, next_random(t));
	uint64_t now = now_ns(CLOCK_MONOTONIC);

	return last + gap > now ? last + gap : now + gap;
}

/* With the lock held; returns with it held. Was it woken by the timer? */
static bool sleep_until(struct sampler_thread *t, uint64_t ns)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(ns / (uint64_t)NS_PER_SEC),
		.tv_nsec = (long)(ns % (uint64_t)NS_PER_SEC),
	};

	return pthread_cond_timedwait(&t->wake, &t->lock, &ts) == ETIMEDOUT;
}

static void set_state(struct sampler_thread *t, enum thread_state state)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC);

	if (t->since_ns)
		t->sampled_ns += now - t->since_ns;
	t->since_ns = state == THREAD_SAMPLING ? now : 0;
	t->state = state;
}

static void *thread_main(void *arg)
{
	struct sampler_thread *t = arg;
	uint64_t deadline = 0;

	prctl(PR_SET_NAME, t->s->comm);
	pthread_mutex_lock(&t->lock);
	t->tid = gettid();
	sem_post(&t->s->ready);
	while (t->state != THREAD_ENDING) {
		if (t->state == THREAD_PARKED) {
			pthread_cond_wait(&t->wake, &t->lock);
			continue;
		}
		deadline = next_deadline(t, deadline);
		if (!sleep_until(t, deadline))
			continue;
		t->samples++;
		/* A CPU that goes offline leaves its tasks to others. */
		if (sched_getcpu() != (int)t->cpu && t->state == THREAD_SAMPLING)
			set_state(t, THREAD_PARKED);
	}
	t->cpu_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* A list of CPUs in sysfs; without the file, or if it cannot be parsed, none */
static void read_cpus(const char *path, struct tfs_cpus *cpus)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	memset(cpus, 0, sizeof(*cpus));
	if (!tfs_read_path(path, &text)) {
		tfs_strbuf_rtrim(&text);
		if (text.len && tfs_cpus_parse(text.s, cpus, NULL))
			memset(cpus, 0, sizeof(*cpus));
	}
	tfs_strbuf_release(&text);
}

/* CPUs that the machine can have, but for those that nothing is to disturb */
static void choose_cpus(struct tfs_sampler *s, const struct tfs_cpus *asked)
{
	struct tfs_cpus possible, isolated, nohz;

	read_cpus(SYS_CPU "possible", &possible);
	read_cpus(SYS_CPU "isolated", &isolated);
	read_cpus(SYS_CPU "nohz_full", &nohz);
	for (unsigned int i = 0; i < TFS_CPUS_MAX; i++) {
		if (!tfs_cpus_has(&possible, i) || tfs_cpus_has(&nohz, i))
			continue;
		if (asked ? tfs_cpus_has(asked, i) : !tfs_cpus_has(&isolated, i))
			tfs_cpus_add(&s->wanted, i);
	}
}

static int start_thread(struct tfs_sampler *s, unsigned int cpu, const pthread_attr_t *attr)
{
	struct sampler_thread *t = &s->threads[s->n];
	pthread_condattr_t clock;
	int rc;

	t->s = s;
	t->cpu = cpu;
	if (getrandom(&t->random, sizeof(t->random), 0) != sizeof(t->random))
		t->random = tfs_hash_int(now_ns(CLOCK_MONOTONIC) + cpu);
	pthread_mutex_init(&t->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&t->wake, &clock);
	pthread_condattr_destroy(&clock);
	rc = tfs_thread_start(&t->thread, attr, thread_main, t);
	if (rc)
		return rc;
	while (sem_wait(&s->ready) && errno == EINTR)
		;
	s->tids[s->n++] = t->tid;
	return 0;
}

static int start_threads(struct tfs_sampler *s)
{
	pthread_attr_t attr;
	int rc = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	for (unsigned int i = 0; i < TFS_CPUS_MAX && !rc; i++) {
		if (tfs_cpus_has(&s->wanted, i))
			rc = start_thread(s, i, &attr);
	}
	pthread_attr_destroy(&attr);
	return rc;
}

/* Otherwise a sample is taken in time, but the next one may be late: a busy CPU has fewer. */
static void set_realtime(struct tfs_sampler *s)
{
	const struct sched_param param = { .sched_priority = PRIORITY };

	s->realtime = true;
	for (size_t i = 0; i < s->n && s->realtime; i++)
		s->realtime = !sched_setscheduler(s->tids[i], SCHED_FIFO, &param);
}

int tfs_sampler_new(const struct tfs_sampler_opts *opts, struct tfs_sampler **out,
		    struct tfs_err *err)
{
	struct tfs_sampler *s = calloc(1, sizeof(*s));
	unsigned int n;
	int rc = -ENOMEM;

	if (!s)
		return tfs_err_set(err, rc, "cannot start the threads that sample");
	s->period_ns = opts->period_ns;
	sem_init(&s->ready, 0, 0);
	tfs_sampler_comm(getpid(), s->comm);
	choose_cpus(s, opts->cpus);
	n = tfs_cpus_count(&s->wanted);
	if (!n) {
		tfs_sampler_free(s);
		return tfs_err_say(err, -EINVAL,
				   "none of these CPUs can be sampled: there are "
				   "no such CPUs, or they are nohz_full");
	}
	s->threads = calloc(n, sizeof(*s->threads));
	s->tids = calloc(n, sizeof(*s->tids));
	if (s->threads && s->tids)
		rc = start_threads(s);
	if (rc) {
		tfs_sampler_free(s);
		return tfs_err_set(err, rc, "cannot start the threads that sample");
	}
	set_realtime(s);
	*out = s;
	return 0;
}

size_t tfs_sampler_tids(const struct tfs_sampler *s, const pid_t **tids)
{
	*tids = s->tids;
	return s->n;
}

bool tfs_sampler_is_realtime(const struct tfs_sampler *s)
{
	return s->realtime;
}

/* Moves the thread to its CPU, which is online. */
static bool pin(const struct sampler_thread *t)
{
	const size_t size = CPU_ALLOC_SIZE(t->cpu + 1);
	cpu_set_t *set = CPU_ALLOC(t->cpu + 1);
	bool done;

	if (!set)
		return false;
	CPU_ZERO_S(size, set);
	CPU_SET_S(t->cpu, size, set);
	done = !sched_setaffinity(t->tid, size, set);
	CPU_FREE(set);
	return done;
}

void tfs_sampler_follow(struct tfs_sampler *s)
{
	read_cpus(SYS_CPU "online", &s->online);
	for (size_t i = 0; i < s->n && !s->ended; i++) {
		struct sampler_thread *t = &s->threads[i];

		if (!tfs_cpus_has(&s->online, t->cpu))
			continue;
		pthread_mutex_lock(&t->lock);
		if (t->state == THREAD_PARKED && pin(t)) {
			set_state(t, THREAD_SAMPLING);
			pthread_cond_signal(&t->wake);
		}
		pthread_mutex_unlock(&t->lock);
	}
}

void tfs_sampler_start(struct tfs_sampler *s)
{
	tfs_sampler_follow(s);
}

static bool is_sampled(const struct tfs_sampler *s, unsigned int cpu)
{
	for (size_t i = 0; i < s->n; i++) {
		struct sampler_thread *t = &s->threads[i];
		bool yes;

		if (t->cpu != cpu)
			continue;
		pthread_mutex_lock(&t->lock);
		yes = t->state == THREAD_SAMPLING;
		pthread_mutex_unlock(&t->lock);
		return yes;
	}
	return false;
}

int tfs_sampler_left_out(const struct tfs_sampler *s, struct tfs_strbuf *sb)
{
	const char *comma = "";
	int rc = 0;

	for (unsigned int i = 0; i < TFS_CPUS_MAX && !rc; i++) {
		unsigned int first = i;

		while (i < TFS_CPUS_MAX && tfs_cpus_has(&s->online, i) && !is_sampled(s, i))
			i++;
		if (i == first)
			continue;
		rc = tfs_strbuf_addf(sb, i - first > 1 ? "%s%u-%u" : "%s%u", comma, first, i - 1);
		comma = ",";
	}
	return rc;
}

static void end_threads(struct tfs_sampler *s)
{
	for (size_t i = 0; s->threads && i < s->n; i++) {
		struct sampler_thread *t = &s->threads[i];

		pthread_mutex_lock(&t->lock);
		set_state(t, THREAD_ENDING);
		pthread_cond_signal(&t->wake);
		pthread_mutex_unlock(&t->lock);
	}
	for (size_t i = 0; s->threads && i < s->n; i++) {
		struct sampler_thread *t = &s->threads[i];

		pthread_join(t->thread, NULL);
		pthread_cond_destroy(&t->wake);
		pthread_mutex_destroy(&t->lock);
	}
	s->ended = true;
}

void tfs_sampler_stop(struct tfs_sampler *s, struct tfs_sampler_totals *totals)
{
	if (!s->ended)
		end_threads(s);
	if (!totals)
		return;
	*totals = (struct tfs_sampler_totals){ 0 };
	for (size_t i = 0; i < s->n; i++) {
		const struct sampler_thread *t = &s->threads[i];

		totals->samples += t->samples;
		totals->cpu_ns += t->cpu_ns;
		totals->cpus += t->sampled_ns != 0;
		if (t->sampled_ns > totals->longest_ns)
			totals->longest_ns = t->sampled_ns;
	}
}

void tfs_sampler_free(struct tfs_sampler *s)
{
	if (!s)
		return;
	tfs_sampler_stop(s, NULL);
	sem_destroy(&s->ready);
	free(s->threads);
	free(s->tids);
	free(s);
}
