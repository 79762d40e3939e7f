/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/map-events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/io.h"
#include "base/macros.h"

/*
 * For each CPU: some 5000 records, or as many as a user without privileges may have there. They are
 * read at once, unless this process has to wait for a CPU. Powers of two
 */
#define RING_BYTES (512 * 1024)
#define RING_BYTES_LEAST (64 * 1024)
/* pid, tid, time: what sample_id_all appends */
#define SAMPLE_ID_BYTES 16
#define FORMAT_LOST (1u << 4) /* PERF_FORMAT_LOST, which older headers lack */
#define BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* @lost: as records of the ring say */
struct ring {
	int fd;
	uint64_t lost;
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;
	uint64_t tail;
};

/* @waiting: events that were read, @n_waiting of them; their names are theirs; @lost: for memory */
struct tfs_map_events {
	struct ring *rings;
	size_t n;
	bool exact;
	struct tfs_map_event *waiting;
	size_t n_waiting, cap_waiting;
	uint64_t lost;
	unsigned char record[UINT16_MAX + 1];
};

/* The clock of perf that is the trace clock; false: it has none. @id -1: its own */
static bool find_clock(const char *clock, int *id)
{
	static const struct {
		const char *name;
		int id;
	} clocks[] = {
		{ "local", -1 },
		{ "global", -1 },
		{ "perf", -1 },
		{ "mono", CLOCK_MONOTONIC },
		{ "mono_raw", CLOCK_MONOTONIC_RAW },
		{ "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
	};

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		*id = clocks[i].id;
		if (!strcmp(clock, clocks[i].name))
			return true;
	}
	return false;
}

static int open_with(struct perf_event_attr *attr, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int open_cpu(int cpu, bool use_clock, int clock)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr.sample_id_all = 1;
	attr.exclude_kernel = 1;
	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.build_id = 1;
	attr.comm = 1;
	attr.comm_exec = 1;
	attr.task = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = 1;
	attr.use_clockid = use_clock;
	attr.clockid = use_clock ? clock : 0;
	attr.read_format = FORMAT_LOST;
	fd = open_with(&attr, cpu);
	if (fd == -EINVAL) {
		/* before Linux 6.0 */
		attr.read_format = 0;
		fd = open_with(&attr, cpu);
	}
	if (fd == -EINVAL) {
		/* before Linux 5.12 */
		attr.build_id = 0;
		fd = open_with(&attr, cpu);
	}
	return fd;
}

static int add_ring(struct tfs_map_events *m, int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = RING_BYTES;
	void *map;

	if (tfs_grow_one(&m->rings, m->n)) {
		tfs_close(&fd);
		return -ENOMEM;
	}
	map = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	while (map == MAP_FAILED && size > RING_BYTES_LEAST) {
		size /= 2;
		map = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	}
	if (map == MAP_FAILED) {
		int rc = -errno;

		tfs_close(&fd);
		return rc;
	}
	m->rings[m->n++] = (struct ring){
		.fd = fd,
		.page = map,
		.data = (const unsigned char *)map + page,
		.size = size,
	};
	return 0;
}

int tfs_map_events_new(const char *clock, struct tfs_map_events **out, bool *exact)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct tfs_map_events *m = calloc(1, sizeof(*m));
	int id, fd, rc = 0;

	if (!m)
		return -ENOMEM;
	m->exact = find_clock(clock, &id);
	*exact = m->exact;
	for (int cpu = 0; cpu < cpus && !rc; cpu++) {
		fd = open_cpu(cpu, m->exact && id >= 0, id);
		if (fd == -ENODEV || fd == -ENXIO)
			continue; /* not online */
		rc = fd < 0 ? fd : add_ring(m, fd);
	}
	if (!rc && !m->n)
		rc = -ENODEV;
	if (rc)
		tfs_map_events_free(m);
	else
		*out = m;
	return rc;
}

static void release_event(struct tfs_map_event *e)
{
	free((char *)e->map.name);
	free((char *)e->comm);
}

void tfs_map_events_free(struct tfs_map_events *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++) {
		munmap(m->rings[i].page, (size_t)sysconf(_SC_PAGESIZE) + m->rings[i].size);
		tfs_close(&m->rings[i].fd);
	}
	for (size_t i = 0; i < m->n_waiting; i++)
		release_event(&m->waiting[i]);
	free(m->waiting);
	free(m->rings);
	free(m);
}

size_t tfs_map_events_n_fds(const struct tfs_map_events *m)
{
	return m ? m->n : 0;
}

void tfs_map_events_fds(const struct tfs_map_events *m, struct pollfd *fds)
{
	for (size_t i = 0; i < m->n; i++)
		fds[i] = (struct pollfd){ .fd = m->rings[i].fd, .events = POLLIN };
}

/* struct { u32 pid, ppid, tid, ptid; u64 time; } */
static int parse_task(struct tfs_cursor *c, bool is_exit, struct tfs_map_event *out)
{
	uint32_t parent_tid;

	if (tfs_cursor_u32(c, &out->tgid) || tfs_cursor_u32(c, &out->parent) ||
	    tfs_cursor_u32(c, &out->tid) || tfs_cursor_u32(c, &parent_tid))
		return 0;
	if (is_exit)
		out->kind = TFS_MAP_EXIT;
	else
		out->kind = out->tid == out->tgid ? TFS_MAP_FORK : TFS_MAP_THREAD;
	return 1;
}

/* struct { u32 pid, tid; char comm[]; } */
static int parse_comm(struct tfs_cursor *c, uint16_t misc, struct tfs_map_event *out)
{
	if (!(misc & PERF_RECORD_MISC_COMM_EXEC) || tfs_cursor_u32(c, &out->tgid) ||
	    tfs_cursor_u32(c, &out->tid) || tfs_cursor_strz(c, &out->comm))
		return 0;
	out->kind = TFS_MAP_EXEC;
	return 1;
}

/* The file: 24 bytes that are either its build-id or its numbers */
static bool parse_file(struct tfs_cursor *c, uint16_t misc, struct tfs_process_map *map)
{
	struct tfs_cursor file;
	const unsigned char *id;
	uint32_t major, minor;
	const void *bytes;

	if (tfs_cursor_bytes(c, 24, &bytes))
		return false;
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		id = bytes;
		map->id_size = id[0] < TFS_MAP_ID_MAX ? id[0] : TFS_MAP_ID_MAX;
		memcpy(map->id, id + 4, map->id_size);
		return true;
	}
	tfs_cursor_init(&file, bytes, 24, BIG);
	if (tfs_cursor_u32(&file, &major) || tfs_cursor_u32(&file, &minor) ||
	    tfs_cursor_u64(&file, &map->inode))
		return false;
	map->dev = map->inode ? makedev(major, minor) : 0;
	return true;
}

/* struct { u32 pid, tid; u64 addr, len, pgoff; file; u32 prot, flags; char filename[]; } */
static int parse_map(struct tfs_cursor *c, uint16_t misc, struct tfs_map_event *out)
{
	struct tfs_process_map *map = &out->map;
	uint32_t prot, flags;
	uint64_t len;

	if (tfs_cursor_u32(c, &out->tgid) || tfs_cursor_u32(c, &out->tid) ||
	    tfs_cursor_u64(c, &map->start) || tfs_cursor_u64(c, &len) ||
	    tfs_cursor_u64(c, &map->offset) || !parse_file(c, misc, map) ||
	    tfs_cursor_u32(c, &prot) || tfs_cursor_u32(c, &flags) || tfs_cursor_strz(c, &map->name))
		return 0;
	map->end = map->start + len;
	if (!strcmp(map->name, "//anon"))
		map->name = "";
	out->kind = TFS_MAP_MAPPED;
	return (int32_t)out->tgid > 0 && prot & PROT_EXEC && map->end > map->start;
}

int tfs_map_event_parse(const void *record, size_t size, struct tfs_map_event *out, uint64_t *lost)
{
	uint16_t misc, stored;
	struct tfs_cursor c, id;
	uint64_t count;
	uint32_t type;

	memset(out, 0, sizeof(*out));
	out->comm = "";
	out->map.name = "";
	tfs_cursor_init(&c, record, size, BIG);
	if (tfs_cursor_u32(&c, &type) || tfs_cursor_u16(&c, &misc) || tfs_cursor_u16(&c, &stored) ||
	    stored > size || stored < 8 + SAMPLE_ID_BYTES)
		return 0;
	tfs_cursor_init(&id, (const char *)record + stored - 8, 8, BIG);
	tfs_cursor_u64(&id, &out->ts);
	c.size = stored - SAMPLE_ID_BYTES;
	switch (type) {
	case PERF_RECORD_LOST:
		if (!tfs_cursor_u64(&c, &count) && !tfs_cursor_u64(&c, &count))
			*lost += count;
		return 0;
	case PERF_RECORD_COMM:
		return parse_comm(&c, misc, out);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return parse_task(&c, type == PERF_RECORD_EXIT, out);
	case PERF_RECORD_MMAP2:
		return parse_map(&c, misc, out);
	default:
		return 0;
	}
}

/* A record may wrap around the ring's end. */
static void copy_out(const struct ring *ring, uint64_t from, void *dst, size_t size)
{
	size_t at = (size_t)(from % ring->size), first = ring->size - at;

	if (first > size)
		first = size;
	memcpy(dst, ring->data + at, first);
	memcpy((char *)dst + first, ring->data, size - first);
}

static void wait_with(struct tfs_map_events *m, const struct tfs_map_event *event)
{
	struct tfs_map_event *e;
	char *name, *comm;

	if (tfs_grow(&m->waiting, &m->cap_waiting, m->n_waiting + 1)) {
		m->lost++;
		return;
	}
	name = strdup(event->map.name);
	comm = strdup(event->comm);
	if (!name || !comm) {
		free(name);
		free(comm);
		m->lost++;
		return;
	}
	e = &m->waiting[m->n_waiting++];
	*e = *event;
	e->map.name = name;
	e->comm = comm;
	if (!m->exact)
		e->ts = 0;
}

static void read_ring(struct tfs_map_events *m, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header h;
	struct tfs_map_event event;

	while (head - ring->tail >= sizeof(h)) {
		copy_out(ring, ring->tail, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - ring->tail)
			break;
		copy_out(ring, ring->tail, m->record, h.size);
		ring->tail += h.size;
		if (tfs_map_event_parse(m->record, h.size, &event, &ring->lost))
			wait_with(m, &event);
	}
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

static int compare(const void *a, const void *b)
{
	const struct tfs_map_event *x = a, *y = b;

	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

/*
 * A task that moves to another CPU goes on in another ring, which may have been read already.
 * Events up to the latest of a first reading are all there after a second one.
 */
bool tfs_map_events_read(struct tfs_map_events *m, tfs_map_event_func *f, void *context)
{
	uint64_t cut = 0;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		read_ring(m, &m->rings[i]);
	for (size_t i = 0; i < m->n_waiting; i++)
		if (m->waiting[i].ts > cut)
			cut = m->waiting[i].ts;
	for (size_t i = 0; i < m->n; i++)
		read_ring(m, &m->rings[i]);
	if (m->exact && m->n_waiting)
		qsort(m->waiting, m->n_waiting, sizeof(*m->waiting), compare);
	while (n < m->n_waiting && m->waiting[n].ts <= cut) {
		f(context, &m->waiting[n]);
		release_event(&m->waiting[n++]);
	}
	m->n_waiting -= n;
	if (n)
		memmove(m->waiting, m->waiting + n, m->n_waiting * sizeof(*m->waiting));
	return m->n_waiting;
}

/*
 * A record says how many were lost before it: without one after the last loss, only the kernel's
 * own count has that, which kernels before 6.0 lack (perf_event_open(2), PERF_FORMAT_LOST).
 */
static uint64_t lost_of(const struct ring *ring)
{
	uint64_t counts[2]; /* of the event, of what was lost */

	if (read(ring->fd, counts, sizeof(counts)) != sizeof(counts) || counts[1] < ring->lost)
		return ring->lost;
	return counts[1];
}

uint64_t tfs_map_events_lost(const struct tfs_map_events *m)
{
	uint64_t lost = m->lost;

	for (size_t i = 0; i < m->n; i++)
		lost += lost_of(&m->rings[i]);
	return lost;
}
