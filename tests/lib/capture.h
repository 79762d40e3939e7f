/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_LIB_CAPTURE_H
#define TESTS_LIB_CAPTURE_H

struct tfs_strbuf;

/*
 * Runs code in a forked child, to see from outside what it prints and how it ends.
 */

/**
 * capture_run() - run @fn in a child whose descriptors @fd1 and, if not -1, @fd2 are a pipe
 * @got: what was written to it is appended
 * Return: the child's wait(2) status, or -1.
 */
int capture_run(void (*fn)(void *arg), void *arg, int fd1, int fd2, struct tfs_strbuf *got);

#endif
