/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/reason.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "format/event-format.h"
#include "tracefs/busy.h"
#include "tracefs/root.h"

#define LOCKDOWN_FILE "/sys/kernel/security/lockdown"

/*
 * The meaning of an errno for one control file, by its last component; "" stands for any file of
 * the directory @dir. From kernel/trace/ and from trying (tests/live/t-plan.sh).
 */
static const struct {
	const char *dir, *file;
	int code;
	const char *hint;
} known[] = {
	{ "", "trace_clock", EINVAL,
	  "this kernel has no such clock; tc-list -C lists those it has" },
	{ "", "current_tracer", EINVAL,
	  "this kernel has no such tracer, or not in an instance; tc-list --features says why" },
	{ "", "current_tracer", EBUSY,
	  "the tracer or the ring buffer is in use: end the readers of its trace_pipe first" },
	{ "", "buffer_size_kb", ENOMEM,
	  "there is not enough memory for a ring buffer of this size on every CPU: ask for less" },
	{ "", "buffer_size_kb", EBUSY,
	  "the ring buffer cannot change while it is mapped, read or snapshotted by someone" },
	{ "", "buffer_size_kb", EINVAL, "a ring buffer has at least 1 KiB per CPU" },
	{ "", "buffer_subbuf_size_kb", EINVAL,
	  "a sub-buffer is at least a page and at most 512 KiB in most kernels" },
	{ "", "buffer_subbuf_size_kb", EBUSY,
	  "sub-buffers cannot change size while the ring buffer is mapped or read by someone" },
	{ "", "buffer_percent", EINVAL, "a percentage is between 0 and 100" },
	{ "", "tracing_cpumask", EINVAL, "the mask is hexadecimal, of CPUs that this machine has" },
	/* A number above pid_max is refused with the errno of a missing permission. */
	{ "", "set_event_pid", EPERM, "a process id is below /proc/sys/kernel/pid_max" },
	{ "", "set_event_pid", EINVAL, "process ids are decimal numbers" },
	{ "", "set_event_notrace_pid", EPERM, "a process id is below /proc/sys/kernel/pid_max" },
	{ "", "set_event_notrace_pid", EINVAL, "process ids are decimal numbers" },
	{ "", "set_event", EINVAL, "this kernel has no such event" },
	{ "", "enable", ENODEV, "the event cannot be enabled here: its provider is not available" },
	{ "", "enable", EBUSY, "something else uses the event exclusively" },
	{ "", "filter", EINVAL, "the fields of an event are listed in its format file" },
	{ "", "dynamic_events", EINVAL,
	  "fprobes and tprobes need a kernel of 6.5 or later with CONFIG_FPROBE_EVENTS, event "
	  "probes one of 5.15 or later; a kprobe may do (see tc-list --features)" },
	{ "", "dynamic_events", EEXIST, "a dynamic event of that name exists already" },
	{ "", "dynamic_events", EBUSY, "the dynamic event is enabled somewhere: disable it first" },
	{ "", "uprobe_events", EEXIST, "an event of that name exists already" },
	{ "", "uprobe_events", EBUSY, "the probe is enabled somewhere: disable its event first" },
	{ "", "kprobe_events", EEXIST, "an event of that name exists already" },
	{ "", "kprobe_events", EBUSY, "the probe is enabled somewhere: disable its event first" },
	{ "instances", "", EEXIST, "an instance of that name exists already: choose another name" },
	{ "instances", "", EBUSY,
	  "a process still holds a file of this instance open; end it and try again" },
	{ "instances", "", ENOMEM, "the kernel has not enough memory for another ring buffer" },
	{ "options", "", EINVAL,
	  "an option of the tracer takes 0 or 1, and not every tracer has it" },
};

/* Options that a kernel was built without, by the missing file. */
static const struct {
	const char *file, *hint;
} optional[] = {
	{ "kprobe_events", "this kernel has no kernel probes: it is built without "
			   "CONFIG_KPROBE_EVENTS" },
	{ "uprobe_events", "this kernel has no probes in programs: it is built without "
			   "CONFIG_UPROBE_EVENTS" },
	{ "snapshot",
	  "this kernel takes no snapshots: it is built without CONFIG_TRACER_SNAPSHOT" },
	{ "hist", "this kernel makes no histograms: it is built without CONFIG_HIST_TRIGGERS" },
	{ "dynamic_events", "this kernel has no dynamic events: it is built without "
			    "CONFIG_DYNAMIC_EVENTS" },
};

/* The last component of @path and, with its length, the one before. */
static const char *last_part(const char *path, const char **dir, size_t *dir_len)
{
	const char *end = strrchr(path, '/');
	const char *start;

	*dir = "";
	*dir_len = 0;
	if (!end)
		return path;
	for (start = end; start > path && start[-1] != '/'; start--)
		;
	*dir = start;
	*dir_len = (size_t)(end - start);
	return end + 1;
}

static bool is_part(const char *want, const char *part, size_t len)
{
	return strlen(want) == len && !strncmp(want, part, len);
}

static const char *known_file(const char *path, int code)
{
	const char *dir, *file;
	size_t dir_len, i;

	file = last_part(path, &dir, &dir_len);
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (known[i].code != -code)
			continue;
		if (known[i].file[0] && strcmp(known[i].file, file) != 0)
			continue;
		if (known[i].dir[0] && !is_part(known[i].dir, dir, dir_len))
			continue;
		return known[i].hint;
	}
	return NULL;
}

/* "none [integrity] confidentiality": the word in brackets; NULL for "none" and if unknown. */
static const char *lockdown_level(const char *text)
{
	if (strstr(text, "[integrity]"))
		return "integrity";
	if (strstr(text, "[confidentiality]"))
		return "confidentiality";
	return NULL;
}

static const char for_a_group[] = "run it as root, or let root give a group access: "
				  "mount -o remount,mode=750,gid=GROUP";
static const char in_the_group[] = "run it as root, or become a member of the group";
static const char only_reads[] = "run it as root, or with CAP_DAC_OVERRIDE: this user may "
				 "only read tracefs";
static const char locked_down[] = "which forbids this even to root: boot with lockdown=none, or "
				  "without Secure Boot";
static const char candidates[] = "the kernel refuses this even to root: kernel lockdown, another "
				 "security module, or a container without CAP_SYS_ADMIN can be why";
static const char read_only[] = "tracefs is mounted read-only (usual in containers); as root of "
				"the host: mount -o remount,rw";

static void hint_permission(const struct tfs_reason_facts *f, struct tfs_err *err)
{
	const char *level = lockdown_level(f->lockdown);

	if (!f->is_root && f->may_read)
		tfs_err_hint(err, "%s", only_reads);
	else if (!f->is_root && f->group[0])
		tfs_err_hint(err, "%s '%s', which may use %s", in_the_group, f->group, f->mount);
	else if (!f->is_root)
		tfs_err_hint(err, "%s %s", for_a_group, f->mount);
	else if (level)
		tfs_err_hint(err, "the kernel is locked down (%s), %s", level, locked_down);
	else
		tfs_err_hint(err, "%s", candidates);
}

static void hint_missing(const char *path, struct tfs_err *err)
{
	const char *inst = strstr(path, "/instances/");
	size_t i, dir_len;
	const char *slash = inst ? strchr(inst + strlen("/instances/"), '/') : NULL;
	const char *part, *file = last_part(path, &part, &dir_len);
	char dir[512];

	if (slash && (size_t)(slash - path) < sizeof(dir)) {
		memcpy(dir, path, (size_t)(slash - path));
		dir[slash - path] = '\0';
		if (access(dir, F_OK) && errno == ENOENT) {
			tfs_err_hint(err, "the instance is gone: something else removed it");
			return;
		}
	}
	tfs_err_hint(err, "this kernel does not offer it");
	for (i = 0; i < ARRAY_SIZE(optional); i++) {
		/* where the file is there, something that was written names what is not */
		if (!strcmp(file, optional[i].file) && access(path, F_OK))
			tfs_err_hint(err, "%s", optional[i].hint);
	}
}

void tfs_reason_hint(const struct tfs_reason_facts *facts, const char *path, int code,
		     struct tfs_err *err)
{
	const char *words = known_file(path, code);

	if (words) {
		tfs_err_hint(err, "%s", words);
		return;
	}
	switch (-code) {
	case EPERM:
	case EACCES:
		hint_permission(facts, err);
		break;
	case EINVAL:
		/* what mkdir in instances answers in lockdown (tests/vm/t-zz-lockdown.sh) */
		if (strstr(facts->lockdown, "[confidentiality]"))
			hint_permission(facts, err);
		break;
	case EROFS:
		tfs_err_hint(err, "%s %s", read_only, facts->mount);
		break;
	case ENOENT:
		hint_missing(path, err);
		break;
	case ENOMEM:
		tfs_err_hint(err, "the kernel has not enough memory for this");
		break;
	}
}

/*
 * The group that may use the directory @path, "" when that is root's or nobody's. Is this process a
 * member?
 */
static bool owning_group(const char *path, char *name, size_t size)
{
	struct group grp, *found = NULL;
	char buf[1024];
	struct stat st;

	name[0] = '\0';
	if (stat(path, &st) || !st.st_gid || !(st.st_mode & S_IXGRP))
		return false;
	if (!getgrgid_r(st.st_gid, &grp, buf, sizeof(buf), &found) && found)
		snprintf(name, size, "%s", grp.gr_name);
	else
		snprintf(name, size, "%u", (unsigned int)st.st_gid);
	return group_member(st.st_gid);
}

int tfs_reason_fields(const char *format, struct tfs_strbuf *sb)
{
	const char *end = format + strlen(format);
	struct tfs_format_field f;
	int rc = 0;

	while (!rc && tfs_format_next(&format, end, &f)) {
		if (!f.common)
			rc = tfs_strbuf_addf(sb, "%s%.*s", sb->len ? ", " : "", (int)f.name_len,
					     f.name);
	}
	return rc;
}

/* A filter was refused: what it may be about stands in the format file beside it. */
static void hint_fields(const char *path, struct tfs_err *err)
{
	struct tfs_strbuf file = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT, names = TFS_STRBUF_INIT;
	const char *last = strrchr(path, '/');
	int rc;

	if (!last || strcmp(last, "/filter") != 0)
		return;
	rc = tfs_strbuf_addf(&file, "%.*s/format", (int)(last - path), path);
	if (!rc)
		rc = tfs_read_path(file.s, &text);
	if (!rc)
		rc = tfs_reason_fields(text.s, &names);
	if (!rc && names.len)
		tfs_err_hint(err, "fields of this event: %s; of every event: common_pid, CPU, COMM",
			     names.s);
	tfs_strbuf_release(&file);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&names);
}

void tfs_reason_add(const struct tfs_root *root, const char *path, int code, struct tfs_err *err)
{
	const char *mount = root ? tfs_root_path(root) : "/sys/kernel/tracing";
	struct tfs_strbuf lockdown = TFS_STRBUF_INIT;
	char group[64];
	struct tfs_reason_facts facts = {
		.is_root = geteuid() == 0,
		.mount = mount,
		.group = group,
	};

	if (!err)
		return;
	if (tfs_read_path(LOCKDOWN_FILE, &lockdown))
		tfs_strbuf_reset(&lockdown);
	facts.may_read = owning_group(mount, group, sizeof(group));
	facts.lockdown = lockdown.s;
	tfs_reason_hint(&facts, path, code, err);
	if (code == -EINVAL)
		hint_fields(path, err);
	tfs_strbuf_release(&lockdown);
}

/* Is the event (GROUP/EVENT) enabled in the instance, or with "" at the top? */
static bool is_enabled(const struct tfs_root *root, const char *instance, const char *event,
		       size_t len)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	bool enabled;
	int rc;

	rc = tfs_strbuf_addf(&path, "%s/%s%s/events/%.*s/enable", tfs_root_path(root),
			     *instance ? "instances/" : "", *instance ? instance : ".", (int)len,
			     event);
	if (!rc)
		rc = tfs_read_path(path.s, &text);
	/* "1*": by a trigger as well */
	enabled = !rc && text.len && text.s[0] == '1';
	tfs_strbuf_release(&path);
	tfs_strbuf_release(&text);
	return enabled;
}

/* The first instance that has it enabled; false if there is none. */
static bool find_user(const struct tfs_root *root, const char *event, size_t len, char *name,
		      size_t size)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	const struct dirent *entry;
	bool found = false;
	DIR *dir = NULL;

	if (!tfs_strbuf_addf(&path, "%s/instances", tfs_root_path(root)))
		dir = opendir(path.s);
	while (dir && !found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !is_enabled(root, entry->d_name, event, len))
			continue;
		snprintf(name, size, "%s", entry->d_name);
		found = true;
	}
	if (dir)
		closedir(dir);
	tfs_strbuf_release(&path);
	return found;
}

void tfs_reason_in_use(const struct tfs_root *root, const char *written, size_t len,
		       struct tfs_err *err)
{
	struct tfs_strbuf inst = TFS_STRBUF_INIT, who = TFS_STRBUF_INIT;
	char name[256];

	if (!root || !err || len < 2 || strncmp(written, "-:", 2) != 0)
		return;
	written += 2;
	len -= 2;
	if (!memchr(written, '/', len))
		return;
	if (find_user(root, written, len, name, sizeof(name))) {
		if (tfs_strbuf_addf(&inst, "instances/%s", name) ||
		    tfs_busy_holders(root, inst.s, &who))
			tfs_strbuf_reset(&who);
		tfs_err_hint(err,
			     "it is enabled in the instance '%s'%s%s%s: end that recording first",
			     name, who.len ? " (open in " : "", who.s, who.len ? ")" : "");
	} else if (is_enabled(root, "", written, len))
		tfs_err_hint(err, "it is enabled: write 0 to %s/events/%.*s/enable first",
			     tfs_root_path(root), (int)len, written);
	else
		tfs_err_hint(err, "something that has no tracing instance uses it, such as perf or "
				  "a BPF program: end that first");
	tfs_strbuf_release(&inst);
	tfs_strbuf_release(&who);
}
