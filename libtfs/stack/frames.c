/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hashmap.h"
#include "decode/trace.h"
#include "printfmt/env.h"
#include "symbolize/symbolize.h"

/* Frames that are kept; then all are forgotten. */
#define KEPT_MAX 65536

/* A frame of the kernel, with the name of its module */
struct kept {
	struct tfs_frame frame;
	char dso[];
};

struct tfs_frames {
	const struct tfs_format_env *env;
	const struct tfs_symbolize *symbolize;
	struct tfs_hashmap kernel; /* struct kept by address */
	struct tfs_frame user;
};

int tfs_frames_new(struct tfs_trace *trace, const struct tfs_symbolize *symbolize,
		   struct tfs_frames **out)
{
	struct tfs_frames *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->env = tfs_trace_env(trace);
	f->symbolize = symbolize;
	*out = f;
	return 0;
}

static void forget(struct tfs_hashmap *map)
{
	struct kept *kept;
	size_t i;

	tfs_hashmap_for_each(map, i, kept) free(kept);
	tfs_hashmap_release(map);
	*map = (struct tfs_hashmap){ NULL, 0, 0 };
}

void tfs_frames_free(struct tfs_frames *f)
{
	if (!f)
		return;
	forget(&f->kernel);
	free(f);
}

static int add_kernel(struct tfs_frames *f, uint64_t addr, struct kept **out)
{
	const struct tfs_symbol_info *info = f->env->symbol_info(f->env->symbols, addr);
	const char *dso = info && info->module ? info->module : TFS_FRAMES_KERNEL;
	size_t len = info && info->module ? info->module_len : strlen(dso);
	struct kept *kept = calloc(1, sizeof(*kept) + len + 1);
	uint64_t start = addr;

	if (!kept)
		return -ENOMEM;
	memcpy(kept->dso, dso, len);
	kept->frame = (struct tfs_frame){
		.name = f->env->symbol(f->env->symbols, addr, &start),
		.dso = kept->dso,
		.kind = TFS_FRAME_KERNEL,
		.addr = addr,
	};
	kept->frame.offset = addr - start;
	if (f->kernel.n == KEPT_MAX)
		forget(&f->kernel);
	if (tfs_hashmap_add(&f->kernel, tfs_hash_int(addr), kept)) {
		free(kept);
		return -ENOMEM;
	}
	*out = kept;
	return 0;
}

int tfs_frames_kernel(struct tfs_frames *f, uint64_t addr, const struct tfs_frame **out)
{
	struct kept *kept = tfs_hashmap_int(&f->kernel, addr);
	int rc = kept ? 0 : add_kernel(f, addr, &kept);

	if (!rc)
		*out = &kept->frame;
	return rc;
}

static void set_user(struct tfs_frames *f, uint64_t addr, const struct tfs_symbol_at *at,
		     const struct tfs_frame **out)
{
	f->user = (struct tfs_frame){ .kind = TFS_FRAME_USER,
				      .addr = addr,
				      .why = TFS_SYMBOL_NO_MAPS };
	*out = &f->user;
	if (!at)
		return;
	f->user.why = (uint8_t)at->why;
	f->user.in_memory = at->kind == TFS_SYMBOL_IN_MEMORY;
	f->user.name = at->name;
	f->user.offset = at->offset;
	f->user.dso = at->object                       ? at->object :
		      at->kind == TFS_SYMBOL_IN_MEMORY ? TFS_FRAMES_MEMORY :
							 NULL;
	if (at->kind == TFS_SYMBOL_IN_JIT)
		f->user.kind = TFS_FRAME_JIT;
}

int tfs_frames_user(struct tfs_frames *f, int tgid, uint64_t ts, uint64_t addr,
		    const struct tfs_frame **out)
{
	struct tfs_symbol_at at;

	if (f->symbolize)
		tfs_symbolize_user(f->symbolize, tgid, ts, addr, &at);
	set_user(f, addr, f->symbolize ? &at : NULL, out);
	return 0;
}

int tfs_frames_caller(struct tfs_frames *f, int tgid, uint64_t ts, uint64_t addr,
		      const struct tfs_frame **out)
{
	struct tfs_symbol_at at;

	if (f->symbolize)
		tfs_symbolize_caller(f->symbolize, tgid, ts, addr, &at);
	set_user(f, addr, f->symbolize ? &at : NULL, out);
	return 0;
}

uint64_t tfs_frames_generation(struct tfs_frames *f, int tgid, uint64_t ts)
{
	return f->symbolize ? tfs_symbolize_epoch(f->symbolize, tgid, ts) : 0;
}

int tfs_frames_tgid(struct tfs_frames *f, int tid, uint64_t ts)
{
	return f->symbolize ? tfs_symbolize_tgid(f->symbolize, tid, ts) : -1;
}
