/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/debugdata.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "dso/section.h"

/* xz -9 needs 65 MiB; libdwfl lets liblzma use 1 GiB. */
#define WORK_MAX (96u << 20)
#define RATIO_MAX 32
#define TABLE_MIN (4u << 20)
#define TABLE_MAX (256u << 20)

/* As <lzma/container.h> declares it; 0 is LZMA_OK. */
typedef int decode_stream(uint64_t *memlimit, uint32_t flags, const void *allocator,
			  const uint8_t *in, size_t *in_pos, size_t in_size, uint8_t *out,
			  size_t *out_pos, size_t out_size);

static bool expands(decode_stream *decode, const struct tfs_section *s)
{
	uint64_t work = WORK_MAX;
	size_t in = 0, out = 0, max = TABLE_MAX;
	void *to;
	int rc;

	if (s->len < TABLE_MAX / RATIO_MAX)
		max = s->len * RATIO_MAX < TABLE_MIN ? TABLE_MIN : s->len * RATIO_MAX;
	to = mmap(NULL, max, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		  -1, 0);
	if (to == MAP_FAILED)
		return false;
	rc = decode(&work, 0, NULL, (const uint8_t *)s->s, &in, s->len, to, &out, max);
	munmap(to, max);
	return !rc;
}

bool tfs_debugdata_is_sound(Elf *elf)
{
	decode_stream *decode = NULL;
	struct tfs_section section;
	bool sound = false;
	void *lib;

	if (!tfs_section_find(elf, ".gnu_debugdata", &section))
		return true;
	lib = dlopen("liblzma.so.5", RTLD_LAZY | RTLD_NOLOAD);
	if (lib)
		*(void **)&decode = dlsym(lib, "lzma_stream_buffer_decode");
	if (decode)
		sound = expands(decode, &section);
	if (lib)
		dlclose(lib);
	return sound;
}

/* Bytes that are mapped now; 0 if it is not known. */
static uint64_t mapped(void)
{
	uint64_t pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%" SCNu64, &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void tfs_memory_limit_begin(struct tfs_memory_limit *limit, uint64_t more)
{
	uint64_t now = mapped();
	struct rlimit r;

	limit->set = false;
	if (!now || getrlimit(RLIMIT_AS, &r) || now + more >= r.rlim_cur)
		return;
	limit->before = r.rlim_cur;
	r.rlim_cur = now + more;
	limit->set = !setrlimit(RLIMIT_AS, &r);
}

void tfs_memory_limit_end(const struct tfs_memory_limit *limit)
{
	struct rlimit r;

	if (!limit->set || getrlimit(RLIMIT_AS, &r))
		return;
	r.rlim_cur = limit->before;
	setrlimit(RLIMIT_AS, &r);
}
