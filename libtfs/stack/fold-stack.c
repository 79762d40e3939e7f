/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/fold-stack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hashmap.h"
#include "base/strbuf-core.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "stack/fold-name.h"
#include "stack/fold.h"
#include "stack/frames.h"
#include "stack/stack.h"
#include "stack/trim.h"
#include "stack/unnamed.h"

/* Bytes and stacks that the table holds; then it begins anew. */
#define SEEN_BYTES ((size_t)32 << 20)
#define SEEN_MAX ((size_t)1 << 19)
/* Tasks that recorded recently, by the low bits of their pids */
#define RECENT 1024
/* Words of a key before the addresses */
#define HEAD 3

/*
 * A stack that was met: who, how, how many of its addresses are user's, and all of them; and why
 * some of these have no name
 */
struct seen {
	uint32_t node;
	uint32_t n : 24, unnamed : 8;
	uint64_t word[];
};

struct key {
	const uint64_t *word;
	size_t n;
};

struct recent {
	const struct tfs_task *task;
	int pid, tgid;
	uint32_t input, node; /* TFS_FOLD_ROOT: free */
};

struct tfs_fold_stacks {
	struct tfs_collect_opts opts;
	struct tfs_fold *fold;
	struct tfs_frames **frames; /* of each recording */
	size_t n_frames;
	struct tfs_hashmap seen;
	size_t seen_bytes;
	uint64_t *word; /* of the key that is looked for */
	size_t words_alloc;
	const char **name; /* of the kernel's frames */
	size_t names_alloc;
	struct recent recent[RECENT];
	struct tfs_unnamed unnamed;
	struct tfs_strbuf sb;
};

int tfs_fold_stacks_new(const struct tfs_collect_opts *opts, struct tfs_fold *fold,
			struct tfs_fold_stacks **out)
{
	struct tfs_fold_stacks *fs = calloc(1, sizeof(*fs));
	int rc = 0;

	if (!fs)
		return -ENOMEM;
	tfs_strbuf_init(&fs->sb);
	fs->opts = *opts;
	fs->fold = fold;
	fs->frames = calloc(opts->n, sizeof(struct tfs_frames *));
	if (!fs->frames)
		rc = -ENOMEM;
	for (; fs->n_frames < opts->n && !rc; fs->n_frames++)
		rc = tfs_frames_new(opts->traces[fs->n_frames],
				    opts->symbolize ? opts->symbolize[fs->n_frames] : NULL,
				    &fs->frames[fs->n_frames]);
	if (rc)
		tfs_fold_stacks_free(fs);
	else
		*out = fs;
	return rc;
}

static void forget(struct tfs_fold_stacks *fs)
{
	struct seen *seen;
	size_t i;

	tfs_hashmap_for_each(&fs->seen, i, seen) free(seen);
	tfs_hashmap_release(&fs->seen);
	fs->seen = (struct tfs_hashmap){ NULL, 0, 0 };
	fs->seen_bytes = 0;
}

void tfs_fold_stacks_free(struct tfs_fold_stacks *fs)
{
	if (!fs)
		return;
	forget(fs);
	for (size_t i = 0; fs->frames && i < fs->n_frames; i++)
		tfs_frames_free(fs->frames[i]);
	free(fs->frames);
	free(fs->word);
	free(fs->name);
	tfs_strbuf_release(&fs->sb);
	free(fs);
}

struct tfs_frames *tfs_fold_stacks_frames(const struct tfs_fold_stacks *fs, size_t input)
{
	return fs->frames[input];
}

/* --- the task */

/* Blanks separate frames from weights. */
static int put_comm(const char *comm, struct tfs_strbuf *sb)
{
	int rc;

	tfs_strbuf_reset(sb);
	rc = tfs_strbuf_adds(sb, comm);
	for (size_t i = 0; i < sb->len && !rc; i++)
		if (sb->s[i] == ' ')
			sb->s[i] = '_';
	return rc;
}

/* A task that a root frame stands for */
struct root {
	uint32_t input;
	int pid, tgid;
	const char *comm;
};

static int put_root(const struct tfs_fold_stacks *fs, const struct root *root,
		    struct tfs_strbuf *sb)
{
	int rc = put_comm(root->comm, sb);

	if (rc || fs->opts.root == TFS_ROOT_COMM)
		return rc;
	rc = root->tgid < 0 ? tfs_strbuf_adds(sb, "-?") : tfs_strbuf_addf(sb, "-%d", root->tgid);
	return rc || fs->opts.root == TFS_ROOT_PID ? rc : tfs_strbuf_addf(sb, "/%d", root->pid);
}

static int make_root(struct tfs_fold_stacks *fs, const struct root *root, uint32_t *node)
{
	struct tfs_fold_name name;
	uint32_t file = TFS_FOLD_ROOT;
	int rc = 0;

	if (fs->opts.n > 1) {
		name = tfs_fold_plain_name(fs->opts.files[root->input]);
		rc = tfs_fold_child(fs->fold, file, &name, &file);
	}
	if (!rc)
		rc = put_root(fs, root, &fs->sb);
	if (rc)
		return rc;
	name = (struct tfs_fold_name){ .text = fs->sb.s, .len = fs->sb.len };
	return tfs_fold_child(fs->fold, file, &name, node);
}

int tfs_fold_stacks_root(struct tfs_fold_stacks *fs, const struct tfs_event *event, int tgid,
			 uint32_t *node)
{
	struct recent *r = &fs->recent[(unsigned int)event->pid % RECENT];
	struct root root = { .input = event->input, .pid = event->pid };
	int rc;

	if (fs->opts.root != TFS_ROOT_COMM && tgid < 0)
		tgid = tfs_frames_tgid(fs->frames[event->input], event->pid, event->rec.ts);
	if (r->node && r->task == event->task && r->pid == event->pid && r->tgid == tgid &&
	    r->input == event->input) {
		*node = r->node;
		return 0;
	}
	root.tgid = tgid;
	root.comm = event->task ? event->task->comm : TFS_TASK_UNKNOWN;
	rc = make_root(fs, &root, node);
	if (!rc)
		*r = (struct recent){ event->task, event->pid, tgid, event->input, *node };
	return rc;
}

int tfs_fold_stacks_task(struct tfs_fold_stacks *fs, uint32_t input, int pid, const char *comm,
			 uint32_t *node)
{
	struct root root = { .input = input, .pid = pid, .tgid = -1, .comm = comm };

	if (fs->opts.root != TFS_ROOT_COMM)
		root.tgid = tfs_frames_tgid(fs->frames[input], pid, 0);
	return make_root(fs, &root, node);
}

/* --- frames */

static int add_frame(struct tfs_fold_stacks *fs, const struct tfs_frame *frame, uint32_t *node)
{
	unsigned int flags = fs->opts.flags & TFS_COLLECT_ADDRESSES ? TFS_FOLD_NAME_ADDRESSES : 0;
	struct tfs_fold_name name;
	int rc = tfs_fold_frame_name(frame, flags, &fs->sb, &name);

	return rc ? rc : tfs_fold_child(fs->fold, *node, &name, node);
}

/* Inlined functions come after those that they were inlined into. */
static int add_chain(struct tfs_fold_stacks *fs, const struct tfs_frame *innermost, uint32_t *node)
{
	const struct tfs_frame *last = NULL, *frame;
	int rc = 0;

	while (last != innermost && !rc) {
		for (frame = innermost; frame->caller != last; frame = frame->caller)
			;
		rc = add_frame(fs, frame, node);
		last = frame;
	}
	return rc;
}

static int add_user(struct tfs_fold_stacks *fs, const struct tfs_event *event,
		    const struct tfs_stack *stack, uint32_t *node, unsigned int *unnamed)
{
	const struct tfs_fold_name cut = tfs_fold_plain_name(TFS_FOLD_CUT_NAME);
	struct tfs_frames *frames = fs->frames[event->input];
	const struct tfs_frame *frame = NULL;
	int rc = 0;

	if (stack->flags & TFS_STACK_CUT)
		rc = tfs_fold_child(fs->fold, *node, &cut, node);
	for (size_t i = stack->n_user; i > 0 && !rc; i--) {
		rc = (i > 1 ? tfs_frames_caller : tfs_frames_user)(
			frames, stack->tgid, event->rec.ts, stack->user[i - 1], &frame);
		if (!rc)
			rc = add_chain(fs, frame, node);
		if (!rc)
			*unnamed |= tfs_unnamed_why(frame);
	}
	return rc;
}

static int add_kernel(struct tfs_fold_stacks *fs, const struct tfs_event *event,
		      const struct tfs_stack *stack, unsigned int trim, uint32_t *node)
{
	struct tfs_frames *frames = fs->frames[event->input];
	const struct tfs_frame *frame;
	size_t i, from;
	int rc = 0;

	if (tfs_grow(&fs->name, &fs->names_alloc, stack->n_kernel))
		return -ENOMEM;
	/* Names belong to the recording's symbols, not to the frame. */
	for (i = 0; i < stack->n_kernel && !rc; i++) {
		rc = tfs_frames_kernel(frames, stack->kernel[i], &frame);
		fs->name[i] = rc ? NULL : frame->name;
	}
	from = rc ? 0 : tfs_trim_kernel(fs->name, stack->n_kernel, trim);
	for (i = stack->n_kernel; i > from && !rc; i--) {
		rc = tfs_frames_kernel(frames, stack->kernel[i - 1], &frame);
		if (!rc)
			rc = add_chain(fs, frame, node);
	}
	return rc;
}

/* --- stacks that were met */

static bool is_same(const void *entry, const void *key)
{
	const struct seen *seen = entry;
	const struct key *k = key;

	return seen->n == k->n && !memcmp(seen->word, k->word, k->n * sizeof(*k->word));
}

static uint64_t hash_words(const struct key *k)
{
	uint64_t hash = k->n;

	for (size_t i = 0; i < k->n; i++) {
		hash = (hash ^ k->word[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static int make_key(struct tfs_fold_stacks *fs, const struct tfs_event *event,
		    const struct tfs_stack *stack, unsigned int trim, uint32_t root,
		    struct key *out)
{
	size_t n = HEAD + stack->n_user + stack->n_kernel;
	uint64_t *w;

	if (tfs_grow(&fs->word, &fs->words_alloc, n))
		return -ENOMEM;
	w = fs->word;
	w[0] = (uint64_t)event->input << 32 | root;
	w[1] = (uint64_t)(uint32_t)stack->tgid << 32 | stack->n_user << 16 | trim << 8 |
	       (stack->flags & TFS_STACK_CUT);
	w[2] = stack->n_user ?
		       tfs_frames_generation(fs->frames[event->input], stack->tgid, event->rec.ts) :
		       0;
	if (stack->n_user)
		memcpy(w + HEAD, stack->user, stack->n_user * sizeof(*w));
	if (stack->n_kernel)
		memcpy(w + HEAD + stack->n_user, stack->kernel, stack->n_kernel * sizeof(*w));
	*out = (struct key){ w, n };
	return 0;
}

static int remember(struct tfs_fold_stacks *fs, const struct key *key, uint64_t hash, uint32_t node,
		    unsigned int unnamed)
{
	size_t bytes = key->n * sizeof(*key->word);
	struct seen *seen;

	if (fs->seen_bytes + bytes > SEEN_BYTES || fs->seen.n == SEEN_MAX)
		forget(fs);
	seen = malloc(sizeof(*seen) + bytes);
	if (!seen)
		return -ENOMEM;
	seen->node = node;
	seen->n = (uint32_t)key->n & 0xffffff;
	seen->unnamed = unnamed & 0xff;
	memcpy(seen->word, key->word, bytes);
	if (tfs_hashmap_add(&fs->seen, hash, seen)) {
		free(seen);
		return -ENOMEM;
	}
	fs->seen_bytes += sizeof(*seen) + bytes;
	return 0;
}

int tfs_fold_stacks_node(struct tfs_fold_stacks *fs, const struct tfs_event *event,
			 const struct tfs_stack *stack, unsigned int trim, uint32_t *node)
{
	struct key key = { NULL, 0 };
	unsigned int unnamed = 0;
	const struct seen *seen;
	uint64_t hash;
	int rc = tfs_fold_stacks_root(fs, event, stack->tgid, node);

	if (!rc)
		rc = make_key(fs, event, stack, trim, *node, &key);
	if (rc)
		return rc;
	hash = hash_words(&key);
	seen = tfs_hashmap_find(&fs->seen, hash, is_same, &key);
	if (seen) {
		*node = seen->node;
		unnamed = seen->unnamed;
	} else {
		rc = add_user(fs, event, stack, node, &unnamed);
		if (!rc)
			rc = add_kernel(fs, event, stack, trim, node);
		if (!rc)
			rc = remember(fs, &key, hash, *node, unnamed);
	}
	if (stack->n_user)
		tfs_unnamed_add(&fs->unnamed, unnamed);
	return rc;
}

int tfs_fold_stacks_notes(const struct tfs_fold_stacks *fs, struct tfs_strbuf *out)
{
	return tfs_unnamed_notes(&fs->unnamed, &fs->opts, out);
}
