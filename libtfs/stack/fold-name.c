/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/fold-name.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/strbuf-core.h"

#define ANONYMOUS "(anonymous namespace)"
#define VMLINUX "vmlinux"

/* "/tmp/perf-PID.map", wherever it is */
static bool is_jit_map(const char *dso)
{
	const char *base = strrchr(dso, '/');
	size_t digits;

	base = base ? base + 1 : dso;
	if (strncmp(base, "perf-", 5))
		return false;
	digits = strspn(base + 5, "0123456789");
	return digits && !strcmp(base + 5 + digits, ".map");
}

static bool ends_in_vmlinux(const char *dso)
{
	size_t len = strlen(dso);

	return len >= strlen(VMLINUX) && !strcmp(dso + len - strlen(VMLINUX), VMLINUX);
}

enum tfs_frame_kind tfs_fold_kind(const char *dso)
{
	if (!dso || strstr(dso, "unknown"))
		return TFS_FRAME_USER;
	if (*dso == '[' || ends_in_vmlinux(dso))
		return TFS_FRAME_KERNEL;
	return is_jit_map(dso) ? TFS_FRAME_JIT : TFS_FRAME_USER;
}

/* "net/http.(*Client).Do" */
static bool is_go_method(const char *name)
{
	const char *open = strstr(name, ".(");

	return open && strstr(open + 2, ").");
}

/* Up to the parameters */
static size_t name_end(const char *name)
{
	const char *p = name;

	if (is_go_method(name))
		return strlen(name);
	while ((p = strchr(p, '(')) && !strncmp(p, ANONYMOUS, strlen(ANONYMOUS)))
		p++;
	return p ? (size_t)(p - name) : strlen(name);
}

static int put_known(const char *name, struct tfs_strbuf *sb)
{
	size_t len = name_end(name), i, n;
	int rc = 0;

	for (i = 0; i < len && !rc; i += n + 1) {
		n = strcspn(name + i, "\"'");
		if (n > len - i)
			n = len - i;
		rc = tfs_strbuf_add(sb, name + i, n);
	}
	return rc;
}

static int put_unknown(const struct tfs_frame *frame, unsigned int flags, struct tfs_strbuf *sb)
{
	const char *base = frame->dso ? strrchr(frame->dso, '/') : NULL;
	const char *name = base ? base + 1 : frame->dso ? frame->dso : "unknown";

	return flags & TFS_FOLD_NAME_ADDRESSES ?
		       tfs_strbuf_addf(sb, "[%s <%" PRIx64 ">]", name, frame->addr) :
		       tfs_strbuf_addf(sb, "[%s]", name);
}

int tfs_fold_frame_name(const struct tfs_frame *frame, unsigned int flags, struct tfs_strbuf *sb,
			struct tfs_fold_name *out)
{
	int rc;

	tfs_strbuf_reset(sb);
	rc = frame->name && *frame->name ? put_known(frame->name, sb) :
					   put_unknown(frame, flags, sb);
	if (rc)
		return rc;
	*out = (struct tfs_fold_name){
		.text = sb->s,
		.len = sb->len,
		.dso = frame->dso,
		.kind = frame->caller                ? TFS_FRAME_INLINED :
			frame->kind == TFS_FRAME_JIT ? TFS_FRAME_JIT :
						       tfs_fold_kind(frame->dso),
	};
	return 0;
}

struct tfs_fold_name tfs_fold_plain_name(const char *text)
{
	return (struct tfs_fold_name){ .text = text, .len = strlen(text) };
}
