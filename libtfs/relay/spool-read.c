/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay/spool-read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"
#include "base/strvec.h"
#include "relay/spool-internal.h"

#define LOCK_TRIES 200
#define LOCK_WAIT_NS 10000000L

/* A record that was read and is not acknowledged: where the one after it begins. */
struct sent {
	uint64_t seq, end;
};

struct tfs_relay_reader {
	char *path;
	int dir, log, lock;
	struct relay_control *control;
	uint64_t at;  /* of the next record in the log */
	uint64_t seq; /* of the one before it; 0: not known */
	unsigned char *packet;
	size_t packet_size;
	struct sent *sent;
	size_t first_sent, n_sent, room_sent;
};

/* Who holds a lock of the spool; 0: nobody */
static pid_t holder(const struct tfs_relay_reader *r, off_t which)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = which, .l_len = 1
	};

	if (r->lock < 0 || fcntl(r->lock, F_GETLK, &lock) || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid;
}

/* The one before us may hang in a write to a connection that is dead. */
static int take_lock(const struct tfs_relay_reader *r)
{
	const struct timespec wait = { .tv_nsec = LOCK_WAIT_NS };
	const struct flock lock = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = RELAY_LOCK_READER,
		.l_len = 1,
	};

	for (int i = 0; i < LOCK_TRIES; i++) {
		pid_t pid;

		if (!fcntl(r->lock, F_SETLK, &lock))
			return 0;
		if (errno != EAGAIN && errno != EACCES)
			return -errno;
		pid = holder(r, RELAY_LOCK_READER);
		if (pid > 0)
			kill(pid, SIGKILL);
		nanosleep(&wait, NULL);
	}
	return -EBUSY;
}

static int map_control(struct tfs_relay_reader *r)
{
	int fd = openat(r->dir, RELAY_CONTROL, O_RDWR | O_CLOEXEC | O_NOFOLLOW), rc = 0;
	struct stat st;
	void *p;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_size < (off_t)sizeof(*r->control)) {
		rc = -EBADMSG;
	} else {
		p = mmap(NULL, sizeof(*r->control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED)
			rc = -errno;
		else
			r->control = p;
	}
	tfs_close(&fd);
	if (rc)
		return rc;
	return r->control->magic == RELAY_CONTROL_MAGIC &&
			       r->control->version == TFS_RELAY_VERSION ?
		       0 :
		       -EBADMSG;
}

static int open_files(struct tfs_relay_reader *r, enum tfs_relay_take take)
{
	struct stat st;

	r->dir = open(r->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (r->dir < 0)
		return -errno;
	if (fstat(r->dir, &st) || st.st_uid != geteuid())
		return -EPERM;
	r->log = openat(r->dir, RELAY_LOG, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (r->log < 0)
		return -errno;
	r->lock = openat(r->dir, RELAY_LOCK, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (r->lock < 0)
		return -errno;
	return take == TFS_RELAY_TAKE ? take_lock(r) : 0;
}

int tfs_relay_reader_open(const char *root, const char *id, enum tfs_relay_take take,
			  struct tfs_relay_reader **out, struct tfs_err *err)
{
	struct tfs_relay_reader *r = calloc(1, sizeof(*r));
	int rc = r ? 0 : -ENOMEM;

	if (!tfs_relay_id_is_valid(id)) {
		free(r);
		return tfs_err_say(err, -EINVAL, "'%s' cannot be the name of a spool", id);
	}
	if (!rc) {
		r->dir = r->log = r->lock = -1;
		if (tfs_grow(&r->packet, &r->packet_size, TFS_RELAY_HEADER) ||
		    asprintf(&r->path, "%s/%s", root, id) < 0) {
			r->path = NULL;
			rc = -ENOMEM;
		}
	}
	if (!rc)
		rc = open_files(r, take);
	if (!rc)
		rc = map_control(r);
	if (rc) {
		tfs_relay_reader_free(r);
		return tfs_err_set(err, rc, "cannot open the spool '%s' in '%s'", id, root);
	}
	r->at = atomic_load(&r->control->acked_end);
	r->seq = atomic_load(&r->control->acked_seq);
	*out = r;
	return 0;
}

void tfs_relay_reader_free(struct tfs_relay_reader *r)
{
	if (!r)
		return;
	if (r->control)
		munmap(r->control, sizeof(*r->control));
	tfs_close(&r->log);
	tfs_close(&r->lock);
	tfs_close(&r->dir);
	free(r->sent);
	free(r->packet);
	free(r->path);
	free(r);
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void tfs_relay_reader_status(const struct tfs_relay_reader *r, struct tfs_relay_status *status)
{
	const struct relay_control *c = r->control;
	const uint64_t end = atomic_load(&c->end);
	const uint64_t from = max_u64(atomic_load(&c->acked_end), atomic_load(&c->floor));

	*status = (struct tfs_relay_status){
		.state = (enum tfs_relay_state)atomic_load(&c->state),
		.pid = holder(r, RELAY_LOCK_RECORDER),
		.waiting = end > from ? end - from : 0,
		.last_seq = atomic_load(&c->last_seq),
		.acked_seq = atomic_load(&c->acked_seq),
		.events = atomic_load(&c->events),
		.lost = atomic_load(&c->lost),
		.refused = atomic_load(&c->refused),
	};
}

/* Steps over dropped records. */
static void step_over(struct tfs_relay_reader *r)
{
	const uint64_t floor = atomic_load(&r->control->floor);

	if (r->at >= atomic_load(&r->control->head_end) && r->at < floor)
		r->at = floor;
}

static int read_header(struct tfs_relay_reader *r, struct tfs_relay_record *record)
{
	const uint64_t end = atomic_load(&r->control->end);
	int rc;

	step_over(r);
	if (r->at >= end)
		return 0;
	if (end - r->at < TFS_RELAY_HEADER)
		return -EBADMSG;
	rc = tfs_pread_all(r->log, r->packet, TFS_RELAY_HEADER, (off_t)r->at);
	if (!rc)
		rc = tfs_relay_decode(r->packet, record);
	if (!rc && record->size > end - r->at - TFS_RELAY_HEADER)
		rc = -EBADMSG;
	return rc ? rc : 1;
}

/* Was it dropped while it was read? */
static bool is_dropped(const struct tfs_relay_reader *r)
{
	return r->at >= atomic_load(&r->control->head_end) &&
	       r->at < atomic_load(&r->control->floor);
}

static int read_record(struct tfs_relay_reader *r, struct tfs_relay_record *record)
{
	int rc = read_header(r, record);

	if (rc <= 0)
		return rc;
	if (tfs_grow(&r->packet, &r->packet_size, TFS_RELAY_HEADER + (size_t)record->size))
		return -ENOMEM;
	rc = tfs_pread_all(r->log, r->packet + TFS_RELAY_HEADER, record->size,
			   (off_t)(r->at + TFS_RELAY_HEADER));
	if (!rc)
		rc = tfs_relay_check(record, r->packet + TFS_RELAY_HEADER);
	return rc ? rc : 1;
}

static int remember(struct tfs_relay_reader *r, const struct tfs_relay_record *record)
{
	if (r->first_sent && r->first_sent == r->n_sent)
		r->first_sent = r->n_sent = 0;
	if (r->first_sent && r->n_sent == r->room_sent) {
		memmove(r->sent, r->sent + r->first_sent,
			(r->n_sent - r->first_sent) * sizeof(*r->sent));
		r->n_sent -= r->first_sent;
		r->first_sent = 0;
	}
	if (tfs_grow(&r->sent, &r->room_sent, r->n_sent + 1))
		return -ENOMEM;
	r->sent[r->n_sent++] = (struct sent){ .seq = record->seq, .end = r->at };
	return 0;
}

int tfs_relay_reader_next(struct tfs_relay_reader *r, const void **packet, size_t *len,
			  struct tfs_relay_record *record)
{
	int rc;

	do {
		rc = read_record(r, record);
	} while (rc && is_dropped(r));
	if (rc <= 0)
		return rc;
	*packet = r->packet;
	*len = TFS_RELAY_HEADER + record->size;
	r->at += *len;
	r->seq = record->seq;
	rc = remember(r, record);
	return rc ? rc : 1;
}

int tfs_relay_reader_from(struct tfs_relay_reader *r, uint64_t seq)
{
	struct tfs_relay_record record = { .seq = 0 };
	int rc;

	r->at = atomic_load(&r->control->acked_end);
	r->seq = atomic_load(&r->control->acked_seq);
	r->first_sent = r->n_sent = 0;
	if (!seq || seq <= r->seq)
		return -ERANGE;
	while (r->seq + 1 < seq) {
		rc = read_header(r, &record);
		if (rc <= 0 && is_dropped(r))
			continue;
		if (rc <= 0)
			return rc ? rc : -EAGAIN;
		/* Dropped ones leave a gap. */
		if (record.seq >= seq)
			break;
		r->at += TFS_RELAY_HEADER + record.size;
		r->seq = record.seq;
		rc = remember(r, &record);
		if (rc)
			return rc;
	}
	return 0;
}

uint64_t tfs_relay_reader_next_seq(const struct tfs_relay_reader *r)
{
	return atomic_load(&r->control->acked_seq) + 1;
}

size_t tfs_relay_reader_sent(const struct tfs_relay_reader *r)
{
	return r->n_sent - r->first_sent;
}

int tfs_relay_reader_ack(struct tfs_relay_reader *r, uint64_t seq)
{
	uint64_t end = 0, last = 0;

	if (seq <= atomic_load(&r->control->acked_seq))
		return 0;
	if (!tfs_relay_reader_sent(r) || seq > r->sent[r->n_sent - 1].seq)
		return -ERANGE;
	while (r->first_sent < r->n_sent && r->sent[r->first_sent].seq <= seq) {
		end = r->sent[r->first_sent].end;
		last = r->sent[r->first_sent++].seq;
	}
	if (!end)
		return 0;
	atomic_store(&r->control->acked_seq, last);
	atomic_store(&r->control->acked_end, end);
	return 0;
}

int tfs_relay_spool_list(const char *root, struct tfs_strvec *ids, struct tfs_err *err)
{
	DIR *dir = opendir(root);
	const struct dirent *e;
	int rc = 0;

	if (!dir)
		return tfs_err_set(err, -errno, "cannot open '%s'", root);
	while (!rc && (e = readdir(dir)))
		if (tfs_relay_id_is_valid(e->d_name))
			rc = tfs_strvec_push(ids, e->d_name);
	closedir(dir);
	return rc ? tfs_err_set(err, rc, "cannot list '%s'", root) : 0;
}

/*
 * A spool has no folders; what else may be in it is the recorder's. One without a log or a control
 * page is not a spool, unless it is empty, which is for the caller to find out.
 */
static int empty_folder(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	int rc = 0;

	if (!dir)
		return -errno;
	if (faccessat(dirfd(dir), RELAY_LOG, F_OK, AT_SYMLINK_NOFOLLOW) &&
	    faccessat(dirfd(dir), RELAY_CONTROL, F_OK, AT_SYMLINK_NOFOLLOW)) {
		closedir(dir);
		return 0;
	}
	while (!rc && (e = readdir(dir)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    unlinkat(dirfd(dir), e->d_name, 0))
			rc = -errno;
	closedir(dir);
	return rc;
}

int tfs_relay_spool_remove(const char *root, const char *id, struct tfs_err *err)
{
	struct tfs_relay_reader *r = NULL;
	char *path = NULL;
	pid_t pid = 0;
	int rc;

	if (!tfs_relay_id_is_valid(id))
		return tfs_err_say(err, -EINVAL, "'%s' cannot be the name of a spool", id);
	if (!tfs_relay_reader_open(root, id, TFS_RELAY_LOOK, &r, NULL) && r)
		pid = holder(r, RELAY_LOCK_RECORDER);
	tfs_relay_reader_free(r);
	if (pid)
		return tfs_err_say(err, -EBUSY, "the spool '%s' is being recorded into by %d", id,
				   (int)pid);
	if (asprintf(&path, "%s/%s", root, id) < 0)
		return tfs_err_set(err, -ENOMEM, "cannot remove the spool '%s'", id);
	rc = empty_folder(path);
	if (!rc && rmdir(path))
		rc = -errno;
	free(path);
	return rc ? tfs_err_set(err, rc, "cannot remove the spool '%s'", id) : 0;
}
