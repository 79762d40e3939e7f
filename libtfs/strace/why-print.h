/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_WHY_PRINT_H
#define TFS_STRACE_WHY_PRINT_H

struct tfs_strbuf;
struct tfs_why_call;

/**
 * tfs_why_text() - append "off CPU 0.001234: sleeping 0.001200 (1), ...", without line end
 * @digits: of seconds, 0 to 9
 */
int tfs_why_text(const struct tfs_why_call *call, unsigned int digits, struct tfs_strbuf *out);
/** tfs_why_json() - append the object that tc-trace(1) describes; @call NULL: "null" */
int tfs_why_json(const struct tfs_why_call *call, struct tfs_strbuf *out);

#endif
