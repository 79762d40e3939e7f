/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_TARGET_H
#define TC_REPORT_TARGET_H

struct report_request;
struct tfs_err;

/**
 * report_check_target() - is the file that a view writes none that would be missed?
 *
 * It must not be a recording: one that is read, or any other. Whoever forgets the name in
 * "--html=FILE trace.dat" asks for that. Return: 0, or -EEXIST with @err set.
 */
int report_check_target(const struct report_request *req, struct tfs_err *err);

#endif
