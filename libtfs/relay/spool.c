/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"
#include "relay/spool-internal.h"

/* Room for what is written at the end, so that a full disk can be reported. */
#define RESERVE_BYTES (1u << 20)
/* Blocks are given back in units that all file systems have, and rarely. */
#define PUNCH_ALIGN 65536u
#define PUNCH_LEAST (1u << 20)

struct source {
	uint64_t raw, events;
	uint64_t refused;
};

struct tfs_relay_spool {
	char *path;
	int dir, log, lock;
	struct relay_control *control;
	pthread_mutex_t mutex;
	enum tfs_relay_full full;
	bool has_holes;
	uint64_t seq;
	uint64_t end;     /* of the log; its only writer is here */
	uint64_t punched; /* end of what was given back */
	struct source *sources;
	size_t n_sources;
	unsigned char *packet; /* header and payload, for one write */
	size_t packet_size;
};

bool tfs_relay_id_is_valid(const char *id)
{
	const size_t len = strlen(id);

	return len && len <= TFS_RELAY_ID_MAX && *id != '.' &&
	       strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") ==
		       len;
}

int tfs_relay_spool_root(const char *path, char **out, struct tfs_err *err)
{
	struct stat st;
	char *s = NULL;
	int rc = 0;

	if (path)
		s = strdup(path);
	else if (asprintf(&s, "/var/tmp/tracecraft-%u", (unsigned int)geteuid()) < 0)
		s = NULL;
	if (!s)
		return tfs_err_set(err, -ENOMEM, "cannot open the folder of spools");
	if (mkdir(s, 0700) && errno != EEXIST)
		rc = tfs_err_set(err, -errno, "cannot make the folder '%s'", s);
	else if (lstat(s, &st))
		rc = tfs_err_set(err, -errno, "cannot open '%s'", s);
	else if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 022)
		rc = tfs_err_say(err, -EPERM,
				 "'%s' cannot hold spools: it is not a folder that only its owner "
				 "may write to",
				 s);
	if (rc) {
		free(s);
		tfs_err_hint(err, "name another folder with --spool");
		return rc;
	}
	*out = s;
	return 0;
}

static int open_in(const struct tfs_relay_spool *s, const char *name, int *fd)
{
	*fd = openat(s->dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return *fd < 0 ? -errno : 0;
}

static int map_control(struct tfs_relay_spool *s, uint64_t quota)
{
	int fd, rc = open_in(s, RELAY_CONTROL, &fd);
	void *p;

	if (rc)
		return rc;
	/* Its blocks, too: a full disk would make writing to the map a SIGBUS. */
	rc = -posix_fallocate(fd, 0, sizeof(*s->control));
	if (!rc) {
		p = mmap(NULL, sizeof(*s->control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			rc = -errno;
		else
			s->control = p;
	}
	tfs_close(&fd);
	if (rc)
		return rc;
	s->control->version = TFS_RELAY_VERSION;
	s->control->quota = quota;
	s->control->magic = RELAY_CONTROL_MAGIC;
	return 0;
}

static int make_files(struct tfs_relay_spool *s, const struct tfs_relay_spool_opts *opts)
{
	int fd = -1, rc = open_in(s, RELAY_LOG, &s->log);

	if (!rc)
		rc = open_in(s, RELAY_LOCK, &s->lock);
	if (!rc)
		rc = map_control(s, opts->quota);
	if (!rc)
		rc = open_in(s, RELAY_RESERVE, &fd);
	if (!rc && fallocate(fd, 0, 0, RESERVE_BYTES) && errno == ENOSPC)
		rc = -ENOSPC;
	tfs_close(&fd);
	if (!rc)
		s->has_holes = !fallocate(s->log, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
					  PUNCH_ALIGN);
	return rc;
}

/* Nobody would remove what a spool that was never one has left. */
static void unmake(const struct tfs_relay_spool *s)
{
	static const char *const names[] = { RELAY_LOG, RELAY_LOCK, RELAY_CONTROL, RELAY_RESERVE };

	for (size_t i = 0; s->dir >= 0 && i < sizeof(names) / sizeof(*names); i++)
		unlinkat(s->dir, names[i], 0);
	rmdir(s->path);
}

int tfs_relay_spool_new(const struct tfs_relay_spool_opts *opts, struct tfs_relay_spool **out,
			struct tfs_err *err)
{
	struct tfs_relay_spool *s = calloc(1, sizeof(*s));
	bool made = false;
	int rc = 0;

	if (!s)
		return tfs_err_set(err, -ENOMEM, "cannot make a spool");
	s->dir = s->log = s->lock = -1;
	s->full = opts->full;
	pthread_mutex_init(&s->mutex, NULL);
	if (asprintf(&s->path, "%s/%s", opts->root, opts->id) < 0) {
		s->path = NULL;
		rc = tfs_err_set(err, -ENOMEM, "cannot make a spool");
	} else if (mkdir(s->path, 0700)) {
		rc = tfs_err_set(err, -errno, "cannot make the spool '%s'", s->path);
	} else {
		made = true;
		s->dir = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		rc = s->dir < 0 ? -errno : make_files(s, opts);
		if (rc)
			tfs_err_set(err, rc, "cannot make the spool '%s'", s->path);
	}
	if (!rc && s->full == TFS_RELAY_DROP_OLDEST && !s->has_holes)
		rc = tfs_err_say(err, -EOPNOTSUPP,
				 "cannot drop the oldest events in '%s': files cannot have holes",
				 s->path);
	if (rc) {
		if (made)
			unmake(s);
		tfs_relay_spool_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void tfs_relay_spool_free(struct tfs_relay_spool *s)
{
	if (!s)
		return;
	if (s->control)
		munmap(s->control, sizeof(*s->control));
	tfs_close(&s->log);
	tfs_close(&s->lock);
	tfs_close(&s->dir);
	pthread_mutex_destroy(&s->mutex);
	free(s->sources);
	free(s->packet);
	free(s->path);
	free(s);
}

int tfs_relay_spool_own(struct tfs_relay_spool *s, struct tfs_err *err)
{
	const struct flock lock = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = RELAY_LOCK_RECORDER,
		.l_len = 1,
	};

	return fcntl(s->lock, F_SETLK, &lock) ?
		       tfs_err_set(err, -errno, "cannot lock the spool '%s'", s->path) :
		       0;
}

const char *tfs_relay_spool_path(const struct tfs_relay_spool *s)
{
	return s->path;
}

int tfs_relay_spool_sources(struct tfs_relay_spool *s, size_t n)
{
	s->sources = calloc(n + 1, sizeof(*s->sources));
	s->n_sources = s->sources ? n : 0;
	return s->sources ? 0 : -ENOMEM;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Where what is still needed begins */
static uint64_t needed_from(const struct tfs_relay_spool *s)
{
	return max_u64(atomic_load(&s->control->acked_end), atomic_load(&s->control->floor));
}

/* Gives back the blocks of what was taken or dropped. */
static void give_back(struct tfs_relay_spool *s)
{
	const uint64_t head_end = atomic_load(&s->control->head_end);
	uint64_t to = needed_from(s) / PUNCH_ALIGN * PUNCH_ALIGN;

	/* Dropping leaves the head, until it is taken. */
	if (s->punched < head_end && atomic_load(&s->control->acked_end) < head_end)
		s->punched = (head_end + PUNCH_ALIGN - 1) / PUNCH_ALIGN * PUNCH_ALIGN;
	if (!s->has_holes || to < s->punched + PUNCH_LEAST)
		return;
	if (!fallocate(s->log, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)s->punched,
		       (off_t)(to - s->punched)))
		s->punched = to;
}

/* One record at the end of the log; the log is as before if that fails. */
static int append(struct tfs_relay_spool *s, struct tfs_relay_record *r, const void *payload)
{
	const size_t len = TFS_RELAY_HEADER + r->size;
	int rc;

	if (r->size > TFS_RELAY_PAYLOAD_MAX)
		return -EFBIG;
	if (tfs_grow(&s->packet, &s->packet_size, len))
		return -ENOMEM;
	r->seq = s->seq + 1;
	tfs_relay_encode(r, payload, s->packet);
	memcpy(s->packet + TFS_RELAY_HEADER, payload, r->size);
	rc = tfs_pwrite_all(s->log, s->packet, len, (off_t)s->end);
	if (rc)
		return rc;
	s->seq = r->seq;
	s->end += len;
	atomic_store(&s->control->last_seq, s->seq);
	if (r->type == TFS_RELAY_HEAD)
		atomic_store(&s->control->head_end, s->end);
	atomic_store(&s->control->end, s->end);
	return 0;
}

int tfs_relay_spool_file(struct tfs_relay_spool *s, enum tfs_relay_type type, int fd, uint64_t off,
			 uint64_t len)
{
	unsigned char *piece = malloc(TFS_RELAY_PIECE);
	int rc = piece ? 0 : -ENOMEM;

	pthread_mutex_lock(&s->mutex);
	/* Its room is for what comes now. */
	if (type == TFS_RELAY_TAIL)
		unlinkat(s->dir, RELAY_RESERVE, 0);
	while (len && !rc) {
		struct tfs_relay_record r = {
			.type = type,
			.offset = off,
			.size = len < TFS_RELAY_PIECE ? (uint32_t)len : TFS_RELAY_PIECE,
		};

		rc = tfs_pread_all(fd, piece, r.size, (off_t)off);
		if (!rc)
			rc = append(s, &r, piece);
		off += r.size;
		len -= r.size;
	}
	pthread_mutex_unlock(&s->mutex);
	free(piece);
	return rc;
}

static void count_refused(struct tfs_relay_spool *s, uint32_t source, uint64_t events)
{
	s->sources[source].refused += events;
	atomic_fetch_add(&s->control->refused, events);
}

/* Drops the oldest events until @len bytes fit. */
static bool make_room(struct tfs_relay_spool *s, uint64_t len)
{
	unsigned char header[TFS_RELAY_HEADER];
	struct tfs_relay_record r;
	uint64_t from = max_u64(needed_from(s), atomic_load(&s->control->head_end));

	while (s->end + len - from > s->control->quota) {
		if (from >= s->end || tfs_pread_all(s->log, header, sizeof(header), (off_t)from) ||
		    tfs_relay_decode(header, &r) || r.source >= s->n_sources)
			return false;
		count_refused(s, r.source, r.events);
		from += TFS_RELAY_HEADER + r.size;
		atomic_store(&s->control->floor, from);
	}
	return true;
}

static bool has_room(struct tfs_relay_spool *s, uint64_t len)
{
	uint64_t from = s->has_holes ? max_u64(needed_from(s), atomic_load(&s->control->head_end)) :
				       atomic_load(&s->control->head_end);

	if (s->end + len - from <= s->control->quota)
		return true;
	return s->full == TFS_RELAY_DROP_OLDEST && make_room(s, len);
}

int tfs_relay_spool_chunk(struct tfs_relay_spool *s, const struct tfs_relay_chunk *chunk)
{
	struct tfs_relay_record r = {
		.type = TFS_RELAY_CHUNK,
		.source = chunk->source,
		.size = chunk->size,
		.raw = chunk->raw,
		.events = chunk->events,
	};
	struct source *source = &s->sources[chunk->source];
	int refused;

	pthread_mutex_lock(&s->mutex);
	r.offset = source->raw;
	r.events_before = source->events;
	refused = !has_room(s, TFS_RELAY_HEADER + r.size) || append(s, &r, chunk->data) != 0;
	source->raw += chunk->raw;
	source->events += chunk->events;
	if (refused)
		count_refused(s, chunk->source, chunk->events);
	give_back(s);
	pthread_mutex_unlock(&s->mutex);
	return refused;
}

uint64_t tfs_relay_spool_refused(struct tfs_relay_spool *s, uint32_t source)
{
	uint64_t n;

	pthread_mutex_lock(&s->mutex);
	n = source < s->n_sources ? s->sources[source].refused : 0;
	pthread_mutex_unlock(&s->mutex);
	return n;
}

int tfs_relay_spool_end(struct tfs_relay_spool *s, const char *text)
{
	struct tfs_relay_record r = { .type = TFS_RELAY_END, .size = (uint32_t)strlen(text) };
	int rc;

	pthread_mutex_lock(&s->mutex);
	rc = append(s, &r, text);
	pthread_mutex_unlock(&s->mutex);
	if (!rc)
		tfs_relay_spool_set(s, TFS_RELAY_ENDED);
	return rc;
}

void tfs_relay_spool_set(struct tfs_relay_spool *s, enum tfs_relay_state state)
{
	atomic_store(&s->control->state, (uint32_t)state);
}

void tfs_relay_spool_progress(struct tfs_relay_spool *s, uint64_t events, uint64_t lost)
{
	atomic_store(&s->control->events, events);
	atomic_store(&s->control->lost, lost);
}
