/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/meta.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "config.h"
#include "data/dat-write.h"
#include "fs/file.h"
#include "fs/instance.h"

#define PATH_SIZE 512

/* A file of the recording's host byte order, as the writer's header says. */
static int add_u32(struct tfs_strbuf *sb, uint32_t v)
{
	return tfs_strbuf_add(sb, &v, sizeof(v));
}

/* u64 length, bytes: how format files and header pages are stored. */
static int add_sized(struct tfs_strbuf *sb, const struct tfs_strbuf *text)
{
	uint64_t n = text->len;
	int rc = tfs_strbuf_add(sb, &n, sizeof(n));

	return rc ? rc : tfs_strbuf_add(sb, text->s, text->len);
}

void tfs_cpu_stats_parse(const char *text, struct tfs_cpu_stats *out)
{
	static const struct {
		const char *key;
		size_t offset;
	} keys[] = {
		{ "entries", offsetof(struct tfs_cpu_stats, entries) },
		{ "overrun", offsetof(struct tfs_cpu_stats, overrun) },
		{ "commit overrun", offsetof(struct tfs_cpu_stats, commit_overrun) },
		{ "dropped events", offsetof(struct tfs_cpu_stats, dropped) },
		{ "read events", offsetof(struct tfs_cpu_stats, read) },
	};
	const char *line = text;

	memset(out, 0, sizeof(*out));
	while (line) {
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			size_t len = strlen(keys[i].key);
			uint64_t v;

			if (strncmp(line, keys[i].key, len) != 0 || line[len] != ':')
				continue;
			if (sscanf(line + len + 1, "%" SCNu64, &v) == 1)
				memcpy((char *)out + keys[i].offset, &v, sizeof(v));
		}
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
}

int tfs_cpu_stats_read(const struct tfs_root *root, const struct tfs_instance *inst,
		       unsigned int cpu, struct tfs_strbuf *text, struct tfs_cpu_stats *out)
{
	struct tfs_strbuf own = TFS_STRBUF_INIT;
	struct tfs_strbuf *sb = text ? text : &own;
	char path[PATH_SIZE], file[64];
	const size_t before = sb->len;
	int rc;

	memset(out, 0, sizeof(*out));
	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	rc = tfs_instance_path(inst, file, path, sizeof(path));
	if (!rc)
		rc = tfs_file_read(root, path, sb, NULL);
	if (!rc)
		tfs_cpu_stats_parse(sb->s + before, out);
	tfs_strbuf_release(&own);
	return rc;
}

/* Names in a directory of tracefs, without "." and "..", sorted. */
static int list_dir(const struct tfs_root *root, const char *path, struct tfs_strvec *out,
		    struct tfs_err *err)
{
	struct dirent *e;
	DIR *dir;
	int fd = -1, rc;

	rc = tfs_file_open(root, path, O_RDONLY | O_DIRECTORY, &fd, err);
	if (rc)
		return rc;
	dir = fdopendir(fd);
	if (!dir) {
		rc = tfs_err_set(err, -errno, "cannot list '%s'", path);
		tfs_close(&fd);
		return rc;
	}
	while (!rc && (errno = 0, e = readdir(dir))) {
		if (e->d_name[0] != '.' && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN))
			rc = tfs_strvec_push(out, e->d_name);
	}
	if (!rc)
		rc = -errno;
	closedir(dir);
	if (rc)
		return tfs_err_set(err, rc, "cannot list '%s'", path);
	tfs_strvec_sort(out);
	return 0;
}

static int compare_uint(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a;
	unsigned int y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

int tfs_meta_cpus(const struct tfs_root *root, const struct tfs_instance *inst, unsigned int **cpus,
		  size_t *n, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	unsigned int *found = NULL;
	char path[PATH_SIZE], junk;
	int rc;

	*n = 0;
	rc = tfs_instance_path(inst, "per_cpu", path, sizeof(path));
	if (!rc)
		rc = list_dir(root, path, &names, err);
	if (rc)
		goto out;
	found = calloc(names.n + 1, sizeof(*found));
	if (!found) {
		rc = tfs_err_set(err, -ENOMEM, "cannot list '%s'", path);
		goto out;
	}
	for (size_t i = 0; i < names.n; i++) {
		if (sscanf(names.v[i], "cpu%u%c", &found[*n], &junk) == 1)
			(*n)++;
	}
	qsort(found, *n, sizeof(*found), compare_uint);
	if (!*n)
		rc = tfs_err_say(err, -ENODEV, "there is no CPU in '%s'", path);
out:
	tfs_strvec_release(&names);
	if (rc)
		free(found);
	else
		*cpus = found;
	return rc;
}

static int read_instance_file(const struct tfs_root *root, const struct tfs_instance *inst,
			      const char *file, struct tfs_strbuf *sb, struct tfs_err *err)
{
	char path[PATH_SIZE];
	int rc = tfs_instance_path(inst, file, path, sizeof(path));

	return rc ? rc : tfs_file_read(root, path, sb, err);
}

int tfs_meta_clock(const struct tfs_root *root, const struct tfs_instance *inst,
		   struct tfs_strbuf *name, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const char *open, *close;
	int rc;

	rc = read_instance_file(root, inst, "trace_clock", &text, err);
	if (rc)
		goto out;
	open = strchr(text.s, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close) {
		rc = tfs_err_say(err, -EBADMSG, "trace_clock names no clock in brackets");
		goto out;
	}
	rc = tfs_strbuf_add(name, open + 1, (size_t)(close - open - 1));
	if (rc)
		tfs_err_set(err, rc, "cannot keep the name of the clock");
out:
	tfs_strbuf_release(&text);
	return rc;
}

static int write_header_info(struct tfs_dat_writer *w, const struct tfs_meta_head *head,
			     struct tfs_err *err)
{
	static const char *const files[] = { "header_page", "header_event" };
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char name[64];
	int rc = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !rc; i++) {
		tfs_strbuf_reset(&text);
		snprintf(name, sizeof(name), "events/%s", files[i]);
		rc = read_instance_file(head->root, head->inst, name, &text, err);
		if (!rc)
			rc = tfs_strbuf_add(&payload, files[i], strlen(files[i]) + 1);
		if (!rc)
			rc = add_sized(&payload, &text);
	}
	if (!rc)
		rc = tfs_dat_writer_section(w, TFS_DAT_HEADER_INFO, payload.s, payload.len, err);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&payload);
	return rc;
}

/* One event's format file, if it is still there: modules come and go. */
static int add_format(const struct tfs_root *root, const char *system, const char *event,
		      struct tfs_strbuf *formats, uint32_t *count)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	int rc;

	rc = tfs_strbuf_addf(&path, "events/%s/%s/format", system, event);
	if (rc)
		goto out;
	rc = tfs_file_read(root, path.s, &text, NULL);
	if (rc) {
		rc = rc == -ENOMEM ? rc : 0;
		goto out;
	}
	rc = add_sized(formats, &text);
	if (!rc)
		(*count)++;
out:
	tfs_strbuf_release(&path);
	tfs_strbuf_release(&text);
	return rc;
}

static int write_ftrace_events(struct tfs_dat_writer *w, const struct tfs_root *root,
			       struct tfs_err *err)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_strbuf formats = TFS_STRBUF_INIT;
	struct tfs_strvec names = TFS_STRVEC_INIT;
	uint32_t count = 0;
	int rc;

	rc = list_dir(root, "events/ftrace", &names, err);
	if (rc)
		goto out;
	for (size_t i = 0; i < names.n && !rc; i++)
		rc = add_format(root, "ftrace", names.v[i], &formats, &count);
	if (!rc)
		rc = add_u32(&payload, count);
	if (!rc)
		rc = tfs_strbuf_add(&payload, formats.s, formats.len);
	if (rc)
		tfs_err_set(err, rc, "cannot collect the formats of ftrace");
	else
		rc = tfs_dat_writer_section(w, TFS_DAT_FTRACE_EVENTS, payload.s, payload.len, err);
out:
	tfs_strvec_release(&names);
	tfs_strbuf_release(&formats);
	tfs_strbuf_release(&payload);
	return rc;
}

/*
 * "system:*" becomes its events; the result is sorted, so that a system's events are neighbours. A
 * system that is not there any more has none: its module was unloaded (tests/vm/t-module.sh).
 */
static int expand_events(const struct tfs_root *root, const struct tfs_strvec *events,
			 struct tfs_strvec *out, struct tfs_err *err)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < events->n && !rc; i++) {
		const char *colon = strchr(events->v[i], ':');
		struct tfs_strvec names = TFS_STRVEC_INIT;

		if (!colon || strcmp(colon, ":*") != 0) {
			rc = tfs_strvec_push(out, events->v[i]);
			continue;
		}
		tfs_strbuf_reset(&path);
		rc = tfs_strbuf_addf(&path, "events/%.*s", (int)(colon - events->v[i]),
				     events->v[i]);
		if (!rc)
			rc = list_dir(root, path.s, &names, NULL);
		for (size_t k = 0; k < names.n && !rc; k++)
			rc = tfs_strvec_pushf(out, "%.*s:%s", (int)(colon - events->v[i]),
					      events->v[i], names.v[k]);
		if (rc == -ENOENT)
			rc = 0;
		tfs_strvec_release(&names);
	}
	tfs_strbuf_release(&path);
	if (rc)
		return tfs_err_set(err, rc, "cannot collect the formats of events");
	tfs_strvec_sort(out);
	return 0;
}

/* The events of one system, the first of which is names->v[*i]; *i is stepped over them. */
static int add_system(const struct tfs_root *root, const struct tfs_strvec *names, size_t *i,
		      struct tfs_strbuf *systems)
{
	struct tfs_strbuf formats = TFS_STRBUF_INIT;
	const char *first = names->v[*i];
	const size_t len = strcspn(first, ":");
	struct tfs_strbuf system = TFS_STRBUF_INIT;
	uint32_t count = 0;
	int rc = tfs_strbuf_add(&system, first, len);

	for (; *i < names->n && !strncmp(names->v[*i], first, len + 1); ++*i) {
		bool again = *i && !strcmp(names->v[*i], names->v[*i - 1]);

		if (!rc && !again && first[len])
			rc = add_format(root, system.s, names->v[*i] + len + 1, &formats, &count);
	}
	if (!rc)
		rc = tfs_strbuf_add(systems, system.s, len + 1);
	if (!rc)
		rc = add_u32(systems, count);
	if (!rc)
		rc = tfs_strbuf_add(systems, formats.s, formats.len);
	tfs_strbuf_release(&system);
	tfs_strbuf_release(&formats);
	return rc;
}

static int write_event_formats(struct tfs_dat_writer *w, const struct tfs_meta_head *head,
			       struct tfs_err *err)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_strbuf systems = TFS_STRBUF_INIT;
	struct tfs_strvec names = TFS_STRVEC_INIT;
	uint32_t count = 0;
	int rc;

	rc = expand_events(head->root, head->events, &names, err);
	if (rc)
		goto out;
	for (size_t i = 0; i < names.n && !rc; count++)
		rc = add_system(head->root, &names, &i, &systems);
	if (!rc)
		rc = add_u32(&payload, count);
	if (!rc)
		rc = tfs_strbuf_add(&payload, systems.s, systems.len);
	if (rc)
		tfs_err_set(err, rc, "cannot collect the formats of events");
	else
		rc = tfs_dat_writer_section(w, TFS_DAT_EVENT_FORMATS, payload.s, payload.len, err);
out:
	tfs_strvec_release(&names);
	tfs_strbuf_release(&systems);
	tfs_strbuf_release(&payload);
	return rc;
}

/* u32 length, bytes: a text that a recording can do without, behind four bytes of @payload. */
static int write_text(struct tfs_dat_writer *w, enum tfs_dat_id id, struct tfs_strbuf *payload,
		      struct tfs_err *err)
{
	const size_t len = payload->len - sizeof(uint32_t);
	uint32_t n = (uint32_t)len;

	if (len > UINT32_MAX)
		return 0;
	memcpy(payload->s, &n, sizeof(n));
	return tfs_dat_writer_section(w, id, payload->s, payload->len, err);
}

/* The symbols are megabytes: they are read to where they are compressed from. */
static int write_symbols(struct tfs_dat_writer *w, const struct tfs_root *root, struct tfs_err *err)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	int rc = add_u32(&payload, 0);

	if (!rc && !tfs_read_path("/proc/kallsyms", &payload))
		rc = write_text(w, TFS_DAT_KALLSYMS, &payload, err);
	payload.len = rc ? 0 : sizeof(uint32_t);
	if (!rc && !tfs_file_read(root, "printk_formats", &payload, NULL))
		rc = write_text(w, TFS_DAT_PRINTK, &payload, err);
	tfs_strbuf_release(&payload);
	if (rc && (!err || !err->code))
		return tfs_err_set(err, rc, "cannot collect the kernel's symbols");
	return rc;
}

/* A string with its NUL. */
static int option_strz(struct tfs_dat_writer *w, uint16_t id, const char *s)
{
	return tfs_dat_writer_option(w, id, s, strlen(s) + 1);
}

static int write_head_options(struct tfs_dat_writer *w, const struct tfs_meta_head *head,
			      struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	uint32_t cpus = head->n_cpus;
	struct utsname un;
	int rc = 0;

	/* The instance's own: what readers take the unit of the time stamps from. */
	if (!read_instance_file(head->root, head->inst, "trace_clock", &text, NULL))
		rc = option_strz(w, TFS_DAT_TRACECLOCK, text.s);
	if (!rc && !uname(&un)) {
		tfs_strbuf_reset(&text);
		rc = tfs_strbuf_addf(&text, "%s %s %s %s", un.sysname, un.nodename, un.release,
				     un.machine);
		if (!rc)
			rc = option_strz(w, TFS_DAT_UNAME, text.s);
	}
	if (!rc)
		rc = option_strz(w, TFS_DAT_VERSION, "tracecraft " PACKAGE_VERSION);
	if (!rc)
		rc = tfs_dat_writer_option(w, TFS_DAT_CPUCOUNT, &cpus, sizeof(cpus));
	if (!rc && head->parts)
		rc = tfs_dat_writer_option(w, TFS_DAT_PRIVATE_PARTS, head->parts->s,
					   head->parts->len);
	tfs_strbuf_release(&text);
	return rc ? tfs_err_set(err, rc, "cannot describe the recording") : 0;
}

int tfs_meta_write_head(struct tfs_dat_writer *w, const struct tfs_meta_head *head,
			struct tfs_err *err)
{
	int rc = write_header_info(w, head, err);

	if (!rc)
		rc = write_ftrace_events(w, head->root, err);
	if (!rc)
		rc = write_event_formats(w, head, err);
	if (!rc)
		rc = write_symbols(w, head->root, err);
	if (!rc)
		rc = write_head_options(w, head, err);
	return rc;
}

int tfs_meta_write_cmdlines(struct tfs_dat_writer *w, const struct tfs_root *root,
			    struct tfs_err *err)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = 0;

	/* Without it tasks have no names; that is no reason to lose the recording. */
	if (tfs_file_read(root, "saved_cmdlines", &text, NULL))
		tfs_strbuf_reset(&text);
	rc = add_sized(&payload, &text);
	if (rc)
		tfs_err_set(err, rc, "cannot collect the names of tasks");
	else
		rc = tfs_dat_writer_section(w, TFS_DAT_CMDLINES, payload.s, payload.len, err);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&payload);
	return rc;
}
