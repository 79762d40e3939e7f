/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/time.h"
#include "record/buffer.h"
#include "record/count-events.h"
#include "record/meta.h"
#include "record/near.h"
#include "record/tasks.h"
#include "tracedat/blocks.h"
#include "tracedat/compress.h"
#include "tracedat/dat-buffer.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-write.h"
#include "tracedat/event-source.h"
#include "tracefs/event.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/root.h"

/* Reading the names of all threads takes one part in so many of the time. */
#define NAMES_SHARE 100
#define PATH_SIZE 512
#define NS_PER_MS UINT64_C(1000000)
/* Sub-buffers of a CPU that were read and not taken: beyond that the ring buffer keeps them. */
#define QUEUE_MAX 256

/* A sub-buffer, and the pass that read it */
struct queued {
	struct tfs_block *block;
	uint64_t pass;
};

struct live_cpu {
	struct live *live;
	unsigned int number;
	char path[PATH_SIZE];
	int fd;                         /* with @keep_open; -1: it is opened for each read */
	struct queued queue[QUEUE_MAX]; /* a ring: @n from @first on */
	size_t first, n;
	struct queued taken;     /* the page given last; no block: none */
	struct tfs_block *spare; /* for the next read */
	struct tfs_blocks *retired;
	uint64_t drained; /* the last pass that left nothing */
	uint64_t events;  /* that were read */
	uint64_t dropped; /* of the kernel's counter, when it was opened */
};

struct live {
	struct tfs_event_source source;
	const struct tfs_root *root;
	const struct tfs_instance *inst;
	const struct tfs_strvec *events;
	bool keep_open;
	int epoll; /* of all CPUs that can be waited for; -1: none */
	int (*tick)(void *context, struct tfs_err *err);
	int (*page)(void *context, unsigned int cpu, const void *page, struct tfs_err *err);
	void *context;
	struct tfs_record_buffer buffer;
	struct live_cpu *cpus; /* one each of @buffer.cpus */
	struct tfs_near near;  /* if @follow */
	bool follow;
	unsigned int *numbers; /* of @cpus, for @near */
	size_t *found;         /* sub-buffers of each that this update read */
	uint64_t pass;
	uint64_t names_at; /* CLOCK_BOOTTIME: not before then the names of all threads again */
	bool full;         /* a pass left something, because the queue was full */
	bool removed;
};

static struct live *to_live(struct tfs_event_source *source)
{
	return (struct live *)source;
}

static int open_cpu(struct tfs_event_source *source, size_t buffer, size_t index, void **cpu,
		    struct tfs_err *err)
{
	(void)buffer;
	(void)err;
	*cpu = &to_live(source)->cpus[index];
	return 0;
}

/* Done with the page given last: others may still use it, when they said so. */
static void drop_taken(struct live_cpu *c)
{
	struct tfs_block *block = c->taken.block;

	c->taken.block = NULL;
	if (!block)
		return;
	if (c->retired)
		tfs_blocks_add(c->retired, block);
	else if (!c->spare)
		c->spare = block;
	else
		free(block);
}

static void drop_page(void *cpu)
{
	drop_taken(cpu);
}

static void close_cpu(void *cpu)
{
	struct live_cpu *c = cpu;

	if (!c)
		return;
	c->retired = NULL;
	drop_taken(c);
}

static int next_page(void *cpu, struct tfs_source_page *page, struct tfs_err *err)
{
	struct live_cpu *c = cpu;

	(void)err;
	if (!c->n)
		return 0;
	drop_taken(c);
	c->taken = c->queue[c->first];
	c->first = (c->first + 1) % QUEUE_MAX;
	c->n--;
	page->data = c->taken.block->mem;
	page->limit = c->taken.block->mem + c->live->buffer.subbuf.size;
	page->end = page->limit;
	page->offset = 0;
	return 1;
}

static void retire_to(void *cpu, struct tfs_blocks *blocks)
{
	((struct live_cpu *)cpu)->retired = blocks;
}

/*
 * A CPU without anything in its queue may have had an event since it was last empty; all that was
 * read before that pass is not later than such an event.
 */
static bool is_complete(const void *cpu)
{
	const struct live_cpu *c = cpu;
	const struct live *live = c->live;

	for (size_t i = 0; i < live->buffer.n_cpus; i++)
		if (!live->cpus[i].n && live->cpus[i].drained <= c->taken.pass)
			return false;
	return true;
}

static bool is_on(const struct live *live)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	bool on = !tfs_instance_read(live->root, live->inst, "tracing_on", &text, NULL) &&
		  text.s[0] == '1';

	tfs_strbuf_release(&text);
	return on;
}

/* Read into the spare block: 1, 0 when nothing is left, -errno */
static int read_page(struct live_cpu *c, int fd)
{
	const size_t size = c->live->buffer.subbuf.size;
	ssize_t got;

	if (!c->spare)
		c->spare = tfs_block_new(c->retired, size);
	if (!c->spare)
		return -ENOMEM;
	do
		got = read(fd, c->spare->mem, size);
	while (got < 0 && errno == EINTR);
	/* A CPU that was not online yet has no ring buffer: tests/vm/t-live.sh. */
	if (got < 0)
		return errno == EAGAIN || errno == ENODEV ? 0 : -errno;
	if (got > 0)
		memset(c->spare->mem + got, 0, size - (size_t)got);
	return got > 0;
}

/* The spare block holds the next sub-buffer. */
static int queue_page(struct live_cpu *c, struct tfs_err *err)
{
	struct live *live = c->live;
	int rc = live->page ? live->page(live->context, c->number, c->spare->mem, err) : 0;

	if (rc)
		return rc;
	c->events += tfs_count_events(&live->buffer.subbuf, c->spare->mem, live->buffer.subbuf.size,
				      NULL, NULL);
	c->queue[(c->first + c->n++) % QUEUE_MAX] = (struct queued){ c->spare, live->pass };
	c->spare = NULL;
	return 0;
}

/* All that the CPU has, or that its queue has room for */
static int read_cpu(struct live_cpu *c, struct tfs_err *err)
{
	struct live *live = c->live;
	int fd = c->fd, rc = 0, failed = 0;

	if (fd < 0)
		rc = tfs_file_open(live->root, c->path, O_RDONLY | O_NONBLOCK, &fd, err);
	if (rc)
		return rc;
	c->fd = live->keep_open ? fd : -1;
	while (c->n < QUEUE_MAX && !failed && (rc = read_page(c, fd)) > 0)
		failed = queue_page(c, err);
	if (c->fd < 0)
		tfs_close(&fd);
	if (failed)
		return failed;
	if (rc < 0)
		return tfs_err_set(err, rc, "cannot read '%s/%s'", tfs_root_path(live->root),
				   c->path);
	if (rc > 0)
		live->full = true;
	else if (c->n < QUEUE_MAX)
		c->drained = live->pass;
	return 0;
}

/* Read all CPUs. Return: 1 when something came, 0, -errno */
static int read_all(struct live *live, struct tfs_err *err)
{
	int rc = 0, any = 0;

	live->pass++;
	for (size_t i = 0; i < live->buffer.n_cpus && !rc; i++) {
		struct live_cpu *c = &live->cpus[i];
		size_t before = c->n;

		rc = read_cpu(c, err);
		any |= c->n > before;
		if (live->follow)
			live->found[i] += c->n - before;
	}
	if (!rc && live->keep_open)
		return any;
	if (!rc || tfs_instance_exists(live->root, live->inst))
		return rc ? rc : any;
	tfs_err_clear(err);
	live->removed = true;
	return any;
}

/* A CPU that is not online cannot be waited for: poll answers with an error at once. */
static void drop_unready(struct live *live)
{
	struct epoll_event events[16];
	int n = live->epoll >= 0 ? epoll_wait(live->epoll, events, ARRAY_SIZE(events), 0) : 0;

	for (int i = 0; i < n; i++)
		if (!(events[i].events & EPOLLIN))
			epoll_ctl(live->epoll, EPOLL_CTL_DEL, events[i].data.fd, NULL);
}

/* To where this update found the most; then nothing is found yet. */
static void follow(struct live *live)
{
	const size_t n = live->buffer.n_cpus;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	tfs_near_move(&live->near, tfs_near_choose(live->numbers, live->found, n),
		      (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec,
		      TFS_LIVE_TICK_MS * NS_PER_MS);
	memset(live->found, 0, n * sizeof(*live->found));
}

static int update(struct tfs_event_source *source, struct tfs_err *err)
{
	struct live *live = to_live(source);
	int rc = live->tick ? live->tick(live->context, err) : 0;

	if (rc < 0)
		return rc;
	source->stop |= rc > 0;
	source->updates++;
	live->full = false;
	drop_unready(live);
	rc = read_all(live, err);
	if (rc > 0 && !live->removed) {
		int rc2 = read_all(live, err);

		rc = rc2 < 0 ? rc2 : rc;
	} else if (!rc && !live->removed && !live->full && !is_on(live)) {
		/* Nothing came since it is off, unless it came just before. */
		rc = read_all(live, err);
		source->ended = !rc && !live->full;
	}
	if (rc < 0)
		return rc;
	if (live->follow)
		follow(live);
	source->ended |= source->stop || live->removed;
	/* Data left in the ring buffer may be overwritten: no pause. */
	source->pause_ms = live->full ? 0 : TFS_LIVE_TICK_MS;
	return 0;
}

static int task_names(struct tfs_event_source *source, struct tfs_strbuf *text)
{
	struct live *live = to_live(source);
	uint64_t now = tfs_clock_ns(CLOCK_BOOTTIME);
	int rc = 0;

	/* The last name of a task counts: the kernel's is as new as the task's last switch. */
	if (source->names_living && now >= live->names_at) {
		rc = tfs_tasks_comms(now, text);
		live->names_at = now + NAMES_SHARE * (tfs_clock_ns(CLOCK_BOOTTIME) - now);
	}
	return rc ? rc : tfs_file_read(live->root, "saved_cmdlines", text, NULL);
}

static void free_source(struct tfs_event_source *source)
{
	struct live *live = to_live(source);

	for (size_t i = 0; live->cpus && i < live->buffer.n_cpus; i++) {
		struct live_cpu *c = &live->cpus[i];

		close_cpu(c);
		tfs_close(&c->fd);
		for (size_t k = 0; k < c->n; k++)
			free(c->queue[(c->first + k) % QUEUE_MAX].block);
		free(c->spare);
	}
	if (live->follow)
		tfs_near_release(&live->near);
	tfs_close(&live->epoll);
	free(live->numbers);
	free(live->found);
	free(live->cpus);
	tfs_record_buffer_release(&live->buffer);
	free(live);
}

static const struct tfs_event_source_ops live_ops = {
	.open = open_cpu,
	.close = close_cpu,
	.page = next_page,
	.retire_to = retire_to,
	.retire = drop_page,
	.update = update,
	.is_complete = is_complete,
	.task_names = task_names,
	.free = free_source,
};

static int set_up_cpus(struct live *live, struct tfs_err *err)
{
	struct tfs_cpu_stats before;
	char file[64];
	int rc = 0;

	live->cpus = calloc(live->buffer.n_cpus, sizeof(*live->cpus));
	if (!live->cpus)
		return tfs_err_set(err, -ENOMEM, "cannot read the ring buffers");
	for (size_t i = 0; i < live->buffer.n_cpus; i++)
		live->cpus[i].fd = -1;
	for (size_t i = 0; i < live->buffer.n_cpus && !rc; i++) {
		struct live_cpu *c = &live->cpus[i];

		c->live = live;
		c->number = live->buffer.cpus[i].number;
		snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw",
			 live->buffer.cpus[i].number);
		rc = tfs_instance_path(live->inst, file, c->path, sizeof(c->path));
		if (!tfs_cpu_stats_read(live->root, live->inst, c->number, NULL, &before))
			c->dropped = before.dropped;
	}
	tfs_record_buffer_begin(&live->buffer);
	return rc ? tfs_err_set(err, rc, "cannot read the ring buffers") : 0;
}

static int set_up_follow(struct live *live, struct tfs_err *err)
{
	const size_t n = live->buffer.n_cpus;

	live->numbers = calloc(n, sizeof(*live->numbers));
	live->found = calloc(n, sizeof(*live->found));
	if (!live->numbers || !live->found)
		return tfs_err_set(err, -ENOMEM, "cannot read the ring buffers");
	for (size_t i = 0; i < n; i++)
		live->numbers[i] = live->cpus[i].number;
	tfs_near_init(&live->near);
	live->follow = true;
	return 0;
}

static int wait_for_cpus(struct live *live, struct tfs_err *err)
{
	int rc = 0;

	live->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (live->epoll < 0)
		return tfs_err_set(err, -errno, "cannot wait for the ring buffers");
	for (size_t i = 0; i < live->buffer.n_cpus && !rc; i++) {
		struct live_cpu *c = &live->cpus[i];
		struct epoll_event event = { .events = EPOLLIN };

		rc = tfs_file_open(live->root, c->path, O_RDONLY | O_NONBLOCK, &c->fd, err);
		event.data.fd = c->fd;
		if (!rc && epoll_ctl(live->epoll, EPOLL_CTL_ADD, c->fd, &event))
			rc = tfs_err_set(err, -errno, "cannot wait for the ring buffers");
	}
	return rc;
}

/* Without a list all events, for more may be switched on meanwhile. */
static int write_head(const struct live *live, struct tfs_dat_writer *w, struct tfs_err *err)
{
	struct tfs_strvec events = TFS_STRVEC_INIT;
	const struct tfs_meta_head head = {
		.root = live->root,
		.inst = live->inst,
		.events = live->events ? live->events : &events,
		.n_cpus = live->buffer.cpus[live->buffer.n_cpus - 1].number + 1,
		.no_symbols = true,
	};
	int rc = live->events ? 0 : tfs_event_list(live->root, &events, err);

	if (!rc)
		rc = tfs_meta_write_head(w, &head, err);
	if (!rc)
		rc = tfs_meta_write_cmdlines(w, live->root, NULL, err);
	tfs_strvec_release(&events);
	return rc ? rc : tfs_dat_writer_head(w, err);
}

/* The metadata that a recording begins with, in a file in memory */
static int make_head(const struct live *live, int fd, struct tfs_err *err)
{
	struct tfs_codec *codec = NULL;
	struct tfs_dat_writer *w = NULL;
	int rc = tfs_codec_new(TFS_CODEC_NONE, 0, &codec, err);

	if (!rc)
		rc = tfs_dat_writer_new(fd, codec, live->buffer.subbuf.size, &w, err);
	if (!rc)
		rc = write_head(live, w, err);
	tfs_dat_writer_free(w);
	tfs_codec_free(codec);
	return rc;
}

static int add_buffer(const struct live *live, struct tfs_dat *dat, struct tfs_err *err)
{
	struct tfs_dat_buffer_desc desc = {
		.name = "",
		.clock = live->buffer.clock.s,
		.page_size = live->buffer.subbuf.size,
		.n_cpus = live->buffer.n_cpus,
	};

	desc.cpus = calloc(desc.n_cpus, sizeof(*desc.cpus));
	if (!desc.cpus)
		return tfs_err_set(err, -ENOMEM, "cannot read the ring buffers");
	for (size_t i = 0; i < desc.n_cpus; i++)
		desc.cpus[i].cpu = live->buffer.cpus[i].number;
	return tfs_dat_buffer_add(dat, &desc, err);
}

static int read_symbols(struct tfs_strbuf *text)
{
	return tfs_read_path("/proc/kallsyms", text);
}

static int open_dat(const struct live *live, struct tfs_dat **dat, struct tfs_err *err)
{
	int fd = memfd_create("tracefs", MFD_CLOEXEC);
	int rc;

	if (fd < 0)
		return tfs_err_set(err, -errno, "cannot collect the formats of events");
	rc = make_head(live, fd, err);
	if (rc) {
		tfs_close(&fd);
		return rc;
	}
	rc = tfs_dat_open_fd(fd, *live->inst->name ? live->inst->name : "tracefs", dat, err);
	if (!rc)
		rc = add_buffer(live, *dat, err);
	if (!rc && tfs_dat_read_symbols(*dat, read_symbols))
		rc = tfs_err_set(err, -ENOMEM, "cannot collect the formats of events");
	if (rc) {
		tfs_dat_free(*dat);
		*dat = NULL;
	}
	return rc;
}

int tfs_live_open(const struct tfs_live_opts *opts, struct tfs_dat **dat,
		  struct tfs_event_source **out, struct tfs_err *err)
{
	struct live *live = calloc(1, sizeof(*live));
	int rc;

	*dat = NULL;
	if (!live)
		return tfs_err_set(err, -ENOMEM, "cannot read the ring buffers");
	live->root = opts->root;
	live->inst = opts->inst;
	live->events = opts->events;
	live->keep_open = opts->keep_open;
	live->epoll = -1;
	live->tick = opts->tick;
	live->page = opts->page;
	live->context = opts->context;
	rc = tfs_record_buffer_init(&live->buffer, opts->root, opts->inst, NULL, err);
	if (!rc)
		rc = set_up_cpus(live, err);
	if (!rc && opts->follow)
		rc = set_up_follow(live, err);
	if (!rc && opts->at_once)
		rc = wait_for_cpus(live, err);
	if (!rc)
		rc = open_dat(live, dat, err);
	live->source = (struct tfs_event_source){
		.ops = &live_ops,
		.dat = *dat,
		.pause_ms = TFS_LIVE_TICK_MS,
		.stop_fd = opts->stop_fd,
		.wake_fd = live->epoll,
	};
	if (rc)
		free_source(&live->source);
	else
		*out = &live->source;
	return rc;
}

/* The kernel counts as read also what others read, which did not come from here. */
static void add_taken(const struct live *live, size_t i, struct tfs_dat_lost *lost)
{
	const struct tfs_record_cpu *cpu = &live->buffer.cpus[i];
	const uint64_t own = live->cpus[i].events;

	if (!cpu->has_stats)
		return;
	if (cpu->stats.read > own)
		lost->taken += cpu->stats.read - own;
	if (cpu->stats.read < own || cpu->emptied)
		lost->signs |= TFS_DAT_LOST_EMPTIED;
	if (cpu->stats.dropped > live->cpus[i].dropped)
		lost->dropped += cpu->stats.dropped - live->cpus[i].dropped;
}

static bool is_other_clock(const struct live *live)
{
	struct tfs_strbuf now = TFS_STRBUF_INIT;
	bool other = !tfs_meta_clock(live->root, live->inst, &now, NULL) &&
		     strcmp(now.s, live->buffer.clock.s) != 0;

	tfs_strbuf_release(&now);
	return other;
}

struct tfs_dat_lost tfs_live_lost(struct tfs_event_source *source)
{
	struct live *live = to_live(source);
	struct tfs_dat_lost lost = { .taken = 0 };

	if (live->removed)
		return lost;
	tfs_record_buffer_count(&live->buffer);
	lost.signs = is_other_clock(live) ? TFS_DAT_LOST_CLOCK : 0;
	for (size_t i = 0; i < live->buffer.n_cpus; i++)
		add_taken(live, i, &lost);
	return lost;
}

bool tfs_live_was_removed(const struct tfs_event_source *source)
{
	return ((const struct live *)source)->removed;
}
