/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/signals.h"

#define NOT_RUN 127
#define PARENTS_FDS 256

/*
 * struct identity - whom the child is to become; all that needs memory or the user database is done
 * before the fork
 * @change: anything at all
 * @env: environment, empty without @change
 */
struct identity {
	bool change;
	uid_t uid;
	gid_t gid;
	gid_t *groups;
	int n_groups;
	struct tfs_strvec env;
};

static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || access(path, X_OK))
		return -EACCES;
	return 0;
}

/* -EACCES of one directory is remembered while the others are tried, as execvp() does. */
static int find_in_path(const char *command, const char *dirs)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	int rc, best = -ENOENT;
	size_t len;

	for (;;) {
		len = strcspn(dirs, ":");
		tfs_strbuf_reset(&path);
		rc = tfs_strbuf_add(&path, len ? dirs : ".", len ? len : 1);
		if (!rc)
			rc = tfs_strbuf_addf(&path, "/%s", command);
		if (!rc)
			rc = executable(path.s);
		if (!rc || rc == -ENOMEM) {
			best = rc;
			break;
		}
		if (rc == -EACCES)
			best = rc;
		dirs += len;
		if (!*dirs)
			break;
		dirs++;
	}
	tfs_strbuf_release(&path);
	return best;
}

int tc_child_find(const char *command, struct tfs_err *err)
{
	const char *dirs = getenv("PATH");
	int rc;

	if (!*command) {
		rc = -ENOENT;
	} else if (strchr(command, '/')) {
		rc = executable(command);
	} else {
		/* what execvp() takes when there is no PATH (execvp(3)) */
		rc = find_in_path(command, dirs ? dirs : "/bin:/usr/bin");
		if (rc == -ENOENT)
			return tfs_err_say(err, rc, "cannot run '%s': no such command in PATH",
					   command);
	}
	if (rc == -EACCES)
		return tfs_err_say(err, rc, "cannot run '%s': not an executable file", command);
	if (rc)
		return tfs_err_set(err, rc, "cannot run '%s'", command);
	return 0;
}

/* A name, or the number of a user that has one */
static int look_up(const char *user, const struct passwd **out, struct tfs_err *err)
{
	struct passwd *pw;
	uint64_t uid;

	errno = 0;
	pw = getpwnam(user);
	if (!pw && !tfs_parse_u64(user, 0, UINT32_MAX - 1, &uid, NULL)) {
		errno = 0;
		pw = getpwuid((uid_t)uid);
	}
	if (pw) {
		*out = pw;
		return 0;
	}
	/* "not found" has several errnos (getpwnam(3)) */
	if (errno == EIO || errno == EMFILE || errno == ENFILE || errno == ENOMEM)
		return tfs_err_set(err, -errno, "cannot look up user '%s'", user);
	tfs_err_say(err, -ENOENT, "there is no user '%s'", user);
	return -ENOENT;
}

static int find_groups(struct identity *id, const char *name)
{
	gid_t *groups;
	int n = 32;

	for (;;) {
		groups = reallocarray(id->groups, (size_t)n, sizeof(*groups));
		if (!groups)
			return -ENOMEM;
		id->groups = groups;
		id->n_groups = n;
		if (getgrouplist(name, id->gid, groups, &id->n_groups) >= 0)
			return 0;
		/* not every libc says how many there are */
		n = id->n_groups > n ? id->n_groups : n * 2;
	}
}

static bool sets(const char *assignment, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(assignment, name, len) && assignment[len] == '=';
}

static int make_env(struct identity *id, const struct passwd *pw)
{
	char **e;
	int rc = 0;

	for (e = environ; !rc && *e; e++)
		if (!sets(*e, "HOME") && !sets(*e, "USER") && !sets(*e, "LOGNAME"))
			rc = tfs_strvec_push(&id->env, *e);
	if (!rc)
		rc = tfs_strvec_pushf(&id->env, "HOME=%s", pw->pw_dir);
	if (!rc)
		rc = tfs_strvec_pushf(&id->env, "USER=%s", pw->pw_name);
	if (!rc)
		rc = tfs_strvec_pushf(&id->env, "LOGNAME=%s", pw->pw_name);
	return rc;
}

static int identity_init(struct identity *id, const char *user, struct tfs_err *err)
{
	const struct passwd *pw = NULL;
	int rc;

	*id = (struct identity){ .change = user };
	if (!user)
		return 0;
	rc = look_up(user, &pw, err);
	if (!pw)
		return rc;
	id->uid = pw->pw_uid;
	id->gid = pw->pw_gid;
	rc = make_env(id, pw);
	if (!rc)
		rc = find_groups(id, pw->pw_name);
	return rc ? tfs_err_set(err, rc, "cannot prepare to become user '%s'", user) : 0;
}

static void identity_release(struct identity *id)
{
	tfs_strvec_release(&id->env);
	free(id->groups);
}

/* In the child. Groups first: without the user id of root they could not be set. */
static int become(const struct identity *id)
{
	if (!id->change)
		return 0;
	if (setgroups((size_t)id->n_groups, id->groups) || setgid(id->gid) || setuid(id->uid))
		return errno;
	return 0;
}

/*
 * A lock of a file lasts as long as anybody has it open. Exec would close the parent's files, but
 * the child may wait long for that; if the parent is killed meanwhile, nobody could clean up after
 * it. Its files have low numbers.
 */
static void close_parents_files(int gate, int status)
{
	for (int fd = STDERR_FILENO + 1; fd < PARENTS_FDS; fd++)
		if (fd != gate && fd != status && fcntl(fd, F_GETFD) == FD_CLOEXEC)
			close(fd);
}

/*
 * The child's life before exec, with nothing but calls that are safe after a fork. It writes an int
 * to @status when it has become whom it should (0, or the errno), and another if exec fails.
 */
static __attribute__((noreturn)) void child_main(int gate, int status, char **argv,
						 const struct identity *id)
{
	char go;
	int code;
	ssize_t n;

	close_parents_files(gate, status);
	tc_signals_restore();
	code = become(id);
	if (tfs_write_all(status, &code, sizeof(code)) || code)
		_exit(NOT_RUN);
	do {
		n = read(gate, &go, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(NOT_RUN);
	if (id->change)
		execvpe(argv[0], argv, id->env.v);
	else
		execvp(argv[0], argv);
	code = errno;
	tfs_write_all(status, &code, sizeof(code));
	_exit(NOT_RUN);
}

/* The next int the child sends; -ENODATA if it has closed its end */
static int receive(int fd, int *value)
{
	char *p = (char *)value;
	size_t got = 0;
	ssize_t n;

	while (got < sizeof(*value)) {
		n = read(fd, p + got, sizeof(*value) - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -ENODATA;
		got += (size_t)n;
	}
	return 0;
}

static void reap(struct tc_child *c)
{
	while (c->pid > 0 && waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	c->pid = -1;
	tfs_close(&c->gate);
	tfs_close(&c->status);
}

int tc_child_fork(struct tc_child *c, char **argv, const char *user, struct tfs_err *err)
{
	int gate[2] = { -1, -1 }, status[2] = { -1, -1 };
	struct identity id;
	int code = 0, rc;

	rc = identity_init(&id, user, err);
	if (rc)
		goto out;
	if (pipe2(gate, O_CLOEXEC) || pipe2(status, O_CLOEXEC)) {
		rc = tfs_err_set(err, -errno, "cannot create a pipe");
		goto out;
	}
	c->command = argv[0];
	c->pid = fork();
	if (c->pid < 0) {
		rc = tfs_err_set(err, -errno, "cannot start a process for '%s'", argv[0]);
		goto out;
	}
	if (!c->pid) {
		tfs_close(&gate[1]);
		tfs_close(&status[0]);
		child_main(gate[0], status[1], argv, &id);
	}
	tfs_close(&gate[0]);
	tfs_close(&status[1]);
	c->gate = gate[1];
	c->status = status[0];
	gate[1] = -1;
	status[0] = -1;
	rc = receive(c->status, &code);
	if (rc)
		rc = tfs_err_say(err, -ECHILD, "the process for '%s' ended at once", argv[0]);
	else if (code)
		rc = tfs_err_set(err, -code, "cannot become user '%s'", user);
	if (rc)
		reap(c);
out:
	identity_release(&id);
	tfs_close(&gate[0]);
	tfs_close(&gate[1]);
	tfs_close(&status[0]);
	tfs_close(&status[1]);
	return rc;
}

int tc_child_go(struct tc_child *c, struct tfs_err *err)
{
	int code = 0, rc;

	rc = tfs_write_all(c->gate, "", 1);
	tfs_close(&c->gate);
	if (rc) {
		reap(c);
		return tfs_err_say(err, -ECHILD, "cannot run '%s': its process was killed",
				   c->command);
	}
	/* exec closes the child's end: no news is good news */
	if (receive(c->status, &code))
		code = 0;
	tfs_close(&c->status);
	if (!code)
		return 0;
	reap(c);
	return tfs_err_set(err, -code, "cannot run '%s'", c->command);
}

void tc_child_kill(struct tc_child *c)
{
	if (c->pid > 0)
		kill(c->pid, SIGKILL);
	reap(c);
}

int tc_child_exit_status(int wstatus)
{
	if (WIFSIGNALED(wstatus))
		return 128 + WTERMSIG(wstatus);
	return WEXITSTATUS(wstatus);
}
