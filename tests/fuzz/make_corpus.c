/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the seeds of fuzz_dat: make_corpus DIRECTORY. Run by hand when the format grows. */
#include <stdio.h>
#include <string.h>

#include "base/strbuf-core.h"
#include "lib/dat_build.h"
#include "tracedat/dat-constants.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-lost.h"
#include "tracedat/dat-private.h"

static const char *const instances[] = { "", "foo", NULL };

static const struct {
	const char *name;
	struct dat_spec spec;
} seeds[] = {
	{ "v6-minimal", { .version = 6, .cpus = 1, .pages = 1 } },
	{ "v6-instances", { .version = 6, .names = instances } },
	{ "v6-latency", { .version = 6, .latency = true } },
	{ "v6-big-endian-32", { .version = 6, .big = true, .long_size = 4 } },
	{ "v7-none", { .cpus = 2 } },
	{ "v7-none-instances", { .names = instances } },
	{ "v7-none-big-endian", { .big = true } },
	{ "v7-none-32", { .long_size = 4 } },
	{ "v7-none-latency", { .latency = true } },
	{ "v7-zlib", { .codec = TFS_CODEC_ZLIB } },
	{ "v7-zlib-chunks", { .codec = TFS_CODEC_ZLIB, .pages = 5, .chunk_pages = 2 } },
	{ "v7-zlib-latency", { .codec = TFS_CODEC_ZLIB, .latency = true } },
	{ "v7-zstd", { .codec = TFS_CODEC_ZSTD } },
	{ "v7-zstd-instances", { .codec = TFS_CODEC_ZSTD, .names = instances, .short_by = 4 } },
	{ "v7-zstd-big-endian-32", { .codec = TFS_CODEC_ZSTD, .big = true, .long_size = 4 } },
	{ "v7-swapped-options", { .big = true, .swap_binary = true } },
};

static int write_seed(const char *dir, const char *name, const struct bytes *b)
{
	char path[512];
	FILE *f;
	int bad;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f) {
		perror(path);
		return 1;
	}
	bad = fwrite(b->sb.s, 1, b->sb.len, f) != b->sb.len;
	return fclose(f) || bad;
}

/* Every type of entry, and lost events with and without a count. */
static void entries(struct bytes *out)
{
	static const unsigned char payload[132] = { DAT_SAMPLE_EVENT_ID };
	struct dat_spec spec = { .cpus = 1 };
	struct dat_builder d;
	struct page_builder p;
	struct bytes pages;
	struct dat_cpu cpu = { .pages = &pages };

	dat_begin(&d, &spec);
	dat_metadata(&d);
	bytes_init(&pages, false);
	page_begin(&p, &pages, 8, d.spec.page_size, 1000);
	page_data(&p, 0, payload, 12);
	page_pair(&p, 30, 5, 1);
	page_long(&p, 7, payload, 130);
	page_pair(&p, 31, 9, 3);
	page_pair(&p, 29, 11, 8);
	bytes_zeros(&pages, 4);
	page_data(&p, 1, payload, 112);
	page_word(&p, 29, 0);
	page_end_lost(&p, 77);
	page_begin(&p, &pages, 8, d.spec.page_size, 500000000);
	page_end(&p, 0);
	page_begin(&p, &pages, 8, d.spec.page_size, 500000001);
	page_data(&p, 0, payload, 4);
	page_end(&p, 1u << 31);
	dat_buffer(&d, "", &cpu, 1);
	dat_options_end(&d);
	*out = d.b;
	bytes_init(&d.b, false);
	bytes_release(&pages);
	dat_release(&d);
}

/* Options of tracecraft's own. */
static void private_options(struct bytes *out)
{
	const struct tfs_dat_lost lost = { .cpu = 1, .events = 5, .overrun = 7 };
	struct dat_spec spec = { .cpus = 1 };
	struct tfs_strbuf constants = TFS_STRBUF_INIT, losses = TFS_STRBUF_INIT;
	struct dat_builder d;

	tfs_dat_private_begin(&constants);
	tfs_dat_constants_add(&constants, "I_DIRTY_SYNC", 16);
	tfs_dat_constants_add(&constants, "I_NEW", (uint64_t)-8);
	tfs_dat_lost_begin(&losses);
	tfs_dat_lost_add(&losses, &lost);
	dat_begin(&d, &spec);
	dat_metadata(&d);
	dat_option(&d, TFS_DAT_PRIVATE_CONSTANTS, constants.s, constants.len);
	dat_option(&d, TFS_DAT_PRIVATE_LOST, losses.s, losses.len);
	dat_options_end(&d);
	*out = d.b;
	bytes_init(&d.b, false);
	dat_release(&d);
	tfs_strbuf_release(&constants);
	tfs_strbuf_release(&losses);
}

int main(int argc, char **argv)
{
	struct bytes b;
	size_t i;
	int bad = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: make_corpus DIRECTORY\n");
		return 2;
	}
	for (i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		dat_sample(&seeds[i].spec, &b);
		bad |= write_seed(argv[1], seeds[i].name, &b);
		bytes_release(&b);
	}
	entries(&b);
	bad |= write_seed(argv[1], "v7-entries", &b);
	bytes_release(&b);
	private_options(&b);
	bad |= write_seed(argv[1], "v7-private-options", &b);
	bytes_release(&b);
	return bad;
}
