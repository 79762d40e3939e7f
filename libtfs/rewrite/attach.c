/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/out-file.h"
#include "base/strbuf-core.h"
#include "rewrite/attach-clocks.h"
#include "rewrite/bytes.h"
#include "rewrite/convert.h"
#include "rewrite/dat-out.h"
#include "rewrite/image.h"
#include "rewrite/option-order.h"
#include "rewrite/vcpus.h"
#include "tracedat/dat-append.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-guest.h"
#include "tracedat/dat-host.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-shift.h"

#define OPTIONS_MOST 3
#define MACHINE_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Options for one of the files; their numbers are in the byte order of its head. */
struct addition {
	struct tfs_attach_file *file;
	bool big;
	uint64_t id; /* its TRACEID */
	struct tfs_image_option options[OPTIONS_MOST];
	size_t n;
};

int tfs_attach_open(const char *path, struct tfs_attach_file *file, struct tfs_err *err)
{
	int copy, rc;

	*file = (struct tfs_attach_file){ .fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY) };
	if (file->fd < 0)
		return tfs_err_set(err, -errno, "cannot open '%s' for writing", path);
	if (flock(file->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return tfs_err_say(err, -EBUSY, "'%s' is being attached by another program", path);
	copy = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return tfs_err_set(err, -errno, "cannot open '%s'", path);
	rc = tfs_dat_open_fd(copy, path, &file->dat, err);
	if (rc || !tfs_dat_damage(file->dat))
		return rc;
	tfs_err_say(err, -EBADMSG, "'%s' is damaged: %s", path, tfs_dat_damage(file->dat)->msg);
	tfs_err_hint(err, "'tc-file convert' writes what can be read of it to another file");
	return -EBADMSG;
}

void tfs_attach_close(struct tfs_attach_file *file)
{
	tfs_dat_free(file->dat);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct tfs_attach_file){ .fd = -1 };
}

/* --- what the options hold */

static struct tfs_strbuf *new_option(struct addition *a, uint16_t id)
{
	struct tfs_image_option *o = &a->options[a->n++];

	o->id = id;
	tfs_strbuf_init(&o->data);
	return &o->data;
}

/* The file's TRACEID, or a new one */
static int find_id(struct addition *a)
{
	if (tfs_dat_trace_id(a->file->dat, &a->id) && a->id)
		return 0;
	if (getrandom(&a->id, sizeof(a->id), 0) != sizeof(a->id))
		return -errno;
	a->id |= 1; /* trace-cmd takes 0 for none */
	return tfs_add_u64(new_option(a, TFS_DAT_TRACEID), a->id, a->big);
}

static int add_guest(struct addition *host, const struct addition *guest,
		     const struct tfs_attach_opts *opts)
{
	struct tfs_strbuf *sb = new_option(host, TFS_DAT_GUEST);
	char uname[TFS_DAT_HOST_SIZE] = "";
	const char *name = opts->name;
	int rc;

	if (!name) {
		(void)tfs_dat_host(guest->file->dat, uname);
		name = uname;
	}
	rc = tfs_strbuf_add(sb, name, strlen(name) + 1);
	if (!rc)
		rc = tfs_add_u64(sb, guest->id, host->big);
	if (!rc)
		rc = tfs_add_u32(sb, (uint32_t)opts->n_vcpus, host->big);
	for (size_t i = 0; i < opts->n_vcpus && !rc; i++) {
		rc = tfs_add_u32(sb, opts->vcpus[i].cpu, host->big);
		if (!rc)
			rc = tfs_add_u32(sb, opts->vcpus[i].pid, host->big);
	}
	return rc;
}

static const struct tfs_attach_shift *shift_of(const struct tfs_attach_opts *opts, uint32_t cpu)
{
	return &opts->shifts[cpu < opts->n_shifts ? cpu : opts->n_shifts - 1];
}

/* Readers use scaling and fraction only where there are two samples. */
static uint32_t samples_of(const struct tfs_attach_shift *s)
{
	return s->scaling == 1 && !s->fraction ? 1 : 2;
}

static int add_samples(struct tfs_strbuf *sb, const struct tfs_attach_shift *s, bool big)
{
	const uint32_t n = samples_of(s);
	int rc = tfs_add_u32(sb, n, big);

	for (uint32_t i = 0; i < n && !rc; i++)
		rc = tfs_add_u64(sb, s->time + i, big);
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = tfs_add_u64(sb, (uint64_t)s->offset, big);
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = tfs_add_u64(sb, s->scaling, big);
	return rc;
}

static int add_shift(struct addition *guest, uint64_t peer, const struct tfs_attach_opts *opts,
		     uint32_t cpus)
{
	struct tfs_strbuf *sb = new_option(guest, TFS_DAT_TIME_SHIFT);
	int rc = tfs_add_u64(sb, peer, guest->big);

	if (!rc)
		rc = tfs_add_u32(sb, 0, guest->big);
	if (!rc)
		rc = tfs_add_u32(sb, cpus, guest->big);
	for (uint32_t cpu = 0; cpu < cpus && !rc; cpu++)
		rc = add_samples(sb, shift_of(opts, cpu), guest->big);
	for (uint32_t cpu = 0; cpu < cpus && !rc; cpu++)
		for (uint32_t i = 0; i < samples_of(shift_of(opts, cpu)) && !rc; i++)
			rc = tfs_add_u64(sb, shift_of(opts, cpu)->fraction, guest->big);
	return rc;
}

static int add_shift_by_clocks(struct addition *guest, const struct addition *host, uint32_t cpus,
			       struct tfs_attach_done *done, struct tfs_err *err)
{
	const struct tfs_dat_shift shift = { .peer = host->id, .cpus = cpus };
	struct tfs_strbuf *sb = new_option(guest, TFS_DAT_TIME_SHIFT);
	int rc =
		tfs_attach_clocks(host->file->dat, guest->file->dat, &shift, sb, &done->bound, err);

	done->by_clocks = true;
	if (!rc && guest->big != MACHINE_IS_BIG)
		tfs_option_swap(TFS_DAT_TIME_SHIFT, sb->s, sb->len, MACHINE_IS_BIG);
	return rc;
}

/* The host's option, with its numbers in the byte order of the guest's file */
static int add_cycles(struct addition *guest, const struct addition *host)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(host->file->dat, TFS_DAT_TSC2NSEC);
	const bool big = host->big != tfs_dat_options_swapped(host->file->dat);
	struct tfs_strbuf *sb;
	int rc;

	if (!o)
		return 0;
	sb = new_option(guest, TFS_DAT_TSC2NSEC);
	rc = tfs_strbuf_add(sb, o->data.data, o->data.size);
	if (!rc && guest->big != big)
		tfs_option_swap(TFS_DAT_TSC2NSEC, sb->s, sb->len, big);
	return rc;
}

/* --- checks */

static const char *clock_of(const struct tfs_dat *dat)
{
	return tfs_dat_n_buffers(dat) ? tfs_dat_buffer(dat, 0)->clock : "";
}

static bool counts_cycles(const struct tfs_dat *dat)
{
	const char *clock = clock_of(dat);

	return !strcmp(clock, "x86-tsc") || !strcmp(clock, "tsc2nsec") || !strcmp(clock, "ppc-tb");
}

static int check_same(const struct addition *host, const struct addition *guest,
		      struct tfs_err *err)
{
	if (host->id == guest->id)
		return tfs_err_say(err, -EINVAL, "'%s' and '%s' are the same recording",
				   tfs_dat_path(host->file->dat), tfs_dat_path(guest->file->dat));
	return 0;
}

static int check_clocks(const struct tfs_dat *host, const struct tfs_dat *guest, bool by_clocks,
			struct tfs_err *err)
{
	const char *h = clock_of(host), *g = clock_of(guest);

	if (*h && *g && counts_cycles(host) != counts_cycles(guest)) {
		tfs_err_say(err, -EINVAL,
			    "the clocks of '%s' (%s) and '%s' (%s) count different units",
			    tfs_dat_path(host), h, tfs_dat_path(guest), g);
		tfs_err_hint(err, "record both with -C mono, or the host with trace-cmd's clock "
				  "tsc2nsec and the guest with x86-tsc");
		return -EINVAL;
	}
	if (!by_clocks || !counts_cycles(guest))
		return 0;
	tfs_err_say(err, -EINVAL, "'%s' counts cycles (%s): comparisons of clocks do not apply",
		    tfs_dat_path(guest), g);
	tfs_err_hint(err, "say with -s what is added: minus the tsc-offset that "
			  "/sys/kernel/debug/kvm/PID-*/vcpu*/tsc-offset has");
	return -EINVAL;
}

static int check_cpus(const struct tfs_attach_opts *opts, uint32_t cpus, struct tfs_err *err)
{
	if (!cpus || cpus > TFS_VCPUS_MAX)
		return tfs_err_say(err, -EINVAL, "a guest does not have %u CPUs", cpus);
	if (opts->n_shifts > cpus)
		return tfs_err_say(err, -EINVAL, "%zu shifts are given, and the guest has %u CPU%s",
				   opts->n_shifts, cpus, cpus == 1 ? "" : "s");
	return 0;
}

/* --- the files */

static int append(struct addition *a, struct tfs_err *err)
{
	const bool swapped = tfs_dat_options_swapped(a->file->dat);
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < a->n && !rc; i++) {
		const struct tfs_strbuf *data = &a->options[i].data;
		size_t at;

		rc = tfs_add_u16(&sb, a->options[i].id, a->big);
		if (!rc)
			rc = tfs_add_u32(&sb, (uint32_t)data->len, a->big);
		at = sb.len;
		if (!rc)
			rc = tfs_strbuf_add(&sb, data->s, data->len);
		if (!rc && swapped)
			tfs_option_swap(a->options[i].id, sb.s + at, data->len, a->big);
	}
	if (rc)
		tfs_err_set(err, rc, "cannot write '%s'", tfs_dat_path(a->file->dat));
	else
		rc = tfs_dat_append_options(a->file->fd, a->file->dat, sb.s, sb.len, err);
	tfs_strbuf_release(&sb);
	return rc;
}

static int write_image(struct addition *a, int fd, struct tfs_err *err)
{
	const struct tfs_dat_info *info = tfs_dat_info(a->file->dat);
	const struct tfs_dat_form form = { .version = info->version, .codec = info->codec };
	struct tfs_dat_out *out = NULL;
	struct tfs_image image;
	int rc = tfs_image_read(a->file->dat, &image, err);

	for (size_t i = 0; i < a->n && !rc; i++)
		if (tfs_image_add_option(&image, a->options[i].id, a->options[i].data.s,
					 a->options[i].data.len))
			rc = tfs_err_set(err, -ENOMEM, "cannot add options");
	if (!rc)
		rc = tfs_dat_out_check(&image, &form, err);
	if (!rc)
		rc = tfs_dat_out_new(fd, &image, &form, &out, err);
	if (!rc)
		rc = tfs_convert_data(a->file->dat, out, err);
	if (!rc)
		rc = tfs_dat_out_end(out, err);
	if (!rc && tfs_dat_damage(a->file->dat)) {
		*err = *tfs_dat_damage(a->file->dat);
		rc = err->code ? err->code : -EBADMSG;
	}
	tfs_dat_out_free(out);
	tfs_image_release(&image);
	return rc;
}

static int take_owner(int from, int to, struct tfs_err *err)
{
	struct stat st;

	if (fstat(from, &st) || (fchown(to, st.st_uid, st.st_gid) && errno != EPERM) ||
	    fchmod(to, st.st_mode & 07777))
		return tfs_err_set(err, -errno, "cannot keep owner and mode");
	return 0;
}

static int replace(struct addition *a, struct tfs_err *err)
{
	/* Where the file is, not a link to it */
	char *path = realpath(tfs_dat_path(a->file->dat), NULL);
	struct tfs_out_file *file = NULL;
	int rc = path ? 0 : tfs_err_set(err, -errno, "'%s'", tfs_dat_path(a->file->dat));

	if (!rc)
		rc = tfs_out_file_open(path, &file, err);
	if (!rc)
		rc = take_owner(a->file->fd, tfs_out_file_fd(file), err);
	if (!rc)
		rc = write_image(a, tfs_out_file_fd(file), err);
	if (!rc)
		rc = tfs_out_file_commit(file, err);
	tfs_out_file_free(file);
	free(path);
	return rc ? tfs_err_prefix(err, "'%s'", tfs_dat_path(a->file->dat)) : 0;
}

static int store(struct addition *a, struct tfs_err *err)
{
	int rc;

	if (!a->n)
		return 0;
	rc = append(a, err);
	if (rc != -EOPNOTSUPP)
		return rc;
	tfs_err_clear(err);
	return replace(a, err);
}

static void release(struct addition *a)
{
	for (size_t i = 0; i < a->n; i++)
		tfs_strbuf_release(&a->options[i].data);
}

static int plan(struct addition *host, struct addition *guest, const struct tfs_attach_opts *opts,
		struct tfs_attach_done *done, struct tfs_err *err)
{
	const struct tfs_dat_info *info = tfs_dat_info(guest->file->dat);
	const uint32_t cpus = opts->cpus ? opts->cpus : info->cpus;
	size_t n;
	int *pids = NULL;
	int rc = check_clocks(host->file->dat, guest->file->dat, !opts->n_shifts, err);

	if (!rc)
		rc = check_cpus(opts, cpus, err);
	if (rc)
		return rc;
	rc = tfs_dat_vcpu_pids(host->file->dat, guest->id, &pids, &n);
	done->mapped = pids != NULL;
	free(pids);
	if (!rc && !done->mapped)
		rc = add_guest(host, guest, opts);
	if (rc)
		return tfs_err_set(err, rc, "cannot describe the guest");
	if (opts->n_shifts)
		rc = add_shift(guest, host->id, opts, cpus);
	else
		rc = add_shift_by_clocks(guest, host, cpus, done, err);
	if (!rc && opts->n_shifts)
		rc = add_cycles(guest, host);
	return rc == -ENOMEM ? tfs_err_set(err, rc, "cannot describe the guest") : rc;
}

int tfs_attach(struct tfs_attach_file *host, struct tfs_attach_file *guest,
	       const struct tfs_attach_opts *opts, struct tfs_attach_done *done,
	       struct tfs_err *err)
{
	struct addition h = { .file = host, .big = tfs_dat_info(host->dat)->big_endian };
	struct addition g = { .file = guest, .big = tfs_dat_info(guest->dat)->big_endian };
	int rc = find_id(&h);

	*done = (struct tfs_attach_done){ .mapped = false };
	if (!rc)
		rc = find_id(&g);
	if (rc)
		tfs_err_set(err, rc, "cannot make an id for the recordings");
	if (!rc)
		rc = check_same(&h, &g, err);
	if (!rc)
		rc = plan(&h, &g, opts, done, err);
	if (!rc)
		rc = store(&g, err);
	if (!rc)
		rc = store(&h, err);
	release(&h);
	release(&g);
	return rc;
}
