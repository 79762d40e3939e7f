/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_FRAMES_H
#define TFS_STACK_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_symbolize;
struct tfs_trace;

/**
 * enum tfs_frame_kind - what a frame of a stack is
 * @TFS_FRAME_OTHER: neither of the below: a task, a marker
 * @TFS_FRAME_USER: of a program or a library
 * @TFS_FRAME_KERNEL: of the kernel or a module
 * @TFS_FRAME_JIT: code that the program made, named by its perf-PID.map
 * @TFS_FRAME_INLINED: inlined into the frame that called it
 * @TFS_FRAME_WAKER: of the task that woke this one
 */
enum tfs_frame_kind {
	TFS_FRAME_OTHER,
	TFS_FRAME_USER,
	TFS_FRAME_KERNEL,
	TFS_FRAME_JIT,
	TFS_FRAME_INLINED,
	TFS_FRAME_WAKER,
};

/**
 * struct tfs_frame - one address of a stack, with its name; does not change
 * @name: of the function, as the recording has it; NULL: unknown
 * @dso: path of the file it is in, "[kernel.kallsyms]", or "[module]"; NULL: unknown
 * @kind: of code
 * @addr: as recorded
 * @offset: of @addr from the function's start
 * @why: of a user frame, why it has no name: enum tfs_symbol_why
 * @in_memory: and it is in no file: the program made the code, or read it
 * @caller: the function that this one was inlined into, at the same address; NULL: none
 */
struct tfs_frame {
	const char *name;
	const char *dso;
	enum tfs_frame_kind kind;
	uint64_t addr, offset;
	uint8_t why;
	bool in_memory;
	const struct tfs_frame *caller;
};

/** TFS_FRAMES_MEMORY - what stands for memory that is not of a file */
#define TFS_FRAMES_MEMORY "//anon"
/** TFS_FRAMES_KERNEL - what stands for the kernel's own file */
#define TFS_FRAMES_KERNEL "[kernel.kallsyms]"

/**
 * struct tfs_frames - the frames of a recording's stacks, each named once
 *
 * For one thread at a time. Names are kept in bounded memory; a frame is valid until the
 * next call.
 */
struct tfs_frames;

/**
 * tfs_frames_new() - for @trace, which outlives it
 * @symbolize: names of user frames, outlives it; NULL: these are not known
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_frames_new(struct tfs_trace *trace, const struct tfs_symbolize *symbolize,
		   struct tfs_frames **out);
void tfs_frames_free(struct tfs_frames *frames);

/** tfs_frames_kernel() - the frame of an address in the kernel; 0 or -ENOMEM */
int tfs_frames_kernel(struct tfs_frames *frames, uint64_t addr, const struct tfs_frame **out);

/**
 * tfs_frames_user() - the frame of an address in process @tgid (-1: unknown) at time @ts
 *
 * Return: 0, also if nothing is known of it; -ENOMEM.
 */
int tfs_frames_user(struct tfs_frames *frames, int tgid, uint64_t ts, uint64_t addr,
		    const struct tfs_frame **out);
/** tfs_frames_caller() - the same of all but the innermost address: where its call is */
int tfs_frames_caller(struct tfs_frames *frames, int tgid, uint64_t ts, uint64_t addr,
		      const struct tfs_frame **out);

/**
 * tfs_frames_generation() - a number that changes when the same addresses of @tgid mean something
 * else, as after exec
 */
uint64_t tfs_frames_generation(struct tfs_frames *frames, int tgid, uint64_t ts);

/** tfs_frames_tgid() - the process of a task, or -1: not known */
int tfs_frames_tgid(struct tfs_frames *frames, int tid, uint64_t ts);

#endif
