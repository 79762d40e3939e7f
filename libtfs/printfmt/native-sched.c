/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/native-internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <event-parse.h>

#include "base/digits.h"

/* Beside the names: labels, and numbers of the greatest length. */
#define TEXT_MAX 160

enum { PREV_COMM, PREV_PID, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PID, NEXT_PRIO };

static const struct tfs_native_field switch_fields[] = {
	[PREV_COMM] = { "prev_comm", TFS_NATIVE_STRING },
	[PREV_PID] = { "prev_pid", TFS_NATIVE_KEY },
	[PREV_PRIO] = { "prev_prio", TFS_NATIVE_NUMBER },
	[PREV_STATE] = { "prev_state", TFS_NATIVE_NUMBER },
	[NEXT_COMM] = { "next_comm", TFS_NATIVE_STRING },
	[NEXT_PID] = { "next_pid", TFS_NATIVE_KEY },
	[NEXT_PRIO] = { "next_prio", TFS_NATIVE_NUMBER },
	{ NULL, 0 },
};

enum { COMM, PID, PRIO, SUCCESS, TARGET_CPU };

static const struct tfs_native_field wakeup_fields[] = {
	[COMM] = { "comm", TFS_NATIVE_STRING },
	[PID] = { "pid", TFS_NATIVE_KEY },
	[PRIO] = { "prio", TFS_NATIVE_NUMBER },
	[SUCCESS] = { "success", TFS_NATIVE_OPTIONAL },
	[TARGET_CPU] = { "target_cpu", TFS_NATIVE_OPTIONAL },
	{ NULL, 0 },
};

/* "comm:pid" of fields @i and @i + 1. A pid of four bytes is not shown signed. */
static char *put_task(const struct tfs_native *n, const unsigned char *data, unsigned int i,
		      char *p)
{
	const char *comm = (const char *)data + n->slot[i].offset;

	p = tfs_native_puts(p, comm, strnlen(comm, n->slot[i].size));
	*p++ = ':';
	return tfs_digits_sdec(p, (int64_t)tfs_native_number(n, i + 1, data));
}

static int learn_task(const struct tfs_native *n, const unsigned char *data, unsigned int i,
		      const struct tfs_learn *to)
{
	const char *comm = (const char *)data + n->slot[i].offset;

	return to->comm(to->context, (int)tfs_native_number(n, i + 1, data), comm,
			strnlen(comm, n->slot[i].size));
}

int tfs_native_learn(const struct tfs_native *n, const struct tfs_native_rec *rec,
		     const struct tfs_learn *to)
{
	int rc;

	if (rec->size < n->need ||
	    (n->row->fields != switch_fields && n->row->fields != wakeup_fields))
		return 0;
	rc = learn_task(n, rec->data, n->row->fields == switch_fields ? PREV_COMM : COMM, to);
	if (!rc && n->row->fields == switch_fields)
		rc = learn_task(n, rec->data, NEXT_COMM, to);
	return rc;
}

/* libtraceevent before 1.8 has the letters of old kernels, for all recordings. */
static int old_states(struct tfs_native *n, const struct tep_event *event)
{
	(void)event;
	snprintf(n->states, sizeof(n->states), "SDTtZXxW");
	n->runnable = "R";
	return 0;
}

/* The first __print_flags() of the print format below @arg */
static const struct tep_print_flag_sym *find_flags(const struct tep_print_arg *arg)
{
	const struct tep_print_flag_sym *found;

	if (!arg || arg->type == TEP_PRINT_FLAGS)
		return arg ? arg->flags.flags : NULL;
	if (arg->type != TEP_PRINT_OP)
		return NULL;
	found = find_flags(arg->op.left);
	return found ? found : find_flags(arg->op.right);
}

const struct tep_print_flag_sym *tfs_native_states(const struct tep_event *event)
{
	const struct tep_print_flag_sym *flag = NULL;

	for (const struct tep_print_arg *arg = event->print_fmt.args; arg && !flag; arg = arg->next)
		flag = find_flags(arg);
	return flag;
}

/* Later ones have those of the recording's kernel, which are in the print format. */
static int format_states(struct tfs_native *n, const struct tep_event *event)
{
	const struct tep_print_flag_sym *flag = tfs_native_states(event);

	if (!flag)
		snprintf(n->states, sizeof(n->states), "SDTtXZPI");
	for (; flag; flag = flag->next) {
		unsigned long bit = strtoul(flag->value, NULL, 0);

		if (!bit || !flag->str[0])
			return -ENOENT;
		if (__builtin_ctzl(bit) < TFS_NATIVE_STATES)
			n->states[__builtin_ctzl(bit)] = flag->str[0];
	}
	n->runnable = "R";
	return 0;
}

/* Those after 1.8.4 mark a task that was preempted. */
static int marked_states(struct tfs_native *n, const struct tep_event *event)
{
	int rc = format_states(n, event);

	n->runnable = "R+";
	return rc;
}

static char *put_state(char *p, const struct tfs_native *n, uint64_t state)
{
	char *start = p;

	for (unsigned int i = 0; n->states[i]; i++) {
		if (!(state >> i & 1))
			continue;
		if (p != start)
			*p++ = '|';
		*p++ = n->states[i];
	}
	if (p == start)
		p = tfs_native_puts(p, n->runnable, state ? strlen(n->runnable) : 1);
	return p;
}

static char *put_prio(char *p, uint64_t prio)
{
	p = tfs_native_put(p, " [");
	p = tfs_digits_sdec(p, (int)prio);
	return tfs_native_put(p, "] ");
}

static int run_switch(const struct tfs_native *n, const struct tfs_native_rec *rec,
		      struct tfs_strbuf *out)
{
	const unsigned char *d = rec->data;
	char *p;

	p = tfs_native_begin(out, n->slot[PREV_COMM].size + n->slot[NEXT_COMM].size + TEXT_MAX);
	if (!p)
		return -ENOMEM;
	p = put_task(n, d, PREV_COMM, p);
	p = put_prio(p, tfs_native_number(n, PREV_PRIO, d));
	p = put_state(p, n, tfs_native_number(n, PREV_STATE, d));
	p = tfs_native_put(p, " ==> ");
	p = put_task(n, d, NEXT_COMM, p);
	p = put_prio(p, tfs_native_number(n, NEXT_PRIO, d));
	tfs_native_end(out, p - 1);
	return TFS_NATIVE_DONE;
}

static int run_wakeup(const struct tfs_native *n, const struct tfs_native_rec *rec,
		      struct tfs_strbuf *out)
{
	const unsigned char *d = rec->data;
	uint64_t cpu;
	char *p;

	p = tfs_native_begin(out, n->slot[COMM].size + TEXT_MAX);
	if (!p)
		return -ENOMEM;
	p = put_task(n, d, COMM, p);
	p = tfs_native_put(p, " [");
	p = tfs_digits_sdec(p, (int64_t)tfs_native_number(n, PRIO, d));
	*p++ = ']';
	if (n->slot[SUCCESS].size) {
		p = tfs_native_put(p, " success=");
		p = tfs_digits_sdec(p, (int64_t)tfs_native_number(n, SUCCESS, d));
	}
	if (n->slot[TARGET_CPU].size) {
		cpu = tfs_native_number(n, TARGET_CPU, d);
		p = tfs_native_put(p, " CPU:");
		if (cpu < 100)
			*p++ = '0';
		if (cpu < 10)
			*p++ = '0';
		p = tfs_digits_dec(p, cpu);
	}
	tfs_native_end(out, p);
	return TFS_NATIVE_DONE;
}

#define PLUGIN "plugin_sched_switch.so"

const struct tfs_native_row tfs_native_sched[] = {
	{ "sched", "sched_switch", PLUGIN, switch_fields, run_switch, old_states },
	{ "sched", "sched_switch", PLUGIN, switch_fields, run_switch, format_states },
	{ "sched", "sched_switch", PLUGIN, switch_fields, run_switch, marked_states },
	{ "sched", "sched_wakeup", PLUGIN, wakeup_fields, run_wakeup, NULL },
	{ "sched", "sched_wakeup_new", PLUGIN, wakeup_fields, run_wakeup, NULL },
	{ 0 },
};
