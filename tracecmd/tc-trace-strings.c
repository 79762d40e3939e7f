/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-strings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/pid-ns.h"
#include "cli/clause.h"
#include "dso/dso.h"
#include "feature/getname.h"
#include "probe/syscall-sites.h"
#include "strace/call-texts.h"
#include "strace/expr.h"
#include "syscalls/tables.h"
#include "tracefs/file.h"
#include "tracefs/plan.h"

#define DYNAMIC "dynamic_events"
#define KPROBES "kprobe_events"
#define UPROBES "uprobe_events"
/* Texts that a call has */
enum text_kinds { PATHS = 1 << 0, STRINGS = 1 << 1, BUFFERS = 1 << 2 };

struct definer {
	struct strace_strings *s;
	const struct strace_strings_opts *opts;
};

int strace_strings_parse(const char *text, enum strace_strings_from *from, struct tfs_err *err)
{
	static const char *const words[] = {
		[STRACE_STRINGS_AUTO] = "auto",     [STRACE_STRINGS_KERNEL] = "kernel",
		[STRACE_STRINGS_KPROBE] = "kprobe", [STRACE_STRINGS_EPROBE] = "eprobe",
		[STRACE_STRINGS_UPROBE] = "uprobe", [STRACE_STRINGS_MEMORY] = "memory",
		[STRACE_STRINGS_NONE] = "none",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(text, words[i]) != 0)
			continue;
		*from = (enum strace_strings_from)i;
		return 0;
	}
	return tfs_err_say(err, -EINVAL,
			   "'%s' is not a source of strings: auto, kernel, kprobe, eprobe, "
			   "uprobe, memory, none",
			   text);
}

void strace_strings_release(struct strace_strings *s)
{
	tfs_strvec_release(&s->names);
	tfs_strbuf_release(&s->said);
	tfs_strbuf_release(&s->why);
}

static bool is_string(const struct sys_arg *arg)
{
	return arg->kind == SYS_PATH || arg->kind == SYS_STR;
}

static unsigned int kinds_of(const struct sys_proto *proto)
{
	unsigned int kinds = 0;

	for (unsigned int i = 0; proto && i < proto->n_args; i++) {
		const enum sys_kind kind = proto->args[i].kind;

		kinds |= kind == SYS_PATH ? PATHS :
			 kind == SYS_STR  ? STRINGS :
			 kind == SYS_BUF  ? BUFFERS :
					    0u;
	}
	return kinds;
}

/* Does a call that is shown have such an argument? */
static bool wants(const struct tfs_expr *expr, const struct sys_entry *entry, unsigned int kinds)
{
	return kinds_of(entry->proto) & kinds &&
	       tfs_call_set_has(&expr->calls, expr->abi, entry->nr);
}

static bool wants_any(const struct tfs_expr *expr, unsigned int kinds)
{
	for (size_t i = 0; expr->abi < SYS_N_ABIS && i < sys_tables[expr->abi].n; i++)
		if (wants(expr, &sys_tables[expr->abi].entries[i], kinds))
			return true;
	return false;
}

/* "tc_trace_PID/EVENT": nobody else has that group. */
static int event_name(const char *event, struct tfs_strbuf *out)
{
	char tag[TFS_PID_TAG_SIZE];

	tfs_pid_tag(tag, '_');
	return tfs_strbuf_addf(out, "tc_trace_%s/%s", tag, event);
}

/* "events/GROUP/EVENT" of "GROUP/EVENT" */
static bool is_there(const struct tfs_root *root, const char *where)
{
	char path[256];

	return (size_t)snprintf(path, sizeof(path), "events/%s", where) < sizeof(path) &&
	       tfs_file_exists(root, path);
}

/* Calls of several names may have one event, "GROUP/EVENT". */
static bool is_chosen(const struct strace_strings *s, const char *where)
{
	for (size_t i = 0; i < s->names.n; i++)
		if (!strcmp(strchr(s->names.v[i], ':') + 1, strchr(where, '/') + 1))
			return true;
	return false;
}

/* Record the event "GROUP/EVENT". */
static int add_event(struct definer *d, const char *where, struct tfs_err *err)
{
	const char *slash = strchr(where, '/');
	int rc = tfs_strvec_pushf(&d->s->names, "%.*s:%s", (int)(slash - where), where, slash + 1);

	return rc ? tfs_err_set(err, rc, "cannot choose the events") :
		    tc_clauses_event(d->opts->clauses, d->s->names.v[d->s->names.n - 1], err);
}

/* A step that may be refused: define "GROUP/EVENT", or add a location to it (@where: NULL) */
static int plan_definition(struct definer *d, const char *file, const char *line, const char *where)
{
	struct tfs_strbuf undo = TFS_STRBUF_INIT;
	int rc = tfs_plan_append(d->opts->plan, file, line);

	/* Another location of an event is removed with the first one. */
	if (!rc && where)
		rc = tfs_strbuf_addf(&undo, "-:%s", where);
	if (!rc && where)
		rc = tfs_plan_undo_append(d->opts->plan, file, undo.s);
	if (!rc)
		rc = tfs_plan_optional(d->opts->plan, "strings are shown as addresses");
	tfs_strbuf_release(&undo);
	return rc;
}

static int apply(struct definer *d, int rc, struct tfs_err *err)
{
	if (rc)
		return err->code ? rc : tfs_err_set(err, rc, "cannot plan the probes");
	return tfs_plan_apply(d->opts->plan, err);
}

/* Why the kernel refused the last definition */
static int refused(const struct definer *d, struct tfs_err *err)
{
	const size_t n = tfs_plan_notices(d->opts->plan);

	if (n)
		*err = *tfs_plan_notice(d->opts->plan, n - 1);
	return n ? -EOPNOTSUPP : tfs_err_say(err, -EOPNOTSUPP, "the kernel defines no such event");
}

/* Return: 0; -EOPNOTSUPP: there is no such rung here; other errors */
static int use_kprobe(struct definer *d, struct tfs_err *err)
{
	struct tfs_strbuf where = TFS_STRBUF_INIT, line = TFS_STRBUF_INIT;
	int rc = event_name(TFS_CALL_GETNAME, &where);

	if (!rc && !tfs_file_exists(d->opts->root, KPROBES))
		rc = tfs_err_say(err, -EOPNOTSUPP, "this kernel has no kprobes");
	if (!rc && tfs_getname_define(d->opts->root, where.s, &line, err))
		rc = -EOPNOTSUPP;
	if (!rc)
		rc = apply(d, plan_definition(d, KPROBES, line.s, where.s), err);
	if (!rc && !is_there(d->opts->root, where.s))
		rc = refused(d, err);
	if (!rc)
		rc = add_event(d, where.s, err);
	if (!rc) {
		const char *func = strchr(line.s, ' ') + 1;

		d->s->kprobe = true;
		rc = tfs_strbuf_addf(&d->s->said, "%sa return probe on %.*s (kprobe)",
				     d->s->said.len ? ", and " : "", (int)strcspn(func, " "), func);
	}
	tfs_strbuf_release(&where);
	tfs_strbuf_release(&line);
	return rc;
}

/* "e:GROUP/tc_enter_openat syscalls/sys_enter_openat nr=... text1=+0($filename):ustring" */
static int enter_line(const struct sys_proto *proto, const char *where, struct tfs_strbuf *line)
{
	int rc = tfs_strbuf_addf(line, "e:%s syscalls/sys_enter_%s nr=$__syscall_nr:s32", where,
				 proto->event);

	for (unsigned int i = 0; !rc && i < proto->n_args; i++)
		if (is_string(&proto->args[i]))
			rc = tfs_strbuf_addf(line, " text%u=+0($%s):ustring", i,
					     proto->args[i].name);
	return rc;
}

/* Calls of several names may have one event. */
static int plan_enter(struct definer *d, const struct sys_entry *entry, struct tfs_strvec *wheres)
{
	struct tfs_strbuf where = TFS_STRBUF_INIT, line = TFS_STRBUF_INIT, event = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&event, "syscalls/sys_enter_%s", entry->proto->event);

	if (!rc && is_there(d->opts->root, event.s)) {
		tfs_strbuf_reset(&event);
		rc = tfs_strbuf_addf(&event, TFS_CALL_ENTER_TEXT "%s", entry->proto->event);
		if (!rc)
			rc = event_name(event.s, &where);
		if (!rc && !tfs_strvec_has(wheres, where.s)) {
			rc = enter_line(entry->proto, where.s, &line);
			if (!rc)
				rc = plan_definition(d, DYNAMIC, line.s, where.s);
			if (!rc)
				rc = tfs_strvec_push(wheres, where.s);
		}
	}
	tfs_strbuf_release(&where);
	tfs_strbuf_release(&line);
	tfs_strbuf_release(&event);
	return rc;
}

static int use_eprobe(struct definer *d, struct tfs_err *err)
{
	const struct sys_table *table = &sys_tables[d->opts->expr->abi];
	struct tfs_strvec wheres = TFS_STRVEC_INIT;
	size_t used = 0;
	int rc = 0;

	if (!tfs_file_exists(d->opts->root, DYNAMIC))
		return tfs_err_say(err, -EOPNOTSUPP, "this kernel has no event probes");
	for (size_t i = 0; !rc && i < table->n; i++) {
		const size_t n = wheres.n;

		if (!wants(d->opts->expr, &table->entries[i], PATHS | STRINGS))
			continue;
		rc = plan_enter(d, &table->entries[i], &wheres);
		/* A kernel without them refuses the first one. */
		if (rc || n || !wheres.n)
			continue;
		rc = apply(d, rc, err);
		if (!rc && !is_there(d->opts->root, wheres.v[0]))
			rc = refused(d, err);
	}
	if (rc != -EOPNOTSUPP)
		rc = apply(d, rc, err);
	for (size_t i = 0; !rc && i < wheres.n; i++) {
		if (!is_there(d->opts->root, wheres.v[i]))
			continue;
		rc = add_event(d, wheres.v[i], err);
		used++;
	}
	if (!rc && !used)
		rc = refused(d, err);
	if (!rc) {
		d->s->eprobe = true;
		rc = tfs_strbuf_adds(&d->s->said, "probes on the kernel's events (eprobe)");
	}
	tfs_strvec_release(&wheres);
	return rc;
}

/* Registers of the arguments of system calls in programs (x86-64: syscall(2)) */
static const struct {
	const char *name;
	unsigned int dwarf;
} argument_registers[] = { { "di", 5 },   { "si", 4 }, { "dx", 1 },
			   { "r10", 10 }, { "r8", 8 }, { "r9", 9 } };

/* Registers that point to the strings of a call that is shown */
static uint32_t registers_of(void *ctx, uint32_t number)
{
	const struct definer *d = ctx;
	const struct sys_entry *entry = sys_abi_lookup(d->opts->expr->abi, number);
	uint32_t registers = 0;

	if (!entry || !wants(d->opts->expr, entry, PATHS | STRINGS))
		return 0;
	for (unsigned int i = 0; i < entry->proto->n_args; i++)
		if (is_string(&entry->proto->args[i]))
			registers |= 1u << argument_registers[i].dwarf;
	return registers;
}

/* "p:GROUP/tc_before_openat FILE:0x123 nr=\257:s32 text1=+0(%si):string" */
static int plan_site(struct definer *d, const struct tfs_dso *dso,
		     const struct tfs_syscall_site *site, struct tfs_strvec *wheres)
{
	const struct sys_entry *entry = sys_abi_lookup(d->opts->expr->abi, site->number);
	struct tfs_strbuf event = TFS_STRBUF_INIT, where = TFS_STRBUF_INIT, line = TFS_STRBUF_INIT;
	uint64_t offset = 0;
	bool is_first;
	int rc = tfs_dso_file_offset(dso, site->addr, &offset);

	if (!rc)
		rc = tfs_strbuf_addf(&event, TFS_CALL_BEFORE_TEXT "%s", entry->proto->event);
	if (!rc)
		rc = event_name(event.s, &where);
	if (!rc)
		rc = tfs_strbuf_addf(&line, "p:%s %s:0x%" PRIx64 " nr=\\%" PRIu32 ":s32", where.s,
				     tfs_dso_path(dso), offset, site->number);
	for (unsigned int i = 0; !rc && i < entry->proto->n_args; i++)
		if (is_string(&entry->proto->args[i]))
			rc = tfs_strbuf_addf(&line, " text%u=+0(%%%s):string", i,
					     argument_registers[i].name);
	is_first = !rc && !tfs_strvec_has(wheres, where.s);
	if (!rc)
		rc = plan_definition(d, UPROBES, line.s, is_first ? where.s : NULL);
	if (is_first && !rc)
		rc = tfs_strvec_push(wheres, where.s);
	tfs_strbuf_release(&event);
	tfs_strbuf_release(&where);
	tfs_strbuf_release(&line);
	return rc;
}

static int plan_sites(struct definer *d, const char *path, struct tfs_strvec *wheres,
		      struct tfs_err *err)
{
	struct tfs_syscall_site *sites = NULL;
	struct tfs_dso *dso = NULL;
	size_t n = 0;
	int rc = tfs_dso_open(path, NULL, &dso, err);

	if (!rc)
		rc = tfs_syscall_sites(dso, registers_of, d, &sites, &n, err);
	for (size_t i = 0; !rc && i < n; i++)
		rc = plan_site(d, dso, &sites[i], wheres);
	free(sites);
	tfs_dso_free(dso);
	return rc;
}

/* "START-END r-xp OFFSET DEVICE INODE PATH": the C library and its loader make the calls. */
static bool is_library(const char *path)
{
	const char *base = strrchr(path, '/');

	return base && !strpbrk(path, " \t") &&
	       (!strcmp(base, "/libc.so.6") || !strncmp(base, "/ld-linux", 9));
}

/* The libraries that this program uses, as the programs that it traces do */
static int plan_libraries(struct definer *d, struct tfs_strvec *wheres, struct tfs_err *err)
{
	struct tfs_strbuf maps = TFS_STRBUF_INIT;
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	int rc = tfs_read_path("/proc/self/maps", &maps);

	if (!rc)
		rc = tfs_strvec_split(&lines, maps.s, "\n");
	for (size_t i = 0; !rc && i < lines.n; i++) {
		const char *path = strchr(lines.v[i], '/');

		if (path && strstr(lines.v[i], " r-xp ") && is_library(path))
			rc = plan_sites(d, path, wheres, err);
	}
	tfs_strvec_release(&lines);
	tfs_strbuf_release(&maps);
	return rc;
}

static int use_uprobe(struct definer *d, struct tfs_err *err)
{
	struct tfs_strvec wheres = TFS_STRVEC_INIT;
	int rc;

	if (!tfs_file_exists(d->opts->root, UPROBES))
		return tfs_err_say(err, -EOPNOTSUPP, "this kernel has no uprobes");
	rc = plan_libraries(d, &wheres, err);
	rc = rc ? rc : apply(d, rc, err);
	if (!rc && !wheres.n)
		rc = tfs_err_say(err, -EOPNOTSUPP, "no C library was found that could be probed");
	for (size_t i = 0; !rc && i < wheres.n; i++)
		rc = is_there(d->opts->root, wheres.v[i]) ? add_event(d, wheres.v[i], err) :
							    refused(d, err);
	if (!rc) {
		d->s->uprobe = true;
		rc = tfs_strbuf_adds(&d->s->said, "probes in the C library (uprobe)");
	}
	tfs_strvec_release(&wheres);
	return rc && !err->code ? tfs_err_set(err, rc, "cannot define the probes") : rc;
}

/* @kinds: texts that are wanted of them */
static int use_kernel(struct definer *d, unsigned int kinds, struct tfs_err *err)
{
	const struct sys_table *table = &sys_tables[d->opts->expr->abi];
	struct tfs_strbuf where = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; !rc && i < table->n; i++) {
		const struct sys_entry *entry = &table->entries[i];

		if (!wants(d->opts->expr, entry, kinds))
			continue;
		tfs_strbuf_reset(&where);
		rc = tfs_strbuf_addf(&where, "syscalls/sys_enter_%s", entry->proto->event);
		if (!rc && is_there(d->opts->root, where.s) && !is_chosen(d->s, where.s))
			rc = add_event(d, where.s, err);
	}
	d->s->kernel = !rc;
	tfs_strbuf_release(&where);
	return rc ? rc : tfs_strbuf_adds(&d->s->said, "the kernel's events (kernel)");
}

static int use_memory(struct definer *d)
{
	d->s->memory = true;
	return tfs_strbuf_adds(&d->s->said, "the memory of the programs, later (memory)");
}

/* No event has paths: for @why there is no kprobe. */
static int use_none(struct definer *d, const struct tfs_err *why)
{
	int rc = tfs_strbuf_addf(&d->s->why, "%s, and event probes read none", why->msg);

	return rc || d->opts->keeps ? rc : use_memory(d);
}

/*
 * The kernel's own events have at most 165 bytes of a path, with dots for what is not ASCII: they
 * are for other strings where a probe has the whole path.
 */
static int use_best(struct definer *d, struct tfs_err *err)
{
	const bool native = tfs_has_syscall_strings(d->opts->root);
	struct tfs_err why = TFS_ERR_INIT, why_eprobe = TFS_ERR_INIT;
	int rc = 0;

	if (native && wants_any(d->opts->expr, STRINGS | BUFFERS))
		rc = use_kernel(d, STRINGS | BUFFERS, err);
	if (rc || !wants_any(d->opts->expr, PATHS))
		return rc;
	rc = use_kprobe(d, &why);
	if (rc == -EOPNOTSUPP && native) {
		tfs_strbuf_reset(&d->s->said);
		return use_kernel(d, PATHS, err);
	}
	if (rc != -EOPNOTSUPP) {
		if (rc)
			*err = why;
		return rc;
	}
	rc = use_eprobe(d, &why_eprobe);
	if (rc == -EOPNOTSUPP)
		return use_none(d, &why);
	if (rc)
		*err = why_eprobe;
	return rc;
}

int strace_strings_define(struct strace_strings *s, const struct strace_strings_opts *opts,
			  struct tfs_err *err)
{
	struct definer d = { .s = s, .opts = opts };
	const struct tfs_expr *expr = opts->expr;
	int rc = 0;

	if (expr->abi >= SYS_N_ABIS || !wants_any(expr, PATHS | STRINGS | BUFFERS))
		return 0;
	switch (opts->from) {
	case STRACE_STRINGS_AUTO:
		rc = use_best(&d, err);
		break;
	case STRACE_STRINGS_KERNEL:
		rc = tfs_has_syscall_strings(opts->root) ?
			     use_kernel(&d, PATHS | STRINGS | BUFFERS, err) :
			     tfs_err_say(err, -EOPNOTSUPP,
					 "the system call events of this kernel have no "
					 "strings (those of 6.19 and later have)");
		break;
	case STRACE_STRINGS_KPROBE:
		rc = use_kprobe(&d, err);
		break;
	case STRACE_STRINGS_EPROBE:
		rc = use_eprobe(&d, err);
		break;
	case STRACE_STRINGS_UPROBE:
		rc = use_uprobe(&d, err);
		break;
	case STRACE_STRINGS_MEMORY:
		rc = use_memory(&d);
		break;
	case STRACE_STRINGS_NONE:
		break;
	}
	if (rc && opts->from != STRACE_STRINGS_AUTO && rc != -ENOMEM)
		tfs_err_prefix(err, "option --strings");
	return rc && !err->code ? tfs_err_set(err, rc, "cannot choose the events") : rc;
}
