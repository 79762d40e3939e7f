/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/perfetto-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/macros.h"
#include "decode/trace.h"
#include "symbolize/symbolize.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-tasks.h"
#include "tracedat/dat-uname.h"

/* Fields of the packets at the beginning and at the end */
enum { SNAPSHOT_CLOCK = 1, SNAPSHOT_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { CLOCK_REALTIME = 1, CLOCK_MONOTONIC = 3, CLOCK_BOOTTIME = 6 };
enum { TREE_PROCESS = 1, TREE_THREAD = 2 };
enum { PROCESS_PID = 1, PROCESS_PPID = 2, PROCESS_CMDLINE = 3, PROCESS_NSPID = 6 };
enum { PROCESS_IS_KTHREAD = 8, PROCESS_CMDLINE_IS_COMM = 9 };
enum { THREAD_TID = 1, THREAD_NAME = 2, THREAD_TGID = 3, THREAD_NSTID = 4 };
/* As many stay far below the limit of a packet. */
#define TASKS_OF_PACKET 100
enum { SYSTEM_UTSNAME = 1, SYSTEM_CPUS = 8, SYSTEM_MACHINE_NAME = 17 };
enum { UTSNAME_SYSTEM = 1, UTSNAME_VERSION = 2, UTSNAME_RELEASE = 3, UTSNAME_MACHINE = 4 };
enum { UUID_MSB = 1, UUID_LSB = 2 };
enum { ATTRIBUTES_ATTRIBUTE = 1, ATTRIBUTE_KEY = 1, ATTRIBUTE_LONG = 2, ATTRIBUTE_STRING = 3 };
enum { STATS_PHASE = 1, STATS_CPU = 2, PHASE_END = 2 };
enum {
	CPU_NUMBER = 1,
	CPU_ENTRIES = 2,
	CPU_OVERRUN = 3,
	CPU_COMMIT_OVERRUN = 4,
	CPU_DROPPED = 8,
	CPU_READ = 9
};

bool tfs_perfetto_knows_syscalls(const struct perfetto_machine *m)
{
	/* src/kernel_utils/syscall_table.h, and the names that uname has for them */
	static const char *const machines[] = { "x86_64", "x86",     "i386",  "i486", "i586",
						"i686",   "aarch64", "arm64", "armv", "arm" };
	struct tfs_dat_uname uname;

	if (!tfs_dat_uname(tfs_trace_dat(m->trace), &uname))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		size_t len = strlen(machines[i]);

		if (!strncmp(uname.word[TFS_UNAME_MACHINE].s, machines[i], len) &&
		    (uname.word[TFS_UNAME_MACHINE].len == len || !strcmp(machines[i], "armv")))
			return true;
	}
	return false;
}

static void put_clock(struct tfs_proto *p, unsigned int id, uint64_t ts)
{
	tfs_proto_open(p, SNAPSHOT_CLOCK);
	tfs_proto_uint(p, CLOCK_ID, id);
	tfs_proto_uint(p, CLOCK_TIMESTAMP, ts);
	tfs_proto_close(p);
}

/* The readings are of the recorder's clock: other time stamps have nothing to do with them. */
static const struct tfs_dat_clock *first_reading(const struct perfetto *pf,
						 const struct perfetto_machine *m)
{
	const struct tfs_dat *dat = tfs_trace_dat(m->trace);
	size_t n = 0;
	const struct tfs_dat_clock *clocks = m->symbolize ? tfs_symbolize_clocks(m->symbolize, &n) :
							    NULL;

	if (!n || pf->flags & TFS_PERFETTO_NO_CLOCKS ||
	    tfs_dat_option_last(dat, TFS_DAT_TIME_SHIFT) ||
	    tfs_dat_option_last(dat, TFS_DAT_TSC2NSEC) || tfs_dat_option_last(dat, TFS_DAT_OFFSET))
		return NULL;
	return clocks;
}

/* Time stamps are taken for those of BOOTTIME, whatever the clock: they stay as they are. */
static int put_clocks(struct perfetto *pf, struct perfetto_machine *m, uint64_t ts)
{
	const struct tfs_dat_clock *reading = first_reading(pf, m);
	struct tfs_proto *p = tfs_packets_begin(pf->packets, &m->meta);

	tfs_proto_open(p, TFS_PACKET_CLOCK_SNAPSHOT);
	put_clock(p, CLOCK_BOOTTIME, reading ? reading->trace : ts);
	if (reading) {
		put_clock(p, CLOCK_REALTIME, reading->realtime);
		put_clock(p, CLOCK_MONOTONIC, reading->monotonic);
	}
	tfs_proto_uint(p, SNAPSHOT_PRIMARY, CLOCK_BOOTTIME);
	tfs_proto_close(p);
	return tfs_packets_end(pf->packets);
}

/* Readers leave out a process without a name: that of its events, or that it is unknown */
static const char *name_of(const struct perfetto_machine *m, const struct tfs_dat_task *t)
{
	return *t->exe ? t->exe : *t->comm ? t->comm : tfs_trace_comm(m->trace, (int)t->tid);
}

static void put_task(const struct perfetto_machine *m, struct tfs_proto *p,
		     const struct tfs_dat_task *t)
{
	bool process = t->tid == t->tgid;

	tfs_proto_open(p, process ? TREE_PROCESS : TREE_THREAD);
	if (process) {
		tfs_proto_uint(p, PROCESS_PID, t->tid);
		tfs_proto_uint(p, PROCESS_PPID, t->ppid);
		tfs_proto_string(p, PROCESS_CMDLINE, name_of(m, t));
		if (t->nspid)
			tfs_proto_uint(p, PROCESS_NSPID, t->nspid);
		tfs_proto_uint(p, PROCESS_IS_KTHREAD, !!(t->flags & TFS_DAT_TASK_KERNEL));
		if (!*t->exe)
			tfs_proto_uint(p, PROCESS_CMDLINE_IS_COMM, 1);
	} else {
		tfs_proto_uint(p, THREAD_TID, t->tid);
		tfs_proto_string(p, THREAD_NAME,
				 *t->comm ? t->comm : tfs_trace_comm(m->trace, (int)t->tid));
		tfs_proto_uint(p, THREAD_TGID, t->tgid);
		if (t->nspid)
			tfs_proto_uint(p, THREAD_NSTID, t->nspid);
	}
	tfs_proto_close(p);
}

/* Tasks whose process is known; of a number that was used again the last one */
static int put_tasks(struct perfetto *pf, struct perfetto_machine *m, uint64_t ts)
{
	size_t n = 0, i = 0;
	const struct tfs_dat_task *tasks = m->symbolize ? tfs_symbolize_tasks(m->symbolize, &n) :
							  NULL;
	int rc = 0;

	while (i < n && !rc) {
		struct tfs_proto *p = tfs_packets_begin(pf->packets, &m->meta);
		size_t end = n - i > TASKS_OF_PACKET ? i + TASKS_OF_PACKET : n;

		tfs_proto_uint(p, TFS_PACKET_TIMESTAMP, ts);
		tfs_proto_open(p, TFS_PACKET_PROCESS_TREE);
		for (; i < end; i++)
			if (i + 1 == n || tasks[i + 1].tid != tasks[i].tid)
				put_task(m, p, &tasks[i]);
		tfs_proto_close(p);
		rc = tfs_packets_end(pf->packets);
	}
	return rc;
}

/* Readers decode states of tasks by the release and system calls by the machine. */
static int put_system(struct perfetto *pf, struct perfetto_machine *m)
{
	const struct tfs_dat *dat = tfs_trace_dat(m->trace);
	struct tfs_proto *p = tfs_packets_begin(pf->packets, &m->meta);
	struct tfs_dat_uname uname;
	bool has_names = tfs_dat_uname(dat, &uname);

	tfs_proto_open(p, TFS_PACKET_SYSTEM_INFO);
	if (has_names) {
		tfs_proto_open(p, SYSTEM_UTSNAME);
		tfs_proto_text(p, UTSNAME_SYSTEM, uname.word[TFS_UNAME_SYSNAME].s,
			       uname.word[TFS_UNAME_SYSNAME].len);
		tfs_proto_text(p, UTSNAME_RELEASE, uname.word[TFS_UNAME_RELEASE].s,
			       uname.word[TFS_UNAME_RELEASE].len);
		tfs_proto_text(p, UTSNAME_MACHINE, uname.word[TFS_UNAME_MACHINE].s,
			       uname.word[TFS_UNAME_MACHINE].len);
		tfs_proto_close(p);
	}
	tfs_proto_uint(p, SYSTEM_CPUS, tfs_dat_info(dat)->cpus);
	if (has_names)
		tfs_proto_text(p, SYSTEM_MACHINE_NAME, uname.word[TFS_UNAME_NODENAME].s,
			       uname.word[TFS_UNAME_NODENAME].len);
	tfs_proto_close(p);
	return tfs_packets_end(pf->packets);
}

/* The same in each file of a recording: of its options, and its first time stamp */
static uint64_t make_uuid(const struct tfs_dat *dat, uint64_t ts)
{
	uint64_t hash = tfs_hash64(TFS_HASH64_INIT, &ts, sizeof(ts));

	for (size_t i = 0; i < tfs_dat_n_options(dat); i++)
		hash = tfs_hash64(hash, tfs_dat_option(dat, i)->data.data,
				  tfs_dat_option(dat, i)->data.size);
	return hash;
}

static int put_uuid(struct perfetto *pf)
{
	struct tfs_proto *p = tfs_packets_begin(pf->packets, &pf->machine[0].meta);
	uint64_t hash = TFS_HASH64_INIT;

	for (size_t i = 0; i < pf->n; i++)
		hash = tfs_hash64(hash, &pf->machine[i].uuid, sizeof(pf->machine[i].uuid));
	tfs_proto_open(p, TFS_PACKET_TRACE_UUID);
	tfs_proto_uint(p, UUID_MSB, pf->machine[0].uuid);
	tfs_proto_uint(p, UUID_LSB, hash);
	tfs_proto_close(p);
	return tfs_packets_end(pf->packets);
}

static void put_string(struct tfs_proto *p, const char *key, const char *value)
{
	tfs_proto_open(p, ATTRIBUTES_ATTRIBUTE);
	tfs_proto_string(p, ATTRIBUTE_KEY, key);
	tfs_proto_string(p, ATTRIBUTE_STRING, value);
	tfs_proto_close(p);
}

/* Only what is there */
static void put_count(struct tfs_proto *p, const char *key, uint64_t n)
{
	if (!n)
		return;
	tfs_proto_open(p, ATTRIBUTES_ATTRIBUTE);
	tfs_proto_string(p, ATTRIBUTE_KEY, key);
	tfs_proto_uint(p, ATTRIBUTE_LONG, n);
	tfs_proto_close(p);
}

static int put_origin(struct perfetto *pf, struct perfetto_machine *m)
{
	const struct tfs_dat *dat = tfs_trace_dat(m->trace);
	const struct tfs_dat_option *version = tfs_dat_option_last(dat, TFS_DAT_VERSION);
	struct tfs_proto *p = tfs_packets_begin(pf->packets, &m->meta);

	tfs_proto_open(p, TFS_PACKET_ATTRIBUTES);
	put_string(p, "tracecraft.file", m->file);
	if (tfs_dat_n_buffers(dat) && *tfs_dat_buffer(dat, 0)->clock)
		put_string(p, "tracecraft.clock", tfs_dat_buffer(dat, 0)->clock);
	if (version)
		put_string(p, "tracecraft.recorded_by", version->data.data);
	tfs_proto_close(p);
	return tfs_packets_end(pf->packets);
}

int tfs_perfetto_begin(struct perfetto *pf, uint64_t ts)
{
	int rc = 0;

	pf->begun = true;
	for (size_t i = 0; i < pf->n && !rc; i++) {
		struct perfetto_machine *m = &pf->machine[i];

		m->uuid = make_uuid(tfs_trace_dat(m->trace), ts);
		rc = put_clocks(pf, m, ts);
		if (!rc)
			rc = put_system(pf, m);
		if (!rc)
			rc = put_tasks(pf, m, ts);
	}
	if (!rc)
		rc = put_uuid(pf);
	for (size_t i = 0; i < pf->n && !rc; i++)
		rc = put_origin(pf, &pf->machine[i]);
	return rc;
}

static void put_cpu_stats(struct tfs_proto *p, const struct tfs_dat_lost *lost)
{
	tfs_proto_open(p, STATS_CPU);
	tfs_proto_uint(p, CPU_NUMBER, lost->cpu);
	tfs_proto_uint(p, CPU_ENTRIES, lost->unread);
	tfs_proto_uint(p, CPU_OVERRUN, lost->overrun);
	tfs_proto_uint(p, CPU_COMMIT_OVERRUN, lost->commit_overrun);
	tfs_proto_uint(p, CPU_DROPPED, lost->dropped);
	tfs_proto_uint(p, CPU_READ, lost->events);
	tfs_proto_close(p);
}

/* The kernel's counters of the first buffer, where the recorder stored them */
static int put_stats(struct perfetto *pf, struct perfetto_machine *m)
{
	const struct tfs_dat *dat = tfs_trace_dat(m->trace);
	const struct tfs_dat_buffer *b = tfs_dat_n_buffers(dat) ? tfs_dat_buffer(dat, 0) : NULL;
	struct tfs_dat_lost lost;
	struct tfs_proto *p;

	if (!b || !b->n_cpus || tfs_dat_lost_find(dat, 0, b->cpus[0].cpu, &lost) != 1)
		return 0;
	p = tfs_packets_begin(pf->packets, &m->meta);
	tfs_proto_open(p, TFS_PACKET_FTRACE_STATS);
	tfs_proto_uint(p, STATS_PHASE, PHASE_END);
	for (size_t i = 0; i < b->n_cpus; i++)
		if (b->cpus[i].cpu < PERFETTO_CPUS &&
		    tfs_dat_lost_find(dat, 0, b->cpus[i].cpu, &lost) == 1)
			put_cpu_stats(p, &lost);
	tfs_proto_close(p);
	return tfs_packets_end(pf->packets);
}

/* Everything that is not in the file as it is in the recording */
static int put_counts(struct perfetto *pf, struct perfetto_machine *m)
{
	const struct perfetto_counts *c = &m->counts;
	struct tfs_proto *p = tfs_packets_begin(pf->packets, &m->meta);

	tfs_proto_open(p, TFS_PACKET_ATTRIBUTES);
	put_count(p, "tracecraft.events", c->events);
	put_count(p, "tracecraft.samples", c->samples);
	put_count(p, "tracecraft.sampled_ns", c->sampled_ns);
	put_count(p, "tracecraft.stacks", c->stacks);
	put_count(p, "tracecraft.slices", c->spans);
	put_count(p, "tracecraft.frames_without_room",
		  m->input ? 0 : tfs_perfetto_stacks_cut(pf->stacks));
	put_count(p, "tracecraft.lost_events", c->lost);
	put_count(p, "tracecraft.losses", c->losses);
	put_count(p, "tracecraft.losses_not_counted", c->uncounted);
	put_count(p, "tracecraft.cpus_without_last_events", c->missing);
	put_count(p, "tracecraft.events_without_format", c->unknown);
	put_count(p, "tracecraft.events_of_cpus_above_1023", c->far_cpus);
	put_count(p, "tracecraft.sched_wakeup_as_sched_waking", c->woken);
	put_count(p, "tracecraft.calls_cut_by_losses_or_the_end", c->cut);
	put_count(p, "tracecraft.returns_without_call", c->unmatched);
	put_count(p, "tracecraft.calls_too_deep", c->deep);
	put_count(p, "tracecraft.sched_switch_made_between_threads_of_the_recorder", c->made);
	tfs_proto_close(p);
	return tfs_packets_end(pf->packets);
}

int tfs_perfetto_finish(struct perfetto *pf)
{
	int rc = 0;

	for (size_t i = 0; i < pf->n && !rc; i++) {
		rc = put_stats(pf, &pf->machine[i]);
		if (!rc)
			rc = put_counts(pf, &pf->machine[i]);
	}
	return rc;
}
