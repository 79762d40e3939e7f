/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "feature/getname.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "btf/btf-running.h"
#include "btf/btf.h"
#include "dso/kallsyms.h"
#include "tracefs/file.h"

#define FUNCTIONS "available_filter_functions"
/* Calls that are followed at a time: one that waits for a page keeps its place. */
#define MAXACTIVE 512
/* README of kernels from 6.9 on */
#define HAS_RETURN_ARGS "kernel return probes support: $retval, $arg<N>"
/* Its fields are __PARAMETER_val */
#define ENTER_FORMAT "events/syscalls/sys_enter_openat/format"
#define STRING_FIELD "__filename_val;"
/* struct filename up to 6.18: name, then uptr */
#define UPTR_OFFSET 8

/* The higher the better; 0: none of them */
static int rank(const char *name, size_t len)
{
	static const char newest[] = "do_getname", flags[] = "getname_flags";
	const size_t n = strlen(flags);

	if (len == strlen(newest) && !memcmp(name, newest, len))
		return 3;
	if (len < n || memcmp(name, flags, n))
		return 0;
	if (len == n)
		return 1;
	return name[n] == '.' && memmem(name + n, len - n, ".part.", 6) ? 2 : 0;
}

/* "FUNC [MODULE]", or "ADDRESS TYPE FUNC" */
int tfs_getname_pick(const char *text, struct tfs_strbuf *func)
{
	const char *best = NULL;
	size_t best_len = 0;
	int best_rank = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		const size_t first = strcspn(text, " \t\n");
		const char *name = text;
		size_t len = first;
		int r;

		if (text[first] == ' ' && text[first + 1] && text[first + 2] == ' ') {
			name = text + first + 3;
			len = strcspn(name, " \t\n");
		}
		r = rank(name, len);
		if (r > best_rank) {
			best_rank = r;
			best = name;
			best_len = len;
		}
	}
	return best ? tfs_strbuf_add(func, best, best_len) : -ENOENT;
}

static int find_func(const struct tfs_root *root, struct tfs_strbuf *func, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_file_read(root, FUNCTIONS, &text, NULL);

	if (!rc)
		rc = tfs_getname_pick(text.s, func);
	if (rc && rc != -ENOMEM) {
		tfs_strbuf_reset(&text);
		rc = tfs_read_path(TFS_KALLSYMS, &text);
		if (!rc)
			rc = tfs_getname_pick(text.s, func);
	}
	tfs_strbuf_release(&text);
	if (rc == -ENOENT)
		return tfs_err_say(err, rc, "the kernel has no function 'getname_flags'");
	return rc ? tfs_err_set(err, rc, "cannot look for the function 'getname_flags'") : 0;
}

static bool file_has(const struct tfs_root *root, const char *path, const char *word)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const bool has = !tfs_file_read(root, path, &text, NULL) && strstr(text.s, word);

	tfs_strbuf_release(&text);
	return has;
}

bool tfs_has_syscall_strings(const struct tfs_root *root)
{
	return file_has(root, ENTER_FORMAT, STRING_FIELD);
}

/* Where struct filename has the address in the program; negative: it has not, or nobody knows */
static int64_t uptr_offset(bool is_old)
{
	struct tfs_btf_member member;
	struct tfs_btf_type type;
	struct tfs_btf *btf = NULL;
	int64_t offset = -1;

	if (tfs_btf_running("vmlinux", NULL, &btf, NULL))
		return is_old ? UPTR_OFFSET : -1;
	if (!tfs_btf_struct(btf, "filename", TFS_BTF_STRUCT, &type) &&
	    !tfs_btf_find_member(btf, &type, "uptr", &member))
		offset = (int64_t)(member.bit / 8);
	tfs_btf_free(btf);
	return offset;
}

/* The compiler may have changed the parameters of a part of a function. */
static int add_address(const struct tfs_root *root, const char *func, struct tfs_strbuf *line)
{
	const bool has_args = file_has(root, "README", HAS_RETURN_ARGS);
	int64_t offset;

	if (has_args && !strchr(func, '.'))
		return tfs_strbuf_adds(line, " ptr=$arg1:x64");
	offset = uptr_offset(!has_args);
	return offset < 0 ? 0 : tfs_strbuf_addf(line, " ptr=+%" PRId64 "($retval):x64", offset);
}

int tfs_getname_define(const struct tfs_root *root, const char *where, struct tfs_strbuf *line,
		       struct tfs_err *err)
{
	struct tfs_strbuf func = TFS_STRBUF_INIT;
	int rc = find_func(root, &func, err);

	if (!rc)
		rc = tfs_strbuf_addf(line, "r%d:%s %s name=+0(+0($retval)):string ret=$retval:s64",
				     MAXACTIVE, where, func.s);
	if (!rc)
		rc = add_address(root, func.s, line);
	tfs_strbuf_release(&func);
	return rc && err && !err->code ? tfs_err_set(err, rc, "cannot define a probe") : rc;
}
