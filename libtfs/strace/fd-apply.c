/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/fd-internal.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "strace/call.h"
#include "strace/fd-rules.h"
#include "strace/fd-table.h"

#define CLONE_FS 0x200
#define CLONE_FILES 0x400
#define CLONE_NEWNS 0x20000
#define CLOSE_RANGE_UNSHARE 2
#define CLOSE_RANGE_CLOEXEC 4
#define F_DUPFD 0
#define F_SETFD 2
#define F_DUPFD_CLOEXEC 1030
#define FIONCLEX 0x5450
#define RENAME_EXCHANGE 2

/* Names that open something else than a file of this name. */
static bool is_magic(const char *path)
{
	static const char *const below[] = { "/proc/", "/dev/fd/", "/dev/std" };

	for (size_t i = 0; i < ARRAY_SIZE(below); i++)
		if (!strncmp(path, below[i], strlen(below[i])))
			return true;
	return false;
}

/* Append the parts of a path, but empty ones and ".". -EINVAL: it goes up, which links decide */
static int add_parts(struct tfs_strbuf *out, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");
		int rc = 0;

		if (n == 2 && !strncmp(path, "..", 2))
			return -EINVAL;
		if (n && !(n == 1 && *path == '.')) {
			rc = tfs_strbuf_addc(out, '/');
			if (!rc)
				rc = tfs_strbuf_add(out, path, n);
		}
		if (rc)
			return rc;
		path += n + (path[n] == '/');
	}
	return 0;
}

/* The directory that a relative path begins at; NULL: not known */
static struct tfs_fd_name *base_of(struct tfs_fd_table *t, struct tfs_fd_task *task,
				   const struct tfs_call *call, int dirfd)
{
	const struct tfs_fd_span span = { call->begin, call->end };
	int fd = dirfd < 0 ? TFS_FD_CWD : (int)call->args[dirfd];

	if (fd != TFS_FD_CWD)
		return tfs_fd_in_flight(t, task->files, fd, task) ?
			       NULL :
			       tfs_fd_files_source(task->files, fd, &span);
	if (task->fs->changed > span.begin || tfs_fd_fs_in_flight(t, task->fs, task))
		return NULL;
	return tfs_fd_name_ref(task->fs->cwd);
}

static bool is_directory_name(const struct tfs_fd_name *name)
{
	return name && name->form <= TFS_FD_TYPED && !name->deleted && !name->renamed &&
	       name->text[0] == '/';
}

int tfs_fd_path(struct tfs_fd_table *t, struct tfs_fd_task *task, const struct tfs_call *call,
		int dirfd, int path, struct tfs_fd_name **out)
{
	const struct tfs_call_text *text = &call->text[path];
	struct tfs_strbuf typed = TFS_STRBUF_INIT, whole = TFS_STRBUF_INIT;
	struct tfs_fd_name *base = NULL;
	int rc = 0;

	*out = NULL;
	if (!text->s || text->cut || text->guess || !text->len || task->fs->moved)
		return 0;
	rc = tfs_strbuf_add(&typed, text->s, text->len);
	if (rc || strlen(typed.s) != typed.len)
		goto out;
	if (typed.s[0] != '/') {
		base = base_of(t, task, call, dirfd);
		if (!is_directory_name(base))
			goto out;
		if (strcmp(base->text, "/"))
			rc = tfs_strbuf_adds(&whole, base->text);
	}
	if (!rc)
		rc = add_parts(&whole, typed.s);
	if (!rc && !whole.len)
		rc = tfs_strbuf_addc(&whole, '/');
	if (!rc && !is_magic(whole.s)) {
		*out = tfs_fd_name_get(&t->names, whole.s, whole.len, TFS_FD_TYPED);
		rc = *out ? 0 : -ENOMEM;
	}
out:
	tfs_fd_name_put(&t->names, base);
	tfs_strbuf_release(&typed);
	tfs_strbuf_release(&whole);
	return rc == -EINVAL ? 0 : rc;
}

static enum tfs_fd_cloexec cloexec_of(const struct tfs_fd_rule *rule, const struct tfs_call *call)
{
	switch (rule->cloexec) {
	case TFS_FD_ALWAYS_CLOEXEC:
		return TFS_FD_CLOEXEC;
	case TFS_FD_MAYBE_CLOEXEC:
		return TFS_FD_CLOEXEC_UNKNOWN;
	case TFS_FD_BIT_CLOEXEC:
		return call->args[(int)rule->flags] & rule->bit ? TFS_FD_CLOEXEC : TFS_FD_KEPT;
	case TFS_FD_NEVER_CLOEXEC:
		break;
	}
	return TFS_FD_KEPT;
}

static int name_of_kind(struct tfs_fd_table *t, const char *text, enum tfs_fd_form form,
			struct tfs_fd_name **out)
{
	*out = text ? tfs_fd_name_get(&t->names, text, strlen(text), form) : NULL;
	return text && !*out ? -ENOMEM : 0;
}

static int name_of_socket(struct tfs_fd_table *t, const char *protocol, size_t len,
			  struct tfs_fd_name **out)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&text, "%.*s:[?]", (int)len, protocol);

	if (!rc)
		rc = name_of_kind(t, text.s, TFS_FD_SOCKET, out);
	tfs_strbuf_release(&text);
	return rc;
}

/* The file that a descriptor meant while the call ran; NULL: not known */
static struct tfs_fd_name *source_of(struct tfs_fd_table *t, struct tfs_fd_task *task,
				     const struct tfs_call *call)
{
	const struct tfs_fd_span span = { call->begin, call->end };
	int fd = (int)call->args[0];

	if (tfs_fd_in_flight(t, task->files, fd, task))
		return NULL;
	return tfs_fd_files_source(task->files, fd, &span);
}

static int name_of_memfd(struct tfs_fd_table *t, const struct tfs_fd_rule *rule,
			 const struct tfs_call *call, struct tfs_fd_name **out)
{
	const struct tfs_call_text *text = rule->path < 0 ? NULL : &call->text[(int)rule->path];
	struct tfs_strbuf name = TFS_STRBUF_INIT;
	int rc;

	if (!text)
		return name_of_kind(t, rule->text, TFS_FD_KIND, out);
	if (!text->s || text->cut || text->guess)
		return 0;
	rc = tfs_strbuf_addf(&name, "/memfd:%.*s (deleted)", (int)text->len, text->s);
	if (!rc)
		rc = name_of_kind(t, name.s, TFS_FD_KIND, out);
	tfs_strbuf_release(&name);
	return rc;
}

/* The file that a call which returns a descriptor opened: a reference, or NULL */
static int name_of_result(struct tfs_fd_table *t, struct tfs_fd_task *task,
			  const struct tfs_fd_rule *rule, const struct tfs_call *call,
			  struct tfs_fd_name **out)
{
	struct tfs_fd_name *listener;
	const char *protocol;
	int rc = 0;

	*out = NULL;
	switch (rule->change) {
	case TFS_FD_OPENS_PATH:
		return tfs_fd_path(t, task, call, rule->dirfd, rule->path, out);
	case TFS_FD_OPENS_KIND:
	case TFS_FD_SIGNALFD:
	case TFS_FD_RING:
		return name_of_kind(t, rule->text, TFS_FD_KIND, out);
	case TFS_FD_MEMFD:
		return name_of_memfd(t, rule, call, out);
	case TFS_FD_MAKES_SOCKET:
		protocol = tfs_fd_socket_name(call->args[0], call->args[1]);
		protocol = protocol ? protocol : "socket";
		return name_of_socket(t, protocol, strlen(protocol), out);
	case TFS_FD_ACCEPT:
		listener = source_of(t, task, call);
		if (listener && listener->form == TFS_FD_SOCKET)
			rc = name_of_socket(t, listener->text, strcspn(listener->text, ":"), out);
		tfs_fd_name_put(&t->names, listener);
		return rc;
	case TFS_FD_BPF: /* BPF_MAP_CREATE, BPF_PROG_LOAD */
		return name_of_kind(t, call->args[0] ? "anon_inode:bpf-prog" : "anon_inode:bpf-map",
				    TFS_FD_KIND, out);
	case TFS_FD_DUP:
	case TFS_FD_DUP_TO:
	case TFS_FD_FCNTL:
		*out = source_of(t, task, call);
		return 0;
	default:
		return 0;
	}
}

static int open_result(struct tfs_fd_table *t, struct tfs_fd_task *task,
		       const struct tfs_fd_rule *rule, const struct tfs_call *call,
		       enum tfs_fd_cloexec cloexec)
{
	const struct tfs_fd_span span = { call->begin, call->end };
	struct tfs_fd_name *name;
	int rc, rc_name = name_of_result(t, task, rule, call, &name);

	if (rule->change == TFS_FD_DUP_TO)
		rc = tfs_fd_files_replace(task->files, (int)call->ret, name, cloexec, &span);
	else
		rc = tfs_fd_files_open(task->files, (int)call->ret, name, cloexec, &span);
	if (!rc)
		rc = tfs_fd_doubt_others(t, task, (unsigned int)call->ret, (unsigned int)call->ret,
					 call->end);
	return rc_name ? rc_name : rc;
}

static int apply_close(struct tfs_fd_table *t, struct tfs_fd_task *task, unsigned int first,
		       unsigned int last, const struct tfs_call *call)
{
	const struct tfs_fd_span span = { call->begin, call->end };
	int rc = tfs_fd_files_close(task->files, first, last, &span);

	return rc ? rc : tfs_fd_doubt_others(t, task, first, last, call->end);
}

static int apply_close_range(struct tfs_fd_table *t, struct tfs_fd_task *task,
			     const struct tfs_call *call)
{
	unsigned int first = (unsigned int)call->args[0], last = (unsigned int)call->args[1];
	int rc = 0;

	if (call->args[2] & CLOSE_RANGE_UNSHARE)
		rc = tfs_fd_own_files(t, task);
	if (rc)
		return rc;
	if (call->args[2] & CLOSE_RANGE_CLOEXEC)
		return tfs_fd_files_set_cloexec(task->files, first, last, TFS_FD_CLOEXEC);
	return apply_close(t, task, first, last, call);
}

static int apply_fcntl(struct tfs_fd_table *t, struct tfs_fd_task *task,
		       const struct tfs_fd_rule *rule, const struct tfs_call *call)
{
	unsigned int fd = (unsigned int)call->args[0];

	switch ((unsigned int)call->args[1]) {
	case F_DUPFD:
		return open_result(t, task, rule, call, TFS_FD_KEPT);
	case F_DUPFD_CLOEXEC:
		return open_result(t, task, rule, call, TFS_FD_CLOEXEC);
	case F_SETFD:
		return tfs_fd_files_set_cloexec(task->files, fd, fd,
						call->args[2] & 1 ? TFS_FD_CLOEXEC : TFS_FD_KEPT);
	default:
		return 0;
	}
}

static int apply_unshare(struct tfs_fd_table *t, struct tfs_fd_task *task,
			 const struct tfs_call *call)
{
	int rc = 0;

	if (call->args[0] & CLONE_FILES)
		rc = tfs_fd_own_files(t, task);
	if (!rc && call->args[0] & (CLONE_FS | CLONE_NEWNS))
		rc = tfs_fd_own_fs(t, task);
	if (!rc && call->args[0] & CLONE_NEWNS)
		task->fs->moved = true;
	return rc;
}

static int apply_chdir(struct tfs_fd_table *t, struct tfs_fd_task *task,
		       const struct tfs_fd_rule *rule, const struct tfs_call *call)
{
	struct tfs_fd_name *cwd = NULL;
	bool alone = task->fs->changed <= call->begin && !tfs_fd_fs_in_flight(t, task->fs, task);
	int rc = 0;

	if (alone && rule->change == TFS_FD_CHDIR)
		rc = tfs_fd_path(t, task, call, rule->dirfd, rule->path, &cwd);
	else if (alone)
		cwd = source_of(t, task, call);
	tfs_fd_fs_set(t, task->fs, cwd, call->end);
	return rc;
}

/* Names of open files change: as far as the path is known */
static int apply_rename(struct tfs_fd_table *t, struct tfs_fd_task *task,
			const struct tfs_fd_rule *rule, const struct tfs_call *call)
{
	bool at = rule->dirfd >= 0;
	bool exchange = !strcmp(rule->name, "renameat2") && call->args[4] & RENAME_EXCHANGE;
	struct tfs_fd_name *from, *to;
	int rc = tfs_fd_path(t, task, call, rule->dirfd, rule->path, &from), rc_to;

	rc_to = tfs_fd_path(t, task, call, at ? 2 : -1, at ? 3 : 1, &to);
	if (to && exchange)
		tfs_fd_names_renamed(&t->names, to->text, strlen(to->text));
	else if (to)
		tfs_fd_names_deleted(&t->names, to->text, strlen(to->text));
	if (from)
		tfs_fd_names_renamed(&t->names, from->text, strlen(from->text));
	tfs_fd_name_put(&t->names, from);
	tfs_fd_name_put(&t->names, to);
	return rc ? rc : rc_to;
}

static int apply_unlink(struct tfs_fd_table *t, struct tfs_fd_task *task,
			const struct tfs_fd_rule *rule, const struct tfs_call *call)
{
	struct tfs_fd_name *name;
	int rc = tfs_fd_path(t, task, call, rule->dirfd, rule->path, &name);

	if (name)
		tfs_fd_names_deleted(&t->names, name->text, strlen(name->text));
	tfs_fd_name_put(&t->names, name);
	return rc;
}

/* A close that fails has closed, except that of a number which is not open. */
static bool has_effect(const struct tfs_fd_rule *rule, const struct tfs_call *call)
{
	if (rule->change == TFS_FD_CLOSE)
		return call->ret != -EBADF;
	if (call->ret < 0 && call->ret >= -TFS_CALL_ERRNO_MAX)
		return false;
	if (rule->change == TFS_FD_BPF)
		return call->args[0] == 0 || call->args[0] == 5;
	/* signalfd() of a descriptor changes that one, and returns it */
	if (rule->change == TFS_FD_SIGNALFD)
		return (int)call->args[0] == -1;
	/* dup2() of a descriptor to itself */
	return rule->change != TFS_FD_DUP_TO || (int)call->args[0] != (int)call->args[1];
}

int tfs_fd_apply(struct tfs_fd_table *t, struct tfs_fd_task *task, const struct tfs_fd_rule *rule,
		 const struct tfs_call *call)
{
	unsigned int fd = (unsigned int)call->args[0];
	int rc;

	if (!has_effect(rule, call))
		return 0;
	switch (rule->change) {
	case TFS_FD_CLOSE:
		return apply_close(t, task, fd, fd, call);
	case TFS_FD_CLOSE_RANGE:
		return apply_close_range(t, task, call);
	case TFS_FD_FCNTL:
		return apply_fcntl(t, task, rule, call);
	case TFS_FD_IOCTL:
		return tfs_fd_files_set_cloexec(
			task->files, fd, fd,
			(unsigned int)call->args[1] == FIONCLEX ? TFS_FD_KEPT : TFS_FD_CLOEXEC);
	case TFS_FD_UNSHARE:
		return apply_unshare(t, task, call);
	case TFS_FD_CHDIR:
	case TFS_FD_FCHDIR:
		return apply_chdir(t, task, rule, call);
	case TFS_FD_NEW_ROOT:
		tfs_fd_fs_set(t, task->fs, NULL, call->end);
		task->fs->moved = true;
		return 0;
	case TFS_FD_UNLINK:
		return apply_unlink(t, task, rule, call);
	case TFS_FD_RENAME:
		return apply_rename(t, task, rule, call);
	case TFS_FD_RING:
		rc = open_result(t, task, rule, call, TFS_FD_CLOEXEC);
		task->files->unsure = true;
		return rc;
	default:
		return open_result(t, task, rule, call, cloexec_of(rule, call));
	}
}
