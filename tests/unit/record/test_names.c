/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wants: root */
/* A recording collects names of user addresses: record/names.h and what it uses */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "base/pid-ns.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "lib/bytes.h"
#include "lib/dat_build.h"
#include "lib/fake.h"
#include "lib/skip.h"
#include "record/clocks.h"
#include "record/images.h"
#include "record/jit-map.h"
#include "record/map-events.h"
#include "record/names.h"
#include "record/percpu.h"
#include "record/process-maps.h"
#include "record/tasks.h"
#include "record/user-events.h"
#include "tracefs/instance.h"

/* The text is tracing_stats_read()'s in kernel/trace/trace.c. */
static void the_trace_clock_is_read_from_statistics(void **state)
{
	uint64_t now = 0;

	(void)state;
	assert_int_equal(tfs_clocks_parse("entries: 0\noldest event ts:     1.000001\n"
					  "now ts:  3182.901625\ndropped events: 0\n",
					  &now),
			 0);
	assert_true(now == 3182901625000);
	/* a clock that does not count nanoseconds */
	assert_int_equal(tfs_clocks_parse("entries: 0\nnow ts: 7654321\n", &now), 0);
	assert_int_equal(now, 7654321);
	assert_int_not_equal(tfs_clocks_parse("entries: 0\nnow ts: x\n", &now), 0);
	assert_int_not_equal(tfs_clocks_parse("entries: 0\n", &now), 0);
	assert_int_not_equal(tfs_clocks_parse("now ts: 1.5\n", &now), 0);
}

struct seen {
	struct tfs_process_map v[256];
	char name[256][256];
	size_t n;
};

static int see(void *context, const struct tfs_process_map *map)
{
	struct seen *s = context;

	assert_true(s->n < 256);
	s->v[s->n] = *map;
	snprintf(s->name[s->n++], sizeof(*s->name), "%s", map->name);
	return 0;
}

static void maps_of_a_text_are_those_that_can_be_executed(void **state)
{
	static const char text[] =
		"00400000-00401000 r--p 00000000 fd:01 12   /bin/a b\n"
		"00401000-00403000 r-xp 00001000 fd:01 12   /bin/a b\n"
		"7f0000000000-7f0000001000 r-xp 00000000 00:00 0 \n"
		"7f0000002000-7f0000003000 r-xp 00002000 00:21 7    /lib/x.so (deleted)\n"
		"7fff00000000-7fff00002000 r-xp 00000000 00:00 0    [vdso]\n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0    [vsyscall]\n";
	int fd = bytes_to_fd(text, strlen(text));
	struct seen s = { .n = 0 };

	(void)state;
	assert_int_equal(tfs_process_maps_text(fd, see, &s), 0);
	assert_int_equal(s.n, 4);
	assert_int_equal(s.v[0].start, 0x401000);
	assert_int_equal(s.v[0].end, 0x403000);
	assert_int_equal(s.v[0].offset, 0x1000);
	assert_int_equal(s.v[0].inode, 12);
	assert_string_equal(s.name[0], "/bin/a b");
	assert_string_equal(s.name[1], "");
	assert_string_equal(s.name[2], "/lib/x.so (deleted)");
	assert_string_equal(s.name[3], "[vdso]");
	close(fd);
}

/* The ioctl and the text, of ourselves */
static void both_ways_give_the_same_maps(void **state)
{
	struct seen ioctl_way = { .n = 0 }, text_way = { .n = 0 };
	int fd = open("/proc/self/maps", O_RDONLY);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(tfs_process_maps_text(fd, see, &text_way), 0);
	assert_int_equal(tfs_process_maps_read((int)getpid(), see, &ioctl_way), 0);
	assert_int_equal(text_way.n, ioctl_way.n);
	for (size_t i = 0; i < text_way.n; i++) {
		assert_true(text_way.v[i].start == ioctl_way.v[i].start);
		assert_true(text_way.v[i].end == ioctl_way.v[i].end);
		assert_true(text_way.v[i].offset == ioctl_way.v[i].offset);
		assert_true(text_way.v[i].inode == ioctl_way.v[i].inode);
		assert_string_equal(text_way.name[i], ioctl_way.name[i]);
	}
	close(fd);
}

/* A record as linux/perf_event.h describes it; the size goes in at the end */
static void record_begin(struct bytes *b, uint32_t type, uint16_t misc)
{
	bytes_init(b, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	bytes_u32(b, type);
	bytes_u16(b, misc);
	bytes_u16(b, 0);
}

static int record_parse(struct bytes *b, uint64_t ts, struct tfs_map_event *e, uint64_t *lost)
{
	uint16_t size;
	int rc;

	bytes_align(b, 8);
	bytes_u32(b, 41);
	bytes_u32(b, 42);
	bytes_u64(b, ts);
	size = (uint16_t)b->sb.len;
	memcpy(b->sb.s + 6, &size, sizeof(size));
	rc = tfs_map_event_parse(b->sb.s, b->sb.len, e, lost);
	/* cut short anywhere it is none, and nothing is read that is not there */
	for (size_t cut = 0; cut < b->sb.len; cut++) {
		struct tfs_map_event other;
		uint64_t none = 0;
		char *copy = malloc(cut ? cut : 1);

		assert_non_null(copy);
		memcpy(copy, b->sb.s, cut);
		assert_int_equal(tfs_map_event_parse(copy, cut, &other, &none), 0);
		free(copy);
	}
	return rc;
}

static void records_of_perf_are_read(void **state)
{
	struct tfs_map_event e;
	uint64_t lost = 0;
	struct bytes b;

	(void)state;
	record_begin(&b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	bytes_u32(&b, 41);
	bytes_u32(&b, 42);
	bytes_u64(&b, 0x7000);
	bytes_u64(&b, 0x2000);
	bytes_u64(&b, 0x1000);
	bytes_u8(&b, 20);
	bytes_zeros(&b, 3);
	for (uint8_t i = 0; i < 20; i++)
		bytes_u8(&b, i);
	bytes_u32(&b, PROT_READ | PROT_EXEC);
	bytes_u32(&b, MAP_PRIVATE);
	bytes_strz(&b, "/lib/x.so");
	assert_int_equal(record_parse(&b, 77, &e, &lost), 1);
	assert_int_equal(e.kind, TFS_MAP_MAPPED);
	assert_int_equal(e.tgid, 41);
	assert_int_equal(e.ts, 77);
	assert_int_equal(e.map.start, 0x7000);
	assert_int_equal(e.map.end, 0x9000);
	assert_int_equal(e.map.offset, 0x1000);
	assert_int_equal(e.map.id_size, 20);
	assert_int_equal(e.map.id[19], 19);
	assert_string_equal(e.map.name, "/lib/x.so");
	bytes_release(&b);

	record_begin(&b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	bytes_u32(&b, 41);
	bytes_u32(&b, 41);
	bytes_strz(&b, "prog");
	assert_int_equal(record_parse(&b, 78, &e, &lost), 1);
	assert_int_equal(e.kind, TFS_MAP_EXEC);
	assert_string_equal(e.comm, "prog");
	bytes_release(&b);

	/* a name that a thread gave itself */
	record_begin(&b, PERF_RECORD_COMM, 0);
	bytes_u32(&b, 41);
	bytes_u32(&b, 41);
	bytes_strz(&b, "name");
	assert_int_equal(record_parse(&b, 78, &e, &lost), 0);
	bytes_release(&b);

	record_begin(&b, PERF_RECORD_FORK, 0);
	bytes_u32(&b, 50);
	bytes_u32(&b, 41);
	bytes_u32(&b, 50);
	bytes_u32(&b, 42);
	bytes_u64(&b, 79);
	assert_int_equal(record_parse(&b, 79, &e, &lost), 1);
	assert_int_equal(e.kind, TFS_MAP_FORK);
	assert_int_equal(e.tgid, 50);
	assert_int_equal(e.parent, 41);
	bytes_release(&b);

	record_begin(&b, PERF_RECORD_LOST, 0);
	bytes_u64(&b, 1);
	bytes_u64(&b, 9);
	assert_int_equal(record_parse(&b, 79, &e, &lost), 0);
	assert_int_equal(lost, 9);
	bytes_release(&b);
}

static struct tfs_map_event event(enum tfs_map_event_kind kind, uint32_t tgid, uint64_t ts)
{
	return (struct tfs_map_event){
		.kind = kind, .tgid = tgid, .tid = tgid, .ts = ts, .comm = ""
	};
}

static void map(struct tfs_images *im, uint32_t tgid, uint64_t ts, uint64_t start, const char *name)
{
	struct tfs_map_event e = event(TFS_MAP_MAPPED, tgid, ts);

	e.map = (struct tfs_process_map){
		.start = start,
		.end = start + 0x1000,
		.inode = 9,
		.dev = 1,
		.name = name,
	};
	tfs_images_event(im, &e);
}

/* Process numbers that no kernel gives out, so that nothing is found in /proc. */
#define PROCESS 2000000001u
#define CHILD 2000000002u

static void a_process_has_an_image_for_each_program(void **state)
{
	struct tfs_images im = { .n_maps = 0 };
	const struct tfs_image_process *p;
	struct tfs_map_event e;

	(void)state;
	e = event(TFS_MAP_EXEC, PROCESS, 100);
	tfs_images_event(&im, &e);
	map(&im, PROCESS, 101, 0x10000, "/none/a");
	map(&im, PROCESS, 102, 0x20000, "/none/libc");
	e = event(TFS_MAP_FORK, CHILD, 200);
	e.parent = PROCESS;
	tfs_images_event(&im, &e);
	e = event(TFS_MAP_EXEC, CHILD, 300);
	tfs_images_event(&im, &e);
	map(&im, CHILD, 301, 0x10000, "/none/b");
	p = tfs_images_find(&im, CHILD);
	assert_int_equal(p->n, 2);
	assert_int_equal(p->images[0].from, 200);
	assert_int_equal(p->images[0].n_maps, 2);
	assert_int_equal(p->images[1].from, 300);
	assert_int_equal(p->images[1].n_maps, 1);
	assert_string_equal(im.objects[tfs_images_map(p, 0x10010)->object].path, "/none/b");
	assert_null(tfs_images_map(p, 0x20010));
	p = tfs_images_find(&im, PROCESS);
	assert_int_equal(p->n, 1);
	assert_string_equal(im.objects[tfs_images_map(p, 0x20fff)->object].path, "/none/libc");
	/* other code at the same place begins another image, the rest of which stays */
	map(&im, PROCESS, 400, 0x20000, "/none/other");
	assert_int_equal(p->n, 2);
	assert_int_equal(p->images[1].from, 400);
	assert_int_equal(p->images[1].n_maps, 2);
	assert_string_equal(im.objects[tfs_images_map(p, 0x10010)->object].path, "/none/a");
	assert_string_equal(im.objects[tfs_images_map(p, 0x20010)->object].path, "/none/other");
	/* the number was given to another process */
	e = event(TFS_MAP_EXIT, CHILD, 500);
	tfs_images_event(&im, &e);
	assert_true(tfs_images_find(&im, CHILD)->has_ended);
	tfs_images_release(&im);
}

static void a_program_is_the_one_of_the_time(void **state)
{
	struct tfs_image v[] = { { .from = 0 }, { .from = 100 }, { .from = 200 } };
	const struct tfs_image_process p = { .images = v, .n = 3 }, none = { .n = 0 };

	(void)state;
	assert_ptr_equal(tfs_image_at(&p, 5), &v[0]);
	assert_ptr_equal(tfs_image_at(&p, 100), &v[1]);
	assert_ptr_equal(tfs_image_at(&p, 199), &v[1]);
	assert_ptr_equal(tfs_image_at(&p, 5000), &v[2]);
	assert_null(tfs_image_at(&none, 5));
}

static void a_living_process_is_read_and_its_files_are_opened(void **state)
{
	void *const code = (void *)(uintptr_t)&a_living_process_is_read_and_its_files_are_opened;
	const struct tfs_image_process *p;
	struct tfs_images im = { .n_maps = 0 };
	const struct tfs_dat_map *m;
	struct stat ours, theirs;

	(void)state;
	assert_int_equal(tfs_images_read(&im, (uint32_t)getpid(), 1000, 0), 0);
	p = tfs_images_find(&im, (uint32_t)getpid());
	assert_int_equal(p->n, 1);
	assert_int_equal(p->images[0].first, 1000);
	assert_int_equal(p->uid, geteuid());
	m = tfs_images_map(p, (uint64_t)(uintptr_t)code);
	assert_non_null(m);
	assert_true(im.objects[m->object].fd >= 0);
	assert_int_equal(fstat(im.objects[m->object].fd, &theirs), 0);
	assert_int_equal(stat("/proc/self/exe", &ours), 0);
	assert_int_equal(ours.st_ino, theirs.st_ino);
	/* nothing changed: the same image */
	assert_int_equal(tfs_images_read(&im, (uint32_t)getpid(), 2000, 0), 0);
	assert_int_equal(p->n, 1);
	assert_int_equal(p->images[0].last, 2000);
	tfs_images_release(&im);
}

/* Reads maps of this process, and says that each is at another path: "/" and the last part */
static int map_inside(void *context, const struct tfs_process_map *map)
{
	struct tfs_map_event e = event(TFS_MAP_MAPPED, (uint32_t)getpid(), 110);

	if (*map->name == '/') {
		e.map = *map;
		e.map.name = strrchr(map->name, '/');
		tfs_images_event(context, &e);
	}
	return 0;
}

/* As the kernel has it for a process in a root of its own, whose /proc/PID/maps has our path */
static void a_file_with_two_paths_is_one(void **state)
{
	const uint64_t code = (uint64_t)(uintptr_t)&a_file_with_two_paths_is_one;
	const struct tfs_image_process *p;
	struct tfs_images im = { .n_maps = 0 };
	struct tfs_map_event e = event(TFS_MAP_EXEC, (uint32_t)getpid(), 100);

	(void)state;
	tfs_images_event(&im, &e);
	assert_int_equal(tfs_process_maps_read((int)getpid(), map_inside, &im), 0);
	assert_int_equal(tfs_images_read(&im, (uint32_t)getpid(), 200, 0), 0);
	p = tfs_images_find(&im, (uint32_t)getpid());
	assert_int_equal(p->n, 1);
	assert_int_equal(p->images[0].from, 100);
	assert_string_equal(im.objects[tfs_images_map(p, code)->object].path, "/test_names");
	assert_true(im.objects[tfs_images_map(p, code)->object].fd >= 0);
	/* and in the other order: the maps were read before the event was */
	assert_int_equal(tfs_process_maps_read((int)getpid(), map_inside, &im), 0);
	assert_int_equal(p->n, 1);
	tfs_images_release(&im);
}

static char *make_dir(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/test_names.XXXXXX");
	assert_non_null(mkdtemp(path));
	assert_int_equal(chdir(path), 0);
	assert_int_equal(mkdir(name, 0700), 0);
	return path;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void a_jit_map_is_a_file_of_its_process_alone(void **state)
{
	char *root = make_dir("tmp");
	long uid = (long)geteuid();
	int fd;

	(void)state;
	write_file("tmp/perf-5.map", "10 10 f\n");
	fd = tfs_jit_map_open_at(root, 5, uid, 0);
	assert_true(fd >= 0);
	close(fd);
	/* older than the program */
	assert_true(tfs_jit_map_open_at(root, 5, uid, UINT64_MAX) < 0);
	assert_true(tfs_jit_map_open_at(root, 6, uid, 0) < 0);
	if (!uid) {
		assert_int_equal(chown("tmp/perf-5.map", 1234, 1234), 0);
		assert_true(tfs_jit_map_open_at(root, 5, 77, 0) < 0);
		assert_true(tfs_jit_map_open_at(root, 5, -1, 0) < 0);
		fd = tfs_jit_map_open_at(root, 5, 1234, 0);
		assert_true(fd >= 0);
		close(fd);
	}
	assert_int_equal(symlink("perf-5.map", "tmp/perf-6.map"), 0);
	assert_true(tfs_jit_map_open_at(root, 6, uid, 0) < 0);
	assert_int_equal(mkfifo("tmp/perf-7.map", 0600), 0);
	assert_true(tfs_jit_map_open_at(root, 7, uid, 0) < 0);
	write_file("secret", "10 10 f\n");
	assert_int_equal(link("secret", "tmp/perf-8.map"), 0);
	assert_true(tfs_jit_map_open_at(root, 8, uid, 0) < 0);
	assert_int_equal(unlink("tmp/perf-5.map") | unlink("tmp/perf-6.map") |
				 unlink("tmp/perf-7.map") | unlink("tmp/perf-8.map") |
				 unlink("secret") | rmdir("tmp"),
			 0);
	assert_int_equal(rmdir(root), 0);
}

static void functions_of_a_jit_map_are_found(void **state)
{
	static const char text[] = "1000 100 first\n"
				   "zz 1 not a line\n"
				   "2000 0 nothing\n"
				   "fffffffffffffff0 100 around\n"
				   "3000 20 Lpy::f (a b)\n"
				   "1000 80 later\n"
				   "4000 10 no end of line";
	struct tfs_jit_hit hits[] = { { .addr = 0x1010 }, { .addr = 0x1090 }, { .addr = 0x2000 },
				      { .addr = 0x301f }, { .addr = 0x3020 }, { .addr = 0x4000 } };
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	int fd = bytes_to_fd(text, strlen(text));

	(void)state;
	assert_int_equal(tfs_jit_map_find(fd, hits, 6, &names), 0);
	assert_string_equal(names.s + hits[0].name, "later");
	assert_int_equal(hits[0].end, 0x1080);
	assert_string_equal(names.s + hits[1].name, "first");
	assert_int_equal(hits[2].end, 0);
	assert_string_equal(names.s + hits[3].name, "Lpy::f (a b)");
	assert_int_equal(hits[4].end, 0);
	assert_string_equal(names.s + hits[5].name, "no end of line");
	tfs_strbuf_release(&names);
	close(fd);
}

/* Formats as kernel 6.18 has them, without the print format */
/* To be found by its address */
__attribute__((noinline, used)) static int function_to_find(int n)
{
	return n * n + (int)getpid();
}

static void a_function_of_a_living_process_is_found_while_recording(void **state)
{
	const uint64_t start = (uint64_t)(uintptr_t)function_to_find;
	const struct tfs_strvec none = TFS_STRVEC_INIT;
	const struct tfs_instance *inst;
	struct tfs_names *names = NULL;
	char exe[PATH_MAX] = "";
	struct tfs_name_at at;
	struct tfs_instance top;
	struct fake fake;

	(void)state;
	fake_new(&fake, "x86_64-6.18");
	fake_put(&fake, "options/userstacktrace", "1\n");
	tfs_instance_top(&top);
	inst = &top;
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_int_equal(tfs_names_new(&(struct tfs_names_opts){ .root = fake.root,
								 .insts = &inst,
								 .n_insts = 1,
								 .clock = "mono",
								 .events = &none },
				       &names),
			 0);
	assert_true(tfs_names_find(names, (uint32_t)getpid(), 0, start + 3, false, &at));
	assert_string_equal(at.path, exe);
	assert_string_equal(at.name, "function_to_find");
	assert_int_equal(at.file_offset - at.start, 3);
	/* a call at the end of the function before returns to the start of this one */
	assert_true(tfs_names_find(names, (uint32_t)getpid(), 0, start, true, &at));
	assert_true(!at.name || strcmp(at.name, "function_to_find") != 0);
	/* nothing is mapped there, and nobody is there */
	assert_false(tfs_names_find(names, (uint32_t)getpid(), 0, 16, false, &at));
	assert_false(tfs_names_find(names, INT32_MAX, 0, start, false, &at));
	tfs_names_free(names);
	fake_free(&fake);
}

static const char user_stack[] =
	"name: user_stack\nID: 12\n" DAT_COMMON_FIELDS
	"\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\nprint fmt: \"\"\n";
static const char uprobe[] =
	"name: p\nID: 1500\n" DAT_COMMON_FIELDS
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n";
static const char other[] = "name: o\nID: 7\n" DAT_COMMON_FIELDS
			    "\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";

static void put_event(struct page_builder *page, uint16_t id, uint32_t pid, const uint64_t *words,
		      size_t n)
{
	char data[80] = { 0 };

	memcpy(data, &id, sizeof(id));
	memcpy(data + 4, &pid, sizeof(pid));
	memcpy(data + 8, words, n * sizeof(*words));
	page_data(page, 10, data, 8 + n * sizeof(*words));
}

static void addresses_of_programs_are_found_in_a_sub_buffer(void **state)
{
	const struct tfs_subbuf sub = {
		.size = 4096,
		.commit_offset = 8,
		.commit_size = 8,
		.data_offset = 16,
	};
	const uint64_t stack[] = { 41, 0x1000, 0x2000, 0, 0x3000 };
	const uint64_t ip[] = { 0x5000 }, kernel[] = { 0xffffffff81000000 };
	struct tfs_user_events *u = tfs_user_events_new();
	struct page_builder page;
	struct tfs_user_hit hit;
	struct bytes b;

	(void)state;
	assert_non_null(u);
	assert_int_equal(tfs_user_events_add(u, other, strlen(other)), 0);
	assert_false(tfs_user_events_wanted(u));
	assert_int_equal(tfs_user_events_add(u, user_stack, strlen(user_stack)), 0);
	assert_int_equal(tfs_user_events_add(u, uprobe, strlen(uprobe)), 0);
	assert_true(tfs_user_events_wanted(u));
	bytes_init(&b, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	page_begin(&page, &b, 8, 4096, 1000);
	put_event(&page, 7, 42, ip, 1);
	put_event(&page, 12, 42, stack, 5);
	put_event(&page, 12, 42, stack, 5);
	put_event(&page, 1500, 43, ip, 1);
	put_event(&page, 1500, 43, kernel, 1);
	page_end(&page, 0);
	tfs_user_events_page(u, &sub, b.sb.s);
	assert_true(tfs_user_events_hit(u, 0, &hit));
	assert_int_equal(hit.addr, 0x1000);
	assert_int_equal(hit.pid, 41);
	assert_false(hit.is_thread);
	assert_true(tfs_user_events_hit(u, 1, &hit));
	/* a caller: its call is before the address that it returns to */
	assert_int_equal(hit.addr, 0x1fff);
	assert_true(tfs_user_events_hit(u, 2, &hit));
	assert_int_equal(hit.addr, 0x5000);
	assert_int_equal(hit.pid, 43);
	assert_true(hit.is_thread);
	assert_false(tfs_user_events_hit(u, 3, &hit));
	bytes_release(&b);
	tfs_user_events_free(u);
}

/* The other source is the kernel: comm, and its first thread where that is seen. */
static void names_of_living_threads_are_those_of_the_kernel(void **state)
{
	struct tfs_strbuf all = TFS_STRBUF_INIT, old = TFS_STRBUF_INIT, comm = TFS_STRBUF_INIT;
	char line[64];

	(void)state;
	if (tfs_pid_ns())
		skip_because("events have other numbers than the tasks of this pid namespace");
	assert_int_equal(prctl(PR_SET_NAME, "not (saved) x"), 0);
	assert_int_equal(tfs_tasks_comms(UINT64_MAX, &all), 0);
	snprintf(line, sizeof(line), "\n%d not (saved) x\n", (int)getpid());
	assert_non_null(strstr(all.s, line));
	/* It began later than that, and another one may have had its number. */
	assert_int_equal(tfs_tasks_comms(0, &old), 0);
	assert_null(strstr(old.s, "not (saved) x"));
	if (!tfs_read_path("/proc/2/comm", &comm) && !strcmp(comm.s, "kthreadd\n"))
		assert_true(!strncmp(old.s, "2 kthreadd\n", 11) || strstr(old.s, "\n2 kthreadd\n"));
	tfs_strbuf_release(&all);
	tfs_strbuf_release(&old);
	tfs_strbuf_release(&comm);
}

/* Left: what /proc says (kernel/workqueue.c); right: comm= of events */
static void a_worker_has_the_name_that_events_have(void **state)
{
	static const char *const rows[][2] = {
		{ "kworker/u8:1-events_unbound", "kworker/u8:1" },
		{ "kworker/0:12H+kblockd", "kworker/0:12H" },
		{ "kworker/1:0-mm_percpu_wq", "kworker/1:0" },
		{ "kworker/0:1H", "kworker/0:1H" },
		{ "kworker/R-rcu_g", "kworker/R-rcu_g" },
		{ "kworker/dying", "kworker/dying" },
		{ "a-b+c", "a-b+c" },
	};
	char comm[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(comm, sizeof(comm), "%s", rows[i][0]);
		tfs_comm_as_traced(comm);
		assert_string_equal(comm, rows[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_trace_clock_is_read_from_statistics),
		cmocka_unit_test(names_of_living_threads_are_those_of_the_kernel),
		cmocka_unit_test(maps_of_a_text_are_those_that_can_be_executed),
		cmocka_unit_test(both_ways_give_the_same_maps),
		cmocka_unit_test(records_of_perf_are_read),
		cmocka_unit_test(a_process_has_an_image_for_each_program),
		cmocka_unit_test(a_program_is_the_one_of_the_time),
		cmocka_unit_test(a_living_process_is_read_and_its_files_are_opened),
		cmocka_unit_test(a_file_with_two_paths_is_one),
		cmocka_unit_test(a_jit_map_is_a_file_of_its_process_alone),
		cmocka_unit_test(functions_of_a_jit_map_are_found),
		cmocka_unit_test(a_function_of_a_living_process_is_found_while_recording),
		cmocka_unit_test(addresses_of_programs_are_found_in_a_sub_buffer),
		cmocka_unit_test(a_worker_has_the_name_that_events_have),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
