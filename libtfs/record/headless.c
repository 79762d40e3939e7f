/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/headless.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cpus.h"
#include "base/err.h"
#include "base/io.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "record/buffer.h"
#include "record/meta.h"
#include "tracedat/compress.h"
#include "tracedat/dat-segments.h"
#include "tracedat/dat-write.h"
#include "tracefs/event.h"
#include "tracefs/instance.h"

#define CPU "cpu"

/* A buffer by the names of its files. @deleted: there is no such instance */
struct part {
	char *name;
	struct tfs_cpus cpus;
	struct tfs_instance inst;
	bool deleted;
};

struct headless {
	const char *path;
	const struct tfs_root *root;
	struct part *parts;
	size_t n;
	unsigned int n_cpus; /* greatest number + 1 */
};

static void release(struct headless *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->parts[i].name);
	free(h->parts);
}

/* --- the files */

static struct part *part_of(struct headless *h, const char *name, size_t len)
{
	struct part *p;

	for (size_t i = 0; i < h->n; i++)
		if (strlen(h->parts[i].name) == len && !memcmp(h->parts[i].name, name, len))
			return &h->parts[i];
	if (tfs_grow_one(&h->parts, h->n))
		return NULL;
	p = &h->parts[h->n];
	*p = (struct part){ .name = strndup(name, len) };
	if (p->name)
		h->n++;
	return p->name ? p : NULL;
}

/* @rest is what follows FILE and a point: "cpuN", or "BUFFER.cpuN". Return: 1; 0: another name. */
static int take_name(struct headless *h, const char *rest)
{
	const char *dot = strrchr(rest, '.'), *last = dot ? dot + 1 : rest;
	struct part *p;
	uint64_t cpu;

	if (strncmp(last, CPU, strlen(CPU)) != 0 ||
	    tfs_parse_u64(last + strlen(CPU), 0, TFS_CPUS_MAX - 1, &cpu, NULL) || dot == rest)
		return 0;
	p = part_of(h, rest, dot ? (size_t)(dot - rest) : 0);
	if (!p)
		return -ENOMEM;
	tfs_cpus_add(&p->cpus, (unsigned int)cpu);
	if (cpu >= h->n_cpus)
		h->n_cpus = (unsigned int)cpu + 1;
	return 1;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct part *)a)->name, ((const struct part *)b)->name);
}

/* Written before this boot: the kernel may have been another one. */
static bool is_earlier(int dir, const char *name)
{
	struct timespec now, up;
	struct stat st;

	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	return !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && st.st_size &&
	       st.st_mtim.tv_sec < now.tv_sec - up.tv_sec - 1;
}

static int find_files(struct headless *h, struct tfs_headless *out, struct tfs_err *err)
{
	const char *slash = strrchr(h->path, '/'), *base = slash ? slash + 1 : h->path;
	char *name = slash ? strndup(h->path, (size_t)(slash - h->path) + 1) : strdup(".");
	DIR *dir = name ? opendir(name) : NULL;
	const size_t len = strlen(base);
	struct dirent *ent;
	int rc = !name ? -ENOMEM : dir ? 0 : -errno;

	while (!rc && (ent = readdir(dir))) {
		if (strncmp(ent->d_name, base, len) != 0 || ent->d_name[len] != '.')
			continue;
		rc = take_name(h, ent->d_name + len + 1);
		out->earlier |= rc > 0 && is_earlier(dirfd(dir), ent->d_name);
		rc = rc > 0 ? 0 : rc;
	}
	if (dir)
		closedir(dir);
	free(name);
	if (rc)
		return tfs_err_set(err, rc, "cannot find the data of '%s'", h->path);
	if (!h->n)
		return tfs_err_say(err, -ENOENT,
				   "there is neither '%s' nor data beside it: %s.cpu0", h->path,
				   h->path);
	/* The buffer without a name comes first. */
	qsort(h->parts, h->n, sizeof(*h->parts), by_name);
	return 0;
}

/* --- what the kernel says */

static int add_part(struct headless *h, struct part *p, struct tfs_strbuf *segments,
		    struct tfs_headless *out, struct tfs_err *err)
{
	struct tfs_record_buffer b;
	int rc;

	tfs_instance_top(&p->inst);
	if (*p->name && (tfs_instance_named(&p->inst, p->name, NULL) ||
			 !tfs_instance_exists(h->root, &p->inst))) {
		p->deleted = true;
		tfs_instance_top(&p->inst);
	}
	out->deleted += p->deleted;
	rc = tfs_record_buffer_init(&b, h->root, &p->inst, NULL, err);
	if (!rc) {
		const struct tfs_dat_segments_buffer segment = {
			.name = p->name,
			.clock = p->deleted ? "local" : b.clock.s,
			.page_size = b.subbuf.size,
		};

		rc = tfs_dat_segments_add(segments, &segment, tfs_cpus_count(&p->cpus));
		if (!rc && !out->clock && !(out->clock = strdup(segment.clock)))
			rc = -ENOMEM;
	}
	for (unsigned int cpu = 0; cpu < h->n_cpus && !rc; cpu++)
		if (tfs_cpus_has(&p->cpus, cpu))
			rc = tfs_dat_segments_add_cpu(segments, cpu);
	tfs_record_buffer_release(&b);
	return rc;
}

static int list_segments(struct headless *h, struct tfs_strbuf *segments, struct tfs_headless *out,
			 struct tfs_err *err)
{
	struct tfs_strbuf boot = TFS_STRBUF_INIT;
	int rc;

	if (!tfs_read_path(TFS_DAT_BOOT_ID, &boot))
		tfs_strbuf_rtrim(&boot);
	rc = tfs_dat_segments_begin(segments, 0, boot.s);
	tfs_strbuf_release(&boot);
	for (size_t i = 0; i < h->n && !rc; i++)
		rc = add_part(h, &h->parts[i], segments, out, err);
	return rc;
}

static int write_head(struct headless *h, struct tfs_dat_writer *w, struct tfs_headless *out,
		      struct tfs_err *err)
{
	struct tfs_strbuf segments = TFS_STRBUF_INIT;
	struct tfs_strvec events = TFS_STRVEC_INIT;
	int rc = list_segments(h, &segments, out, err);

	if (!rc)
		rc = tfs_event_systems(h->root, &events, err);
	if (!rc) {
		const struct tfs_meta_head head = {
			.root = h->root,
			.inst = &h->parts[0].inst,
			.events = &events,
			.n_cpus = h->n_cpus,
		};

		rc = tfs_meta_write_head(w, &head, err);
	}
	if (!rc)
		rc = tfs_dat_writer_option(w, TFS_DAT_PRIVATE_SEGMENTS, segments.s, segments.len);
	if (!rc)
		rc = tfs_dat_writer_head(w, err);
	tfs_strvec_release(&events);
	tfs_strbuf_release(&segments);
	return rc;
}

static int write_file(struct headless *h, int fd, struct tfs_headless *out, struct tfs_err *err)
{
	struct tfs_dat_writer *w = NULL;
	struct tfs_record_buffer top;
	struct tfs_codec *codec = NULL;
	struct tfs_instance inst;
	int rc;

	tfs_instance_top(&inst);
	rc = tfs_record_buffer_init(&top, h->root, &inst, NULL, err);
	/* The data are sub-buffers as they are. */
	if (!rc)
		rc = tfs_codec_new(TFS_CODEC_NONE, 0, &codec, err);
	if (!rc)
		rc = tfs_dat_writer_new(fd, codec, top.subbuf.size, &w, err);
	if (!rc)
		rc = write_head(h, w, out, err);
	tfs_record_buffer_release(&top);
	tfs_dat_writer_free(w);
	tfs_codec_free(codec);
	return rc;
}

int tfs_headless_begin(const char *path, const struct tfs_root *root, struct tfs_headless *out,
		       struct tfs_err *err)
{
	struct headless h = { .path = path, .root = root };
	int fd = -1, rc;

	*out = (struct tfs_headless){ 0 };
	rc = find_files(&h, out, err);
	if (!rc) {
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			rc = tfs_err_set(err, -errno, "cannot create '%s'", path);
	}
	if (!rc)
		rc = write_file(&h, fd, out, err);
	if (rc && fd >= 0) {
		unlink(path);
		if (!err || !err->code)
			tfs_err_set(err, rc, "cannot write '%s'", path);
	}
	out->n_buffers = rc ? 0 : h.n;
	tfs_close(&fd);
	release(&h);
	return rc;
}
