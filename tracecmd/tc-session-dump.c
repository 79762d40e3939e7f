/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session-dump.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/err.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "cli/msg.h"
#include "record/session.h"
#include "tc-session-exclude.h"
#include "tc-session-extract.h"
#include "tc-session-instances.h"
#include "tc-session.h"
#include "trace-opts.h"
#include "tracefs/file.h"

#define MIB ((uint64_t)1048576)
#define SIZE_LIMIT (1ULL << 50)
#define NSEC_PER_MSEC 1000000

/* Besides events, a file has formats and symbols, a few hundred KiB compressed */
#define META_BYTES (4 * MIB)
/* Fewer cannot hold the smallest share of 64 CPUs. */
#define KEEP_BYTES_MIN (32 * MIB)

/*
 * struct dump_request - one tc-session dump
 * @dump: the first member, see session_dump_options
 */
struct dump_request {
	struct session_dump dump;
	bool quiet;
};

/* "90s", "12h", "7d" */
static int on_age(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct session_dump *d = request;
	size_t len = strlen(arg);
	struct tfs_strbuf hours = TFS_STRBUF_INIT;
	bool days = len && arg[len - 1] == 'd';
	int rc = days ? tfs_strbuf_addf(&hours, "%.*sh", (int)(len - 1), arg) : 0;

	(void)opt;
	if (rc)
		tfs_err_set(err, rc, "cannot keep '%s'", arg);
	else
		rc = tfs_parse_duration(days ? hours.s : arg, &d->limits.age_ns, err);
	if (rc && days) {
		tfs_err_clear(err);
		rc = tfs_err_say(err, -EINVAL, "'%s' is not a time", arg);
		tfs_err_hint(err, "write a number followed by s, m, h or d");
	}
	if (!rc && days && __builtin_mul_overflow(d->limits.age_ns, 24, &d->limits.age_ns))
		rc = tfs_err_say(err, -ERANGE, "'%s' is too long", arg);
	tfs_strbuf_release(&hours);
	return rc;
}

static int on_mode(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct session_dump *d = request;

	(void)opt;
	return trace_mode(arg, &d->mode, err);
}

#define AT(member) .offset = offsetof(struct session_dump, member)

const struct tc_option session_dump_options[] = {
	{ 'o', "directory", "DIR", "write into this directory (.)", TC_OPT_STRING, AT(directory),
	  .complete = "file" },
	{ 0, "keep-size", "SIZE", "remove the oldest dumps above this size of all (1G)",
	  TC_OPT_SIZE, AT(limits.bytes), .min = KEEP_BYTES_MIN, .max = SIZE_LIMIT, .unit = 1,
	  .complete = "size" },
	{ 0, "keep-age", "TIME", "remove dumps that are older, such as 12h or 7d", TC_OPT_CALL,
	  TC_OPT_ONCE, .call = on_age, .complete = "none" },
	{ 0, "keep-free", "SIZE", "leave this room on the file system (256M)", TC_OPT_SIZE,
	  AT(free_bytes), .max = SIZE_LIMIT, .unit = 1, .complete = "size" },
	{ 0, "compression", "NAME[:LEVEL]", "zstd, zlib or none", TC_OPT_STRING, AT(compression),
	  .complete = "compression" },
	{ 0, "mode", "MODE", "permissions of the files, in octal (0600)", TC_OPT_CALL, TC_OPT_ONCE,
	  .call = on_mode, .complete = "none" },
	{ 's', "snapshot", NULL, "take a snapshot and write that; fail where that is impossible",
	  TC_OPT_FLAG, AT(snapshot) },
	{ 0, "pause", NULL, "pause tracing while the ring buffer is read; take no snapshot",
	  TC_OPT_FLAG, AT(pause) },
	TC_OPT_END,
};

static const struct tc_option options[] = {
	{ .type = TC_OPT_TABLE, .table = session_dump_options },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG,
	  .offset = offsetof(struct dump_request, quiet) },
	TC_OPT_END_ANY_ORDER,
};

void session_dump_init(struct session_dump *d)
{
	d->directory = ".";
	d->limits.bytes = 1024 * MIB;
	d->free_bytes = 256 * MIB;
}

int session_dump_check(struct session_dump *d, struct tfs_err *err)
{
	if (!*d->directory)
		return tfs_err_say(err, -EINVAL, "the name of the directory is empty");
	if (d->snapshot && d->pause)
		return tfs_err_say(err, -EINVAL, "snapshot and pause exclude each other");
	return trace_compression(d->compression, &d->codec, &d->level, err);
}

/*
 * struct dumping - one dump
 * @part: path of the file while it is written
 * @file: its name when it is complete
 * @ring_bytes: memory of the ring buffer, all CPUs
 * @cpus: in the instance
 * @swapped: it is a snapshot that is written, and tracing goes on
 */
struct dumping {
	const struct session_dump *d;
	const struct session_instances *instances;
	const char *name;
	struct tfs_dump_dir dir;
	char file[TFS_DUMP_NAME_MAX];
	struct tfs_strbuf part;
	uint64_t ring_bytes;
	size_t cpus;
	bool swapped;
};

/* The files of the instance say how much there can be. */
static int measure_ring(struct dumping *u, struct tfs_err *err)
{
	const struct tfs_instance *inst = &u->instances->v[0].inst;
	const struct tfs_root *root = u->instances->root;
	struct tfs_strvec cpus = TFS_STRVEC_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	uint64_t kib = 0;
	char path[256];
	int rc = tfs_instance_path(inst, "buffer_total_size_kb", path, sizeof(path));

	if (!rc)
		rc = tfs_file_read(root, path, &text, err);
	/* "7 (expanded: 1408)" before the first use */
	if (!rc && sscanf(text.s, "%" SCNu64, &kib) != 1)
		rc = tfs_err_say(err, -EINVAL, "'%s' has no number", path);
	if (!rc)
		rc = tfs_instance_path(inst, "per_cpu", path, sizeof(path));
	if (!rc)
		rc = tfs_file_list(root, path, TFS_LIST_DIRS, &cpus, err);
	u->ring_bytes = kib * 1024;
	u->cpus = cpus.n ? cpus.n : 1;
	tfs_strvec_release(&cpus);
	tfs_strbuf_release(&text);
	return rc && !err->code ? tfs_err_set(err, rc, "cannot measure the ring buffer") : rc;
}

/*
 * Room for the file and its temporary files, which are joined into it: each CPU's share of what the
 * limits leave goes into @cap, its newest events. 0: all fits.
 */
static int find_room(const struct dumping *u, uint64_t *cap, struct tfs_err *err)
{
	uint64_t want = 2 * (u->ring_bytes + META_BYTES), room = 0, most;
	uint64_t least = 2 * (u->cpus * TFS_SESSION_CAP_MIN + META_BYTES);
	int rc;

	for (;;) {
		rc = tfs_dump_dir_room(&u->dir, &room, err);
		if (rc)
			return rc;
		room = room > u->d->free_bytes ? room - u->d->free_bytes : 0;
		if (room >= want)
			break;
		rc = tfs_dump_dir_remove_oldest(&u->dir, u->name, err);
		if (rc < 0)
			return rc;
		if (!rc)
			break;
	}
	if (room < least) {
		rc = tfs_err_say(err, -ENOSPC,
				 "no room for a dump in '%s': %" PRIu64 " MiB besides the %" PRIu64
				 " MiB to keep free",
				 u->dir.path, room / MIB, u->d->free_bytes / MIB);
		tfs_err_hint(err, "the events stay in the ring buffer; make room, or lower "
				  "keep-free");
		return rc;
	}
	most = room / 2;
	if (u->d->limits.bytes && u->d->limits.bytes < most)
		most = u->d->limits.bytes;
	*cap = 0;
	if (most >= u->ring_bytes + META_BYTES)
		return 0;
	*cap = most > META_BYTES ? (most - META_BYTES) / u->cpus : 0;
	if (*cap < TFS_SESSION_CAP_MIN)
		*cap = TFS_SESSION_CAP_MIN;
	return 0;
}

/* A name that nobody has: of this millisecond or one of the next */
static int choose_name(struct dumping *u, struct tfs_err *err)
{
	struct timespec now;
	struct stat st;
	int rc;

	clock_gettime(CLOCK_REALTIME, &now);
	do {
		now.tv_nsec += NSEC_PER_MSEC;
		if (now.tv_nsec >= 1000L * NSEC_PER_MSEC) {
			now.tv_nsec -= 1000L * NSEC_PER_MSEC;
			now.tv_sec++;
		}
		rc = tfs_dump_file_name(u->name, &now, u->file);
	} while (!rc && !fstatat(u->dir.fd, u->file, &st, AT_SYMLINK_NOFOLLOW));
	if (!rc)
		rc = tfs_strbuf_addf(&u->part, "%s/%s.part", u->dir.path, u->file);
	return rc ? tfs_err_set(err, rc, "cannot name the dump of '%s'", u->name) : 0;
}

static int take_snapshot(const struct session_instances *instances, struct tfs_err *err)
{
	char path[256];
	int rc = tfs_instance_path(&instances->v[0].inst, "snapshot", path, sizeof(path));

	if (!rc && !tfs_file_exists(instances->root, path)) {
		rc = tfs_err_say(err, -EOPNOTSUPP, "this kernel has no snapshots");
		tfs_err_hint(err,
			     "without 'snapshot', tracing pauses while the ring buffer is read");
		return rc;
	}
	return session_write(instances, &instances->v[0], "snapshot", "1\n", err);
}

/* Does a control file of the instance hold the text? */
static bool instance_holds(const struct dumping *u, const char *file, const char *text)
{
	const struct session_instances *instances = u->instances;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	bool same = !tfs_instance_read(instances->root, &instances->v[0].inst, file, &sb, NULL) &&
		    strstr(sb.s, text);

	tfs_strbuf_release(&sb);
	return same;
}

/*
 * Tracing goes on if the ring buffer is swapped with a second one. Where it is off already, there
 * is nothing to gain for the memory; where the kernel has none, or no memory, it is paused; so it
 * is where somebody has a snapshot, which stays.
 */
static int swap_if_possible(struct dumping *u, struct tfs_err *err)
{
	const struct session_instances *instances = u->instances;
	struct tfs_err why = TFS_ERR_INIT;

	if (u->d->snapshot) {
		u->swapped = true;
		return take_snapshot(instances, err);
	}
	if (u->d->pause || !instance_holds(u, "tracing_on", "1") ||
	    !instance_holds(u, "snapshot", "* Snapshot is freed *"))
		return 0;
	u->swapped = !take_snapshot(instances, &why);
	if (!u->swapped)
		tc_msg_notice(SESSION_PROGRAM, "%s; tracing is paused instead", why.msg);
	return 0;
}

/*
 * A snapshot that nobody asked for is not to keep its memory. If it could not be written, its
 * events go back to where the next dump takes them from, for those that came since.
 */
static void give_back(const struct dumping *u, bool written)
{
	const struct session_instance *inst = &u->instances->v[0];

	if (!u->swapped || u->d->snapshot)
		return;
	if (!written)
		session_write(u->instances, inst, "snapshot", "1\n", NULL);
	session_write(u->instances, inst, "snapshot", "0\n", NULL);
}

static int write_dump(struct dumping *u, struct session_extracted *got, struct tfs_err *err)
{
	struct session_extract what = {
		.output = u->part.s,
		.mode = u->d->mode,
		.codec = u->d->codec,
		.level = u->d->level,
		.at_once = true,
	};
	char part[TFS_DUMP_NAME_MAX + 8];
	int rc = find_room(u, &what.cap_bytes, err);

	if (!rc)
		rc = swap_if_possible(u, err);
	what.snapshot = what.running = u->swapped;
	if (!rc)
		rc = session_extract_file(&what, u->instances, got, err);
	give_back(u, got->bytes != 0);
	snprintf(part, sizeof(part), "%s.part", u->file);
	if (got->bytes && renameat(u->dir.fd, part, u->dir.fd, u->file))
		rc = tfs_err_set(rc ? NULL : err, -errno, "cannot rename '%s'", u->part.s);
	return rc;
}

static void say(const struct dumping *u, const char *why, const struct session_extracted *got)
{
	char pause[64] = "";

	if (!u->swapped)
		snprintf(pause, sizeof(pause), "; tracing paused for %" PRIu64 " ms",
			 got->pause_ns / NSEC_PER_MSEC);
	tc_msg_line(SESSION_PROGRAM ": '%s/%s'%s%s: %" PRIu64 " KiB%s", u->dir.path, u->file,
		    why ? ", by " : "", why ? why : "", (got->bytes + 1023) / 1024, pause);
}

int session_dump_file(const struct session_dump *d, const struct session_instances *instances,
		      const char *name, const char *why, bool quiet, struct tfs_err *err)
{
	struct dumping u = { .d = d,
			     .instances = instances,
			     .name = name,
			     .dir = { .fd = -1 },
			     .part = TFS_STRBUF_INIT };
	struct session_exclusion exclusion = { 0 };
	struct session_extracted got = { 0 };
	struct tfs_err late = TFS_ERR_INIT;
	struct timespec now;
	int rc = tfs_dump_dir_open(&u.dir, d->directory, err);

	clock_gettime(CLOCK_REALTIME, &now);
	if (!rc)
		rc = tfs_dump_dir_clean(&u.dir, name, &d->limits, &now, NULL, err);
	if (rc >= 0)
		rc = measure_ring(&u, err);
	if (!rc)
		rc = choose_name(&u, err);
	if (!rc) {
		session_exclude_begin(&exclusion, instances);
		rc = write_dump(&u, &got, err);
		session_exclude_end(&exclusion);
	}
	if (!rc && !quiet)
		say(&u, why, &got);
	/* The dump is there, even if an old one cannot be removed. */
	if (!rc && tfs_dump_dir_clean(&u.dir, name, &d->limits, &now, u.file, &late) < 0)
		tc_msg_error(SESSION_PROGRAM, &late);
	tfs_dump_dir_close(&u.dir);
	tfs_strbuf_release(&u.part);
	return rc;
}

static void init(void *request)
{
	struct dump_request *req = request;

	session_dump_init(&req->dump);
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct dump_request *req = request;
	struct session_selector selector = { .name = argc ? argv[0] : SESSION_NAME };
	const struct session_selection selection = { .v = &selector, .n = 1 };
	struct session_instances instances = { 0 };
	struct tfs_instance named;
	int status;

	if (session_dump_check(&req->dump, err) || tfs_instance_named(&named, selector.name, err))
		return TC_EXIT_USAGE;
	status = session_open(&selection, 0, argc > 1 ? argc - 1 : 0, argv + 1, &instances, err);
	if (status == TC_EXIT_OK &&
	    session_dump_file(&req->dump, &instances, selector.name, NULL, req->quiet, err))
		status = TC_EXIT_FAILED;
	session_close(&instances);
	return status;
}

const struct tc_command session_dump = {
	.name = SESSION_PROGRAM,
	.verb = "dump",
	.summary = "move the content of the ring buffer into a dated file, and remove old ones",
	.operands = "[NAME]",
	.options = options,
	.request_size = sizeof(struct dump_request),
	.init = init,
	.run = run,
};
