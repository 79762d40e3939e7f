/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libFuzzer target: a trace.dat file is checked, printed, converted, scrubbed, joined, attached. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/out.h"
#include "base/strvec.h"
#include "lib/bytes.h"
#include "rewrite/attach.h"
#include "rewrite/convert.h"
#include "rewrite/dat-out.h"
#include "rewrite/dump.h"
#include "rewrite/image.h"
#include "rewrite/join.h"
#include "rewrite/pseudonym.h"
#include "rewrite/scrub.h"
#include "rewrite/vcpus.h"
#include "tracedat/dat-check.h"
#include "tracedat/dat-read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore(void *context, enum tfs_dat_grade grade, uint64_t offset, const char *text)
{
	(void)context;
	(void)grade;
	(void)offset;
	(void)text;
}

static struct tfs_dat *open_bytes(const uint8_t *data, size_t size)
{
	struct tfs_dat *dat;

	return tfs_dat_open_fd(bytes_to_fd(data, size), "fuzz", &dat, NULL) ? NULL : dat;
}

static int new_file(void)
{
	int fd = memfd_create("out", MFD_CLOEXEC);

	if (fd < 0)
		abort();
	return fd;
}

static void convert(const uint8_t *data, size_t size, int version)
{
	const struct tfs_dat_form form = { .version = version, .codec = TFS_CODEC_NONE };
	struct tfs_dat *dat = open_bytes(data, size);
	struct tfs_dat_out *out = NULL;
	struct tfs_image image;
	int fd = new_file(), rc;

	rc = tfs_image_read(dat, &image, NULL);
	if (!rc)
		rc = tfs_dat_out_new(fd, &image, &form, &out, NULL);
	if (!rc)
		rc = tfs_convert_data(dat, out, NULL);
	if (!rc)
		tfs_dat_out_end(out, NULL);
	tfs_dat_out_free(out);
	tfs_image_release(&image);
	tfs_dat_free(dat);
	close(fd);
}

static void scrub(const uint8_t *data, size_t size)
{
	const struct tfs_dat_form form = { .version = 7, .codec = TFS_CODEC_NONE };
	struct tfs_dat *dat = open_bytes(data, size);
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_pseudonym_key key = { { 1, 2 } };
	const struct tfs_scrub_opts opts = { &names, &key, &form };
	struct tfs_scrubbed done;
	int fd = new_file();

	if (!tfs_strvec_split(&names, "comm,filename,*", ","))
		tfs_scrub(dat, &opts, fd, &done, NULL);
	tfs_strvec_release(&names);
	tfs_dat_free(dat);
	close(fd);
}

static void join(const uint8_t *data, size_t size)
{
	const struct tfs_dat_form form = { .version = 7, .codec = TFS_CODEC_NONE };
	struct tfs_dat *dats[] = { open_bytes(data, size), open_bytes(data, size) };
	struct tfs_join_notes notes;
	int fd = new_file();

	tfs_join(dats, 2, fd, &form, &notes, NULL);
	tfs_dat_free(dats[0]);
	tfs_dat_free(dats[1]);
	close(fd);
}

/* A file of its own each time. Version 6 would be replaced in a directory that is missing. */
static struct tfs_attach_file open_attached(const uint8_t *data, size_t size)
{
	struct tfs_attach_file f = { .fd = bytes_to_fd(data, size) };

	if (tfs_dat_open_fd(dup(f.fd), "/nonexistent/fuzz", &f.dat, NULL))
		abort();
	return f;
}

/* Options that were added leave a sound file sound. */
static void attach(const uint8_t *data, size_t size)
{
	struct tfs_attach_file host = open_attached(data, size);
	struct tfs_attach_file guest = open_attached(data, size);
	const struct tfs_attach_shift shift = { .offset = -1, .scaling = 3, .fraction = 1 };
	struct tfs_attach_opts opts = { .shifts = &shift };
	struct tfs_vcpus vcpus;
	struct tfs_attach_done done;
	struct tfs_dat *dat = NULL;

	tfs_vcpus_find(host.dat, NULL, 0, 0, &vcpus, NULL);
	opts.vcpus = vcpus.v;
	opts.n_vcpus = vcpus.n;
	if (!tfs_dat_damage(host.dat)) {
		opts.n_shifts = size & 1;
		if (!tfs_attach(&host, &guest, &opts, &done, NULL) &&
		    (tfs_dat_open_fd(dup(guest.fd), "fuzz", &dat, NULL) || tfs_dat_damage(dat)))
			abort();
	}
	free(vcpus.v);
	tfs_dat_free(dat);
	tfs_attach_close(&host);
	tfs_attach_close(&guest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tfs_dat_checker checker = { ignore, NULL };
	struct tfs_dat *dat = open_bytes(data, size);
	struct tfs_dat_totals totals;
	struct tfs_out *out = NULL;
	int fd;

	if (!dat)
		return 0;
	fd = new_file();
	tfs_dat_check(dat, &checker, &totals, NULL);
	if (!tfs_out_new(fd, &out)) {
		tfs_dump(dat, TFS_DUMP_ALL, out, NULL);
		tfs_out_flush(out);
	}
	tfs_out_free(out);
	tfs_dat_free(dat);
	close(fd);
	convert(data, size, 6);
	convert(data, size, 7);
	scrub(data, size);
	join(data, size);
	attach(data, size);
	return 0;
}
