/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_FAKE_H
#define TESTS_LIB_FAKE_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_root;

/*
 * A fake tracefs: a captured tree (an archive of tests/fake) in a directory of its own. It takes
 * what is written and understands nothing of it. Everything here ends the test program when it
 * cannot do its work.
 */
struct fake {
	char dir[64];
	struct tfs_root *root;
};

/** fake_new() - unpack @capture ("x86_64-6.18"); NULL for an empty directory */
void fake_new(struct fake *f, const char *capture);
/** fake_free() - remove it all */
void fake_free(struct fake *f);
/** fake_path() - full path of @file; valid until the fifth next call */
const char *fake_path(const struct fake *f, const char *file);
/** fake_put() - write @text to @file, making its directories */
void fake_put(const struct fake *f, const char *file, const char *text);
/** fake_get() - what @file holds, up to 64 KiB; valid until the fifth next call */
const char *fake_get(const struct fake *f, const char *file);
bool fake_has(const struct fake *f, const char *file);
/**
 * fake_fill_instance() - put into the directory @path what the kernel puts into a new instance
 * (tracing_on, buffer_size_kb, ..., events/)
 */
void fake_fill_instance(const struct fake *f, const char *path);
/** fake_empty_dir() - remove what is in the directory @path, as the kernel's rmdir does */
void fake_empty_dir(const char *path);
/** fake_state() - a line per file below the tree: path and content; free() it */
char *fake_state(const struct fake *f);
/** fake_same_state() - are the two alike? If not, the first line that differs goes to stderr */
bool fake_same_state(const char *before, const char *after);
/** fake_run() - run a program of the host and insist on success */
void fake_run(const char *const argv[]);

#endif
