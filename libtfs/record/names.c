/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/names.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/thread.h"
#include "base/time.h"
#include "record/clocks.h"
#include "record/hit-symbols.h"
#include "record/images.h"
#include "record/jit-map.h"
#include "record/known-tasks.h"
#include "record/map-events.h"
#include "record/names-write.h"
#include "record/tasks.h"
#include "record/user-events.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-records.h"
#include "tracedat/dat-symbols.h"
#include "tracedat/dat-tasks.h"
#include "tracedat/dat-write.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"

/* Everything that happens within this time is looked at together. */
#define TOGETHER_NS 500000
/* Maps of a process in which an address is not found are read again after this time, not before. */
#define AGAIN_NS (20 * NS_PER_MSEC)
#define PATH_SIZE 512
/* Files whose symbols are held for tfs_names_find() */
#define FOUND_MAX 256

/* @lock: of all that follows, while the thread runs */
struct tfs_names {
	const struct tfs_root *root;
	const struct tfs_instance *inst;
	unsigned int cpu;
	struct tfs_user_events *events;
	struct tfs_map_events *maps;
	struct tfs_dat_clock start;
	struct tfs_strbuf comms;
	bool has_comms;
	int stop_fd;
	pthread_t thread;
	bool runs;
	pid_t tid;
	sem_t ready;
	pthread_mutex_t lock;
	struct tfs_images images;
	struct tfs_known_tasks tasks;
	size_t n_hits;
	bool unmapped; /* of the hits: nothing is known to be mapped there, or of the process */
	struct tfs_hit_object *found; /* of tfs_names_find(), by number of the object */
	size_t n_found, n_open;
};

static int add_format(struct tfs_names *n, const char *system, const char *event)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char path[PATH_SIZE];
	int rc = 0;

	if (snprintf(path, sizeof(path), "events/%s/%s/format", system, event) <
		    (int)sizeof(path) &&
	    !tfs_file_read(n->root, path, &text, NULL))
		rc = tfs_user_events_add(n->events, text.s, text.len);
	tfs_strbuf_release(&text);
	return rc;
}

static bool has_user_stacks(const struct tfs_names *n, const struct tfs_instance *inst)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	bool on = !tfs_instance_read(n->root, inst, "options/userstacktrace", &text, NULL) &&
		  *text.s == '1';

	tfs_strbuf_release(&text);
	return on;
}

static bool is_recorded(const struct tfs_strvec *events, const char *system, const char *event)
{
	char name[PATH_SIZE];

	snprintf(name, sizeof(name), "%s:%s", system, event);
	if (tfs_strvec_has(events, name))
		return true;
	snprintf(name, sizeof(name), "%s:*", system);
	return tfs_strvec_has(events, name) || tfs_strvec_has(events, "*:*");
}

/* "p:GROUP/EVENT PATH:OFFSET ARGS", cut into its words; false: a line of another form */
static bool parse_probe(char *line, char **system, char **event)
{
	char *slash;

	if ((*line != 'p' && *line != 'r') || !(*system = strchr(line, ':')))
		return false;
	++*system;
	(*system)[strcspn(*system, " \n")] = '\0';
	slash = strchr(*system, '/');
	if (!slash)
		return false;
	*slash = '\0';
	*event = slash + 1;
	return true;
}

static int add_uprobes(struct tfs_names *n, const struct tfs_strvec *events)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char *line, *next, *system, *event;
	int rc = 0;

	if (!tfs_file_read(n->root, "uprobe_events", &text, NULL))
		for (line = text.len ? text.s : NULL; line && *line && !rc; line = next) {
			next = strchr(line, '\n');
			if (next)
				*next++ = '\0';
			if (parse_probe(line, &system, &event) &&
			    is_recorded(events, system, event))
				rc = add_format(n, system, event);
		}
	tfs_strbuf_release(&text);
	return rc;
}

static int find_events(struct tfs_names *n, const struct tfs_names_opts *opts)
{
	int rc = add_uprobes(n, opts->events);

	for (size_t i = 0; i < opts->n_insts && !rc; i++)
		if (has_user_stacks(n, opts->insts[i]))
			return add_format(n, "ftrace", "user_stack");
	return rc;
}

int tfs_names_new(const struct tfs_names_opts *opts, struct tfs_names **out)
{
	struct tfs_names *n = calloc(1, sizeof(*n));
	bool exact = true;
	int rc;

	if (!n)
		return -ENOMEM;
	n->root = opts->root;
	n->inst = opts->insts[0];
	n->cpu = opts->cpu;
	n->stop_fd = -1;
	tfs_strbuf_init(&n->comms);
	pthread_mutex_init(&n->lock, NULL);
	sem_init(&n->ready, 0, 0);
	n->events = tfs_user_events_new();
	rc = n->events ? find_events(n, opts) : -ENOMEM;
	/* Without the permission there is still /proc. */
	if (!rc && tfs_user_events_wanted(n->events) &&
	    tfs_map_events_new(opts->clock, &n->maps, &exact) == -ENOMEM)
		rc = -ENOMEM;
	n->images.inexact = !exact;
	if (rc)
		tfs_names_free(n);
	else
		*out = n;
	return rc;
}

/* The thread ends after it has taken all that is there. */
static void stop(struct tfs_names *n)
{
	const uint64_t one = 1;

	if (!n->runs)
		return;
	if (write(n->stop_fd, &one, sizeof(one)) == (ssize_t)sizeof(one))
		pthread_join(n->thread, NULL);
	n->runs = false;
}

static void close_found(struct tfs_names *n)
{
	for (size_t i = 0; i < n->n_found; i++)
		tfs_hit_object_release(&n->found[i]);
	n->n_open = 0;
}

void tfs_names_free(struct tfs_names *names)
{
	if (!names)
		return;
	stop(names);
	tfs_close(&names->stop_fd);
	tfs_map_events_free(names->maps);
	tfs_user_events_free(names->events);
	close_found(names);
	free(names->found);
	tfs_images_release(&names->images);
	tfs_known_tasks_release(&names->tasks);
	pthread_mutex_destroy(&names->lock);
	sem_destroy(&names->ready);
	tfs_strbuf_release(&names->comms);
	free(names);
}

struct tfs_user_events *tfs_names_events(const struct tfs_names *names)
{
	return tfs_user_events_wanted(names->events) ? names->events : NULL;
}

static uint64_t trace_now(const struct tfs_names *n)
{
	uint64_t now;

	return tfs_clocks_trace(n->root, n->inst, n->cpu, &now) ? 0 : now;
}

static void on_event(void *context, const struct tfs_map_event *event)
{
	struct tfs_names *n = context;
	struct tfs_map_event e = *event;

	if (n->images.inexact)
		e.ts = trace_now(n);
	tfs_known_tasks_event(&n->tasks, &e);
	tfs_images_event(&n->images, &e);
}

/* When a process that was there before any event of it began; 0: before the recording */
static uint64_t began(const struct tfs_names *n, uint32_t tgid)
{
	struct tfs_dat_clock now = { .width = 0 };
	uint64_t from;

	if (!n->start.trace || tfs_clocks_read(n->root, n->inst, n->cpu, &now))
		return 0;
	from = tfs_tasks_from(tgid, &now);
	return from > n->start.trace ? from : 0;
}

static void read_maps(struct tfs_names *n, uint32_t tgid)
{
	struct tfs_image_process *p = tfs_images_find(&n->images, tgid);

	tfs_images_read(&n->images, tgid, trace_now(n), p && p->n ? 0 : began(n, tgid));
}

/* Since when a JIT map can be of the program that a process runs, ns since 1970 */
static uint64_t program_since(const struct tfs_names *n, const struct tfs_image_process *p)
{
	uint64_t from = p->n ? p->images[p->n - 1].from : 0;

	if (!from || !n->start.trace || from < n->start.trace)
		return 0;
	return n->start.realtime + (from - n->start.trace);
}

/* Code in memory of no file: its program may say what it is. Read in the end, for it goes on. */
static void find_jit(struct tfs_names *n, struct tfs_image_process *p)
{
	uint64_t since = program_since(n, p);
	char path[64];
	long object;
	int fd;

	fd = p->has_ended ? tfs_jit_map_open_at("/", (int)p->tgid, p->uid, since) :
			    tfs_jit_map_open((int)p->tgid, p->uid, since);
	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", p->tgid);
	object = tfs_images_add_object(&n->images, path, TFS_DAT_OBJECT_JIT);
	if (object < 0) {
		tfs_close(&fd);
		return;
	}
	n->images.objects[object].fd = fd;
	p->jit = object;
}

static void take_hit(struct tfs_names *n, const struct tfs_user_hit *hit)
{
	uint32_t tgid = hit->is_thread ? tfs_known_tasks_tgid(&n->tasks, hit->pid) : hit->pid;
	struct tfs_image_process *p = tfs_images_find(&n->images, tgid);
	const struct tfs_dat_map *map;
	uint64_t now;

	if (!tgid)
		return;
	map = p ? tfs_images_map(p, hit->addr) : NULL;
	if (!map && (!p || !p->has_ended)) {
		now = tfs_names_monotonic();
		if (!p || now - p->read_at > AGAIN_NS) {
			read_maps(n, tgid);
			p = tfs_images_find(&n->images, tgid);
			if (p)
				p->read_at = now;
			map = p ? tfs_images_map(p, hit->addr) : NULL;
		}
	}
	if (!p)
		return;
	p->is_hit = true;
	if (map && map->object == TFS_DAT_NO_OBJECT && p->jit < 0)
		find_jit(n, p);
}

static void take_hits(struct tfs_names *n, size_t end)
{
	struct tfs_user_hit hit;

	while (n->n_hits < end && tfs_user_events_hit(n->events, n->n_hits, &hit)) {
		n->n_hits++;
		take_hit(n, &hit);
	}
}

static void collect(struct tfs_names *n)
{
	uint64_t count;
	size_t hits;

	/* Before looking: what comes from now on makes the descriptor readable again. */
	if (read(tfs_user_events_fd(n->events), &count, sizeof(count)) < 0)
		count = 0;
	pthread_mutex_lock(&n->lock);
	/* Maps were there before their addresses were met: those of later hits come next time. */
	hits = tfs_user_events_count(n->events);
	while (n->maps && tfs_map_events_read(n->maps, on_event, n))
		;
	take_hits(n, hits);
	pthread_mutex_unlock(&n->lock);
}

/* Objects stay open: there are few, and all are asked about again. */
static struct tfs_hit_object *open_found(struct tfs_names *n, size_t object, uint64_t offset)
{
	struct tfs_hit_object *h;

	if (object >= n->n_found) {
		h = realloc(n->found, n->images.n_objects * sizeof(*h));
		if (!h)
			return NULL;
		memset(h + n->n_found, 0, (n->images.n_objects - n->n_found) * sizeof(*h));
		n->found = h;
		n->n_found = n->images.n_objects;
	}
	h = &n->found[object];
	if (h->of)
		return h;
	if (n->n_open == FOUND_MAX)
		close_found(n);
	h->offsets = malloc(sizeof(*h->offsets));
	if (!h->offsets)
		return NULL;
	h->offsets[0] = offset;
	h->n = h->cap = 1;
	h->of = &n->images.objects[object];
	n->n_open++;
	return tfs_hit_object_open(h) ? NULL : h;
}

/* The maps of a process that was there before are read when it is first met. */
static const struct tfs_dat_map *find_map(struct tfs_names *n, uint32_t tgid, uint64_t ts,
					  uint64_t addr)
{
	const struct tfs_user_hit hit = { .addr = addr, .pid = tgid };
	const struct tfs_image_process *p = tfs_images_find(&n->images, tgid);
	const struct tfs_image *image = p ? tfs_image_at(p, ts) : NULL;
	const struct tfs_dat_map *map = image ? tfs_image_map(image, addr) : NULL;

	if (map)
		return map;
	take_hit(n, &hit);
	p = tfs_images_find(&n->images, tgid);
	image = p ? tfs_image_at(p, ts) : NULL;
	return image ? tfs_image_map(image, addr) : NULL;
}

bool tfs_names_find(struct tfs_names *names, uint32_t tgid, uint64_t ts, uint64_t addr,
		    bool is_caller, struct tfs_name_at *out)
{
	const struct tfs_dat_map *map;
	struct tfs_hit_object *h;
	struct tfs_dat_symbol sym;

	*out = (struct tfs_name_at){ .path = NULL };
	collect(names);
	pthread_mutex_lock(&names->lock);
	map = find_map(names, tgid, ts, addr);
	if (map && map->object != TFS_DAT_NO_OBJECT) {
		out->path = names->images.objects[map->object].path;
		out->file_offset = addr - map->start + map->offset;
		h = open_found(names, map->object, out->file_offset);
		/* The array of objects may have moved. */
		if (h)
			h->of = &names->images.objects[map->object];
		if (h && tfs_hit_object_find(h, out->file_offset - is_caller, &sym)) {
			out->name = sym.name;
			out->start = sym.start - h->load_bias;
		}
	}
	pthread_mutex_unlock(&names->lock);
	return out->path;
}

static void *names_main(void *arg)
{
	const struct timespec together = { .tv_nsec = TOGETHER_NS };
	struct tfs_names *n = arg;
	size_t n_fds = 2 + tfs_map_events_n_fds(n->maps);
	struct pollfd *fds = calloc(n_fds, sizeof(*fds));

	n->tid = gettid();
	/* Since names were opened others may have filled the rings: COMMAND needs room there. */
	collect(n);
	sem_post(&n->ready);
	while (fds) {
		fds[0] = (struct pollfd){ .fd = n->stop_fd, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = tfs_user_events_fd(n->events), .events = POLLIN };
		if (n->maps)
			tfs_map_events_fds(n->maps, fds + 2);
		if (poll(fds, n_fds, -1) < 0 && errno != EINTR)
			break;
		collect(n);
		if (fds[0].revents)
			break;
		nanosleep(&together, NULL);
	}
	free(fds);
	return NULL;
}

void tfs_names_start(struct tfs_names *names)
{
	names->start.when = TFS_DAT_CLOCK_START;
	if (tfs_clocks_read(names->root, names->inst, names->cpu, &names->start))
		names->start = (struct tfs_dat_clock){ .boottime = tfs_clock_ns(CLOCK_BOOTTIME) };
	if (!tfs_user_events_wanted(names->events))
		return;
	names->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (names->stop_fd < 0)
		return;
	names->runs = !tfs_thread_start(&names->thread, NULL, names_main, names);
	while (names->runs && sem_wait(&names->ready) && errno == EINTR)
		;
}

const struct tfs_dat_clock *tfs_names_started(const struct tfs_names *names)
{
	return &names->start;
}

/* Without memory they have no names. */
void tfs_names_learn_comms(struct tfs_names *names)
{
	tfs_strbuf_reset(&names->comms);
	if (tfs_tasks_comms(names->start.boottime, &names->comms))
		tfs_strbuf_reset(&names->comms);
	names->has_comms = true;
}

const char *tfs_names_comms(struct tfs_names *names)
{
	const bool learned = names->has_comms;

	/* Those of another file are not learned: each has the names of its own end. */
	if (!learned)
		tfs_names_learn_comms(names);
	names->has_comms = learned;
	return names->comms.s;
}

uint64_t tfs_names_lost(struct tfs_names *names)
{
	uint64_t lost;

	pthread_mutex_lock(&names->lock);
	lost = names->unmapped && names->maps ? tfs_map_events_lost(names->maps) : 0;
	pthread_mutex_unlock(&names->lock);
	return lost;
}

pid_t tfs_names_tid(const struct tfs_names *names)
{
	return names->tid;
}

/* Once more for those that live: they may have loaded more since. */
static void read_living(struct tfs_names *n)
{
	for (size_t i = 0; i < n->images.n_processes; i++) {
		struct tfs_image_process *p = n->images.order[i];

		if (p->is_hit && !p->has_ended)
			read_maps(n, p->tgid);
	}
}

static bool is_mapped(struct tfs_names *n, const struct tfs_user_hit *hit)
{
	uint32_t tgid = hit->is_thread ? tfs_known_tasks_tgid(&n->tasks, hit->pid) : hit->pid;
	const struct tfs_image_process *p = tfs_images_find(&n->images, tgid);

	for (size_t i = 0; p && i < p->n; i++)
		if (tfs_image_map(&p->images[i], hit->addr))
			return true;
	return false;
}

static bool has_unmapped(struct tfs_names *n)
{
	struct tfs_user_hit hit;

	for (size_t i = 0; tfs_user_events_hit(n->events, i, &hit); i++)
		if (!is_mapped(n, &hit))
			return true;
	return false;
}

static int write_tasks(const struct tfs_names *n, struct tfs_dat_writer *w, uint64_t *room)
{
	struct tfs_dat_clock end = { .when = TFS_DAT_CLOCK_END };
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_dat_private_begin(&sb);

	if (tfs_clocks_read(n->root, n->inst, n->cpu, &end))
		end.trace = 0;
	if (!rc && n->start.trace)
		rc = tfs_dat_tasks_add_clock(&sb, &n->start);
	if (!rc && end.trace)
		rc = tfs_dat_tasks_add_clock(&sb, &end);
	if (!rc)
		rc = tfs_known_tasks_list(&n->tasks, &end, &sb);
	if (!rc)
		rc = tfs_names_put(w, TFS_DAT_PRIVATE_TASKS, &sb, room);
	tfs_strbuf_release(&sb);
	return rc;
}

int tfs_names_write(struct tfs_names *names, struct tfs_dat_writer *writer, uint64_t room)
{
	int rc;

	if (!tfs_names_events(names))
		return write_tasks(names, writer, &room);
	collect(names);
	pthread_mutex_lock(&names->lock);
	read_living(names);
	names->unmapped = has_unmapped(names);
	rc = write_tasks(names, writer, &room);
	if (!rc)
		rc = tfs_names_write_images(&names->images, &names->tasks, names->events, writer,
					    &room);
	pthread_mutex_unlock(&names->lock);
	return rc;
}
