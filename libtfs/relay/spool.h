/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_SPOOL_H
#define TFS_RELAY_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relay/wire.h"

struct tfs_err;

/*
 * A spool is a folder between a recorder and whoever takes its stream away: the stream in a file
 * ("log"), whose taken part is given back to the file system, and a page that both have mapped
 * ("control"). Neither waits for the other, and either may be killed. The page cache is its memory;
 * a folder in a tmpfs keeps it off the disk. adr/0028 has the reasons.
 */

/** TFS_RELAY_ID_MAX - bytes of a spool's name at most */
#define TFS_RELAY_ID_MAX 64
/** TFS_RELAY_QUOTA_MIN - bytes that a spool holds at least */
#define TFS_RELAY_QUOTA_MIN (1u << 20)

/** tfs_relay_id_is_valid() - letters, digits, "-", "_" and ".", which is not the first */
bool tfs_relay_id_is_valid(const char *id);

/**
 * tfs_relay_spool_root() - the folder that has the spools, made with mode 0700 if need be
 * @path: NULL: /var/tmp/tracecraft-UID
 * @out: free()
 *
 * Return: 0; -EPERM when it is another user's, or others may write to it; -errno.
 */
int tfs_relay_spool_root(const char *path, char **out, struct tfs_err *err);

/** enum tfs_relay_full - what a spool at its quota does without: the newest or the oldest events */
enum tfs_relay_full { TFS_RELAY_REFUSE_NEWEST, TFS_RELAY_DROP_OLDEST };

/** enum tfs_relay_state - of the recorder */
enum tfs_relay_state {
	TFS_RELAY_STARTING,
	TFS_RELAY_ARMED, /* waits to be started */
	TFS_RELAY_RECORDING,
	TFS_RELAY_ENDED, /* the END record is in the log */
};

/**
 * struct tfs_relay_spool - the recorder's side
 *
 * Records may be added by several threads at once.
 */
struct tfs_relay_spool;

struct tfs_relay_spool_opts {
	const char *root; /* folder that has the spools */
	const char *id;
	uint64_t quota; /* bytes of events that nobody took yet, about */
	enum tfs_relay_full full;
};

/**
 * tfs_relay_spool_new() - make a spool
 * Return: 0; -EEXIST; -EOPNOTSUPP for TFS_RELAY_DROP_OLDEST where files cannot have holes; -errno.
 */
int tfs_relay_spool_new(const struct tfs_relay_spool_opts *opts, struct tfs_relay_spool **out,
			struct tfs_err *err);
/** tfs_relay_spool_free() - what is in the folder stays */
void tfs_relay_spool_free(struct tfs_relay_spool *s);
/** tfs_relay_spool_own() - this process is the recorder from now on; 0 or -errno */
int tfs_relay_spool_own(struct tfs_relay_spool *s, struct tfs_err *err);
/** tfs_relay_spool_path() - of its folder; borrowed */
const char *tfs_relay_spool_path(const struct tfs_relay_spool *s);
/** tfs_relay_spool_sources() - chunks of @n sources will come; before the first; 0 or -ENOMEM */
int tfs_relay_spool_sources(struct tfs_relay_spool *s, size_t n);

/**
 * tfs_relay_spool_file() - @len bytes of @fd from @off, as HEAD or TAIL records
 * Not refused by the quota. Return: 0 or -errno.
 */
int tfs_relay_spool_file(struct tfs_relay_spool *s, enum tfs_relay_type type, int fd, uint64_t off,
			 uint64_t len);

/**
 * struct tfs_relay_chunk - compressed sub-buffers of a source
 * @data: as stored in a trace file, with the chunk's head if it is compressed
 */
struct tfs_relay_chunk {
	uint32_t source;
	const void *data;
	uint32_t size;
	uint32_t raw;
	uint32_t events;
};

/**
 * tfs_relay_spool_chunk() - add events
 *
 * Never waits. Return: 0; 1 when there is no room: the events are counted as refused.
 */
int tfs_relay_spool_chunk(struct tfs_relay_spool *s, const struct tfs_relay_chunk *chunk);
/** tfs_relay_spool_refused() - events of a source that the spool had no room for, or dropped */
uint64_t tfs_relay_spool_refused(struct tfs_relay_spool *s, uint32_t source);
/** tfs_relay_spool_end() - add the END record; nothing can be added after it; 0 or -errno */
int tfs_relay_spool_end(struct tfs_relay_spool *s, const char *text);
/** tfs_relay_spool_set() - for those who look at the spool */
void tfs_relay_spool_set(struct tfs_relay_spool *s, enum tfs_relay_state state);
/** tfs_relay_spool_progress() - the same of the events so far */
void tfs_relay_spool_progress(struct tfs_relay_spool *s, uint64_t events, uint64_t lost);

#endif
