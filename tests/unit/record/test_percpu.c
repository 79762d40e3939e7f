/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "record/percpu.h"
#include "record/symbol-needs.h"
#include "tracedat/compress.h"

#define SUBBUF 4096u
#define HEADER 16u

/* events/header_page of a 64-bit and of a 32-bit kernel (kernel/trace/ring_buffer.c) */
static const char header_page_64[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				     "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				     "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				     "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
static const char header_page_32[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				     "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
				     "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				     "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:0;\n";

static const struct tfs_subbuf layout = {
	.size = SUBBUF,
	.commit_offset = 8,
	.commit_size = 8,
	.data_offset = HEADER,
};

/*
 * A ring buffer's trace_pipe_raw: a pipe that keeps writes apart (O_DIRECT), so that each read
 * gives a sub-buffer, and none is -EAGAIN.
 */
struct fixture {
	int feed;
	int out;
	struct tfs_codec *codec;
	struct tfs_pipe pipe;
	struct tfs_percpu *p;
	struct tfs_symbol_needs needs;
	atomic_bool give_up;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->feed = -1;
	f->pipe = (struct tfs_pipe){ { -1, -1 }, 0 };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_percpu_free(f->p);
	tfs_codec_free(f->codec);
	tfs_pipe_close(&f->pipe);
	if (f->feed >= 0)
		close(f->feed);
	free(f);
	return 0;
}

static void begin(struct fixture *f, enum tfs_codec_id codec, struct tfs_pipe *pipe, int out)
{
	struct tfs_percpu_opts o = {
		.cpu = 3,
		.subbuf = layout,
		.pipe = pipe,
		.give_up = &f->give_up,
		.needs = &f->needs,
	};
	int fds[2];

	assert_int_equal(pipe2(fds, O_NONBLOCK | (pipe ? 0 : O_DIRECT)), 0);
	assert_int_equal(tfs_codec_new(codec, 0, &f->codec, NULL), 0);
	f->feed = fds[1];
	f->out = out >= 0 ? out : memfd_create("out", 0);
	o.raw = fds[0];
	o.out = f->out;
	o.codec = f->codec;
	assert_int_equal(tfs_percpu_new(&o, &f->p, NULL), 0);
}

static void make_page(unsigned char *page, unsigned char fill, uint64_t used)
{
	memset(page, 0, SUBBUF);
	page[0] = fill;
	memcpy(page + 8, &used, sizeof(used));
	memset(page + HEADER, fill, used);
}

static void feed(const struct fixture *f, unsigned char fill, uint64_t used)
{
	unsigned char page[SUBBUF];

	make_page(page, fill, used);
	assert_int_equal(write(f->feed, page, sizeof(page)), SUBBUF);
}

/* Sub-buffers that are still to be read */
static size_t left(const struct fixture *f)
{
	unsigned char page[SUBBUF];
	size_t n = 0;

	while (read(tfs_percpu_raw_fd(f->p), page, sizeof(page)) > 0)
		n++;
	return n;
}

static void assert_page(const struct fixture *f, size_t index, unsigned char fill, uint64_t used)
{
	unsigned char want[SUBBUF], got[SUBBUF];

	make_page(want, fill, used);
	assert_int_equal(pread(f->out, got, SUBBUF, (off_t)(index * SUBBUF)), SUBBUF);
	assert_memory_equal(got, want, SUBBUF);
}

static void layout_is_read_from_header_page(void **state)
{
	struct tfs_subbuf sub;

	(void)state;
	assert_int_equal(tfs_subbuf_parse(header_page_64, sizeof(header_page_64) - 1, &sub, NULL),
			 0);
	assert_int_equal(sub.size, 4096);
	assert_int_equal(sub.commit_offset, 8);
	assert_int_equal(sub.commit_size, 8);
	assert_int_equal(sub.data_offset, 16);
	assert_int_equal(tfs_subbuf_parse(header_page_32, sizeof(header_page_32) - 1, &sub, NULL),
			 0);
	assert_int_equal(sub.size, 4096);
	assert_int_equal(sub.commit_size, 4);
	assert_int_equal(sub.data_offset, 12);
}

#define COMMIT(offset, size) \
	"\tfield: local_t commit;\toffset:" offset ";\tsize:" size ";\tsigned:1;\n"
#define DATA(size) "\tfield: char data;\toffset:16;\tsize:" size ";\tsigned:0;\n"

static void impossible_layouts_are_refused(void **state)
{
	static const char *const texts[] = {
		"",
		COMMIT("8", "8"),
		DATA("4080"),
		COMMIT("8", "3") DATA("4080"),
		COMMIT("12", "8") DATA("4080"),
		COMMIT("8", "8") DATA("0"),
		COMMIT("8", "8") DATA("4294967295"),
	};
	struct tfs_subbuf sub;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(tfs_subbuf_parse(texts[i], strlen(texts[i]), &sub, NULL),
				 -EBADMSG);
}

/* The kernel adds flags to the commit word as a negative int, so all upper bits may be set. */
static void flags_do_not_count_as_length(void **state)
{
	const uint64_t words[] = { 0xfc0, 0xffffffff80000fc0ULL, 0xffffffffc0000fc0ULL };
	const struct tfs_subbuf sub32 = { .size = SUBBUF, .commit_offset = 8, .commit_size = 4 };
	const uint32_t word32 = 0xc0000123;
	unsigned char page[SUBBUF] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		memcpy(page + 8, &words[i], 8);
		assert_int_equal(tfs_subbuf_used(&layout, page), 0xfc0);
	}
	memcpy(page + 8, &word32, 4);
	assert_int_equal(tfs_subbuf_used(&sub32, page), 0x123);
}

static void draining_stops_at_the_first_subbuffer_that_is_not_full(void **state)
{
	struct fixture *f = *state;

	begin(f, TFS_CODEC_NONE, NULL, -1);
	feed(f, 'a', 4080);
	feed(f, 'b', 3900);
	feed(f, 'c', 200);
	feed(f, 'd', 4080);
	assert_int_equal(tfs_percpu_drain(f->p, NULL), 0);
	assert_int_equal(tfs_percpu_raw_bytes(f->p), 3 * SUBBUF);
	assert_int_equal(left(f), 1);
}

static void the_end_takes_all_that_is_left(void **state)
{
	struct fixture *f = *state;
	struct tfs_percpu_data data;

	begin(f, TFS_CODEC_NONE, NULL, -1);
	feed(f, 'a', 100);
	feed(f, 'b', 4080);
	feed(f, 'c', 60);
	assert_int_equal(tfs_percpu_finish(f->p, NULL), 0);
	assert_int_equal(tfs_percpu_file_bytes(f->p), 3 * SUBBUF);
	assert_int_equal(left(f), 0);
	assert_page(f, 0, 'a', 100);
	assert_page(f, 1, 'b', 4080);
	assert_page(f, 2, 'c', 60);
	assert_int_equal(tfs_percpu_take(f->p, &data), 0);
	assert_int_equal(data.bytes, 3 * SUBBUF);
	assert_int_equal(data.raw_bytes, 3 * SUBBUF);
	assert_int_equal(data.chunks, 0);
	assert_int_equal(data.unwritten, 0);
	assert_null(data.extents);
	tfs_percpu_data_release(&data);
}

static void an_empty_subbuffer_is_not_stored(void **state)
{
	struct fixture *f = *state;

	begin(f, TFS_CODEC_NONE, NULL, -1);
	feed(f, 'a', 4080);
	feed(f, 'b', 0);
	assert_int_equal(tfs_percpu_finish(f->p, NULL), 0);
	assert_int_equal(tfs_percpu_file_bytes(f->p), SUBBUF);
}

static void data_that_is_given_up_stays_unread(void **state)
{
	struct fixture *f = *state;

	begin(f, TFS_CODEC_NONE, NULL, -1);
	feed(f, 'a', 4080);
	assert_int_equal(tfs_percpu_drain(f->p, NULL), 0);
	feed(f, 'b', 4080);
	atomic_store(&f->give_up, true);
	assert_int_equal(tfs_percpu_finish(f->p, NULL), 0);
	assert_int_equal(tfs_percpu_file_bytes(f->p), SUBBUF);
	assert_int_equal(left(f), 1);
}

/* trace-cmd.dat.v7(5): u32 compressed size, u32 size, bytes; ten sub-buffers at most */
static void compressed_data_are_chunks_of_ten(void **state)
{
	struct fixture *f = *state;
	unsigned char *chunk, *pages, want[SUBBUF];
	struct tfs_percpu_data data;
	uint32_t head[2];
	off_t off = 0;

	begin(f, tfs_codec_default(), NULL, -1);
	for (int i = 0; i < 12; i++)
		feed(f, (unsigned char)('a' + i), 4000);
	assert_int_equal(tfs_percpu_finish(f->p, NULL), 0);
	assert_int_equal(tfs_percpu_raw_bytes(f->p), 12 * SUBBUF);
	chunk = malloc(10 * SUBBUF);
	pages = malloc(10 * SUBBUF);
	for (int i = 0; i < 12; i++) {
		if (i == 0 || i == 10) {
			assert_int_equal(pread(f->out, head, 8, off), 8);
			assert_int_equal(head[1], (i ? 2 : 10) * SUBBUF);
			assert_int_equal(pread(f->out, chunk, head[0], off + 8), head[0]);
			assert_int_equal(tfs_codec_expand(f->codec, chunk, head[0], pages, head[1]),
					 0);
			off += 8 + head[0];
		}
		make_page(want, (unsigned char)('a' + i), 4000);
		assert_memory_equal(pages + i % 10 * SUBBUF, want, SUBBUF);
	}
	assert_int_equal(tfs_percpu_file_bytes(f->p), off);
	assert_int_equal(tfs_percpu_take(f->p, &data), 0);
	assert_int_equal(data.chunks, 2);
	assert_int_equal(data.bytes, off);
	tfs_percpu_data_release(&data);
	free(pages);
	free(chunk);
}

static void reports_and_counts_a_write_that_fails(void **state)
{
	struct fixture *f = *state;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_percpu_data data;

	begin(f, TFS_CODEC_NONE, NULL, open("/dev/full", O_RDWR));
	for (int i = 0; i < 3; i++)
		feed(f, 'a', 4080);
	assert_int_equal(tfs_percpu_finish(f->p, &err), -ENOSPC);
	assert_non_null(strstr(err.msg, "CPU 3"));
	assert_int_equal(tfs_percpu_file_bytes(f->p), 0);
	assert_int_equal(tfs_percpu_take(f->p, &data), 0);
	assert_int_equal(data.unwritten, 3 * SUBBUF);
	tfs_percpu_data_release(&data);
}

static void reports_a_read_that_fails(void **state)
{
	struct tfs_percpu_opts o = { .cpu = 3, .subbuf = layout };
	struct fixture *f = *state;
	struct tfs_err err = TFS_ERR_INIT;

	assert_int_equal(tfs_codec_new(TFS_CODEC_NONE, 0, &f->codec, NULL), 0);
	o.codec = f->codec;
	o.raw = open("/", O_RDONLY | O_DIRECTORY);
	o.out = memfd_create("out", 0);
	assert_int_equal(tfs_percpu_new(&o, &f->p, NULL), 0);
	assert_int_equal(tfs_percpu_drain(f->p, &err), -EISDIR);
	assert_non_null(strstr(err.msg, "ring buffer of CPU 3"));
}

static void splice_moves_the_same_bytes(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(tfs_pipe_open(&f->pipe, NULL), 0);
	begin(f, TFS_CODEC_NONE, &f->pipe, -1);
	for (int i = 0; i < 5; i++)
		feed(f, (unsigned char)('a' + i), 4080);
	assert_int_equal(tfs_percpu_drain(f->p, NULL), 0);
	assert_int_equal(tfs_percpu_file_bytes(f->p), 5 * SUBBUF);
	feed(f, 'z', 77);
	assert_int_equal(tfs_percpu_finish(f->p, NULL), 0);
	assert_int_equal(tfs_percpu_raw_bytes(f->p), 6 * SUBBUF);
	for (size_t i = 0; i < 5; i++)
		assert_page(f, i, (unsigned char)('a' + i), 4080);
	assert_page(f, 5, 'z', 77);
}

/* A file opened with O_APPEND refuses splice() with -EINVAL (splice(2)). */
static void where_splice_is_refused_nothing_is_lost(void **state)
{
	struct fixture *f = *state;
	char path[] = "/tmp/tc-percpu.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	fd = open(path, O_RDWR | O_APPEND);
	unlink(path);
	assert_int_equal(tfs_pipe_open(&f->pipe, NULL), 0);
	begin(f, TFS_CODEC_NONE, &f->pipe, fd);
	for (int i = 0; i < 3; i++)
		feed(f, (unsigned char)('a' + i), 4080);
	assert_int_equal(tfs_percpu_drain(f->p, NULL), 0);
	feed(f, 'x', 4080);
	feed(f, 'y', 30);
	assert_int_equal(tfs_percpu_finish(f->p, NULL), 0);
	assert_int_equal(tfs_percpu_file_bytes(f->p), 5 * SUBBUF);
	for (size_t i = 0; i < 3; i++)
		assert_page(f, i, (unsigned char)('a' + i), 4080);
	assert_page(f, 3, 'x', 4080);
	assert_page(f, 4, 'y', 30);
}

static int mappings, reads;
static bool cannot_map;

void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	mappings++;
	if (cannot_map) {
		errno = ENODEV;
		return MAP_FAILED;
	}
	return __real_mmap(addr, len, prot, flags, fd, off);
}

/* mmap() where off_t may be of two sizes */
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off);
void *__wrap_mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	return __wrap_mmap(addr, len, prot, flags, fd, off);
}

int __real_tfs_pread_all(int fd, void *buf, size_t len, off_t off);
int __wrap_tfs_pread_all(int fd, void *buf, size_t len, off_t off);
int __wrap_tfs_pread_all(int fd, void *buf, size_t len, off_t off)
{
	reads++;
	return __real_tfs_pread_all(fd, buf, len, off);
}

/* A sub-buffer of @n events of 8 bytes, all of the type 5 but for the last, which is @type */
static void feed_events(const struct fixture *f, unsigned int n, uint16_t type)
{
	const uint32_t word = 2; /* type_len: include/linux/ring_buffer.h */
	const uint64_t used = n * 12ull;
	unsigned char page[SUBBUF];

	make_page(page, 0, used);
	for (unsigned int i = 0; i < n; i++) {
		const uint16_t id = i + 1 < n ? 5 : type;

		memcpy(page + HEADER + i * 12, &word, sizeof(word));
		memcpy(page + HEADER + i * 12 + 4, &id, sizeof(id));
	}
	assert_int_equal(write(f->feed, page, sizeof(page)), SUBBUF);
}

/* Takes 200 sub-buffers by splice(), and one by read() in the end */
static void count_spliced(struct fixture *f, uint16_t type, struct tfs_percpu_data *data)
{
	assert_int_equal(tfs_pipe_open(&f->pipe, NULL), 0);
	begin(f, TFS_CODEC_NONE, &f->pipe, -1);
	for (unsigned int i = 0; i < 200; i++) {
		feed_events(f, 100 + i, i == 150 ? type : 5);
		assert_int_equal(tfs_percpu_drain(f->p, NULL), 0);
	}
	feed_events(f, 7, 5);
	assert_int_equal(tfs_percpu_finish(f->p, NULL), 0);
	mappings = reads = 0;
	assert_int_equal(tfs_percpu_take(f->p, data), 0);
}

#define SPLICED_EVENTS (200 * 100 + 199 * 200 / 2 + 7)

static void spliced_events_are_counted_without_copying_them(void **state)
{
	struct tfs_percpu_data data;

	count_spliced(*state, 5, &data);
	assert_true(data.is_counted);
	assert_int_equal(data.events, SPLICED_EVENTS);
	assert_int_equal(mappings, 1);
	assert_int_equal(reads, 0);
	tfs_percpu_data_release(&data);
}

static void a_file_that_cannot_be_mapped_is_read(void **state)
{
	struct tfs_percpu_data data;

	cannot_map = true;
	count_spliced(*state, 5, &data);
	cannot_map = false;
	assert_true(data.is_counted);
	assert_int_equal(data.events, SPLICED_EVENTS);
	assert_true(reads > 1);
	tfs_percpu_data_release(&data);
}

static void a_file_that_became_shorter_is_not_counted(void **state)
{
	struct fixture *f = *state;
	struct tfs_percpu_data data;

	tfs_symbol_needs_add(&f->needs, "x", "rare", 300);
	assert_int_equal(tfs_pipe_open(&f->pipe, NULL), 0);
	begin(f, TFS_CODEC_NONE, &f->pipe, -1);
	for (unsigned int i = 0; i < 3; i++)
		feed_events(f, 100, 5);
	assert_int_equal(tfs_percpu_finish(f->p, NULL), 0);
	assert_int_equal(ftruncate(f->out, SUBBUF), 0);
	assert_int_equal(tfs_percpu_take(f->p, &data), 0);
	assert_false(data.is_counted);
	assert_true(atomic_load(&f->needs.seen));
	tfs_percpu_data_release(&data);
}

static void counting_looks_for_events_that_need_symbols(void **state)
{
	struct fixture *f = *state;
	struct tfs_percpu_data data;

	tfs_symbol_needs_add(&f->needs, "x", "rare", 300);
	count_spliced(f, 300, &data);
	assert_int_equal(data.events, SPLICED_EVENTS);
	assert_true(atomic_load(&f->needs.seen));
	tfs_percpu_data_release(&data);
}

static void and_not_for_others(void **state)
{
	struct fixture *f = *state;
	struct tfs_percpu_data data;

	tfs_symbol_needs_add(&f->needs, "x", "rare", 300);
	count_spliced(f, 301, &data);
	assert_int_equal(data.events, SPLICED_EVENTS);
	assert_false(atomic_load(&f->needs.seen));
	tfs_percpu_data_release(&data);
}

static void a_disk_that_is_full_ends_splicing(void **state)
{
	struct fixture *f = *state;
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_percpu_data data;

	assert_int_equal(tfs_pipe_open(&f->pipe, NULL), 0);
	begin(f, TFS_CODEC_NONE, &f->pipe, open("/dev/full", O_RDWR));
	for (int i = 0; i < 3; i++)
		feed(f, 'a', 4080);
	assert_int_equal(tfs_percpu_finish(f->p, &err), -ENOSPC);
	assert_int_equal(tfs_percpu_file_bytes(f->p), 0);
	assert_int_equal(tfs_percpu_take(f->p, &data), 0);
	assert_int_equal(data.unwritten, 3 * SUBBUF);
	tfs_percpu_data_release(&data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(layout_is_read_from_header_page),
		TEST(impossible_layouts_are_refused),
		TEST(flags_do_not_count_as_length),
		TEST(draining_stops_at_the_first_subbuffer_that_is_not_full),
		TEST(the_end_takes_all_that_is_left),
		TEST(an_empty_subbuffer_is_not_stored),
		TEST(data_that_is_given_up_stays_unread),
		TEST(compressed_data_are_chunks_of_ten),
		TEST(reports_and_counts_a_write_that_fails),
		TEST(reports_a_read_that_fails),
		TEST(splice_moves_the_same_bytes),
		TEST(where_splice_is_refused_nothing_is_lost),
		TEST(spliced_events_are_counted_without_copying_them),
		TEST(a_file_that_cannot_be_mapped_is_read),
		TEST(a_file_that_became_shorter_is_not_counted),
		TEST(counting_looks_for_events_that_need_symbols),
		TEST(and_not_for_others),
		TEST(a_disk_that_is_full_ends_splicing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
