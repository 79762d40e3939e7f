/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_NATIVE_H
#define TFS_PRINTFMT_NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tep_event;
struct tfs_format_env;
struct tfs_indent;
struct tfs_strbuf;

/*
 * Events that libtraceevent's own plugins print, printed here: the same bytes, without a lock and
 * without allocation. A plugin of the user's that takes such an event over is left to do so.
 */

/** struct tfs_native - prints the records of one event; read only, for any number of threads */
struct tfs_native;

/**
 * struct tfs_native_rec - one record
 * @size: bytes at @data that are the record's
 * @ts: time stamp
 * @indent: from tfs_native_indent()
 * @exit: of an entry of function_graph: the exit that is drawn with it, or NULL; @exit_size bytes
 */
struct tfs_native_rec {
	const unsigned char *data;
	size_t size;
	uint64_t ts;
	unsigned int indent;
	const unsigned char *exit;
	size_t exit_size;
};

/** enum tfs_native_result - what a record came to */
enum tfs_native_result {
	TFS_NATIVE_DONE,
	TFS_NATIVE_NOT_ME, /* nothing printed: let libtraceevent print this record */
	TFS_NATIVE_FORMAT, /* the print format's text follows */
};

/**
 * tfs_native_compile() - a printer for the records of @event
 * @event: parsed, with the handlers that plugins registered; its options are set
 * @env: borrowed; outlives the result
 * @out: release with tfs_native_free()
 *
 * Runs libtraceevent's handler on made-up records, to see that it prints what ours does: not while
 * another thread is in libtraceevent. The event's handle must know the functions that @env does.
 *
 * Return: 0; -ENOENT when this event is not for us; -ENOMEM.
 */
int tfs_native_compile(struct tep_event *event, const struct tfs_format_env *env,
		       struct tfs_native **out);

/**
 * tfs_native_compile_alone() - the same where libtraceevent's plugin could not be loaded
 *
 * Prints what the plugin prints with its default options. No handler is looked at. Return: as
 * above.
 */
int tfs_native_compile_alone(struct tep_event *event, const struct tfs_format_env *env,
			     struct tfs_native **out);

/** tfs_native_plugin() - the plugin of libtraceevent's that prints @event, its file; NULL: none */
const char *tfs_native_plugin(const struct tep_event *event);
/** tfs_native_plugin_of() - the one that knows a function in @print, @len bytes; NULL: none */
const char *tfs_native_plugin_of(const char *print, size_t len);

/**
 * tfs_native_corrects() - is @event printed by a plugin of libtraceevent's that shows wrong values?
 *
 * plugin_hrtimer leaves out what newer kernels record and shows a function's offset as 0x0;
 * plugin_kvm takes the roles of pages apart as kernels before 4.x had them.
 */
bool tfs_native_corrects(const struct tep_event *event);

/**
 * tfs_native_hangs() - would libtraceevent's plugin for @event never return?
 *
 * From 1.8 on, plugin_sched_switch looks for the lowest bit of each state that the print format
 * names, also of one that has none.
 */
bool tfs_native_hangs(const struct tep_event *event);

/** struct tfs_native_graph - options: a function's name at its exit, too; depths as numbers */
struct tfs_native_graph {
	bool tail, depth;
};

/**
 * tfs_native_compile_graph() - for entries or exits of function_graph, drawn as trace-cmd does
 * @event: that of entries, or of exits; @exit: that of exits
 *
 * No handler is looked at. Return: as above.
 */
int tfs_native_compile_graph(struct tep_event *event, struct tep_event *exit,
			     const struct tfs_format_env *env, const struct tfs_native_graph *opts,
			     struct tfs_native **out);
void tfs_native_free(struct tfs_native *native);

/** tfs_native_takes() - may tfs_native_run() of a record of @size bytes print anything? */
bool tfs_native_takes(const struct tfs_native *native, size_t size);

/** tfs_native_run() - append the text of one record: an enum tfs_native_result, or -ENOMEM */
int tfs_native_run(const struct tfs_native *native, const struct tfs_native_rec *rec,
		   struct tfs_strbuf *out);

/**
 * struct tfs_learn - receiver of the task names in a record
 * @comm: @len bytes of a name, not terminated, valid during the call; returns 0 or an error
 */
struct tfs_learn {
	int (*comm)(void *context, int pid, const char *comm, size_t len);
	void *context;
};

/**
 * tfs_native_learn() - report what the plugin would learn from printing this record
 *
 * Names of tasks, of sched events only. Return: 0, or what @to's function returned.
 */
int tfs_native_learn(const struct tfs_native *native, const struct tfs_native_rec *rec,
		     const struct tfs_learn *to);

/**
 * tfs_native_indent() - by how many columns the record is indented, which those before it decide
 * @state: in order of the records
 *
 * Return: 0 for all events but functions; -ENOMEM.
 */
int tfs_native_indent(const struct tfs_native *native, struct tfs_indent *state, unsigned int cpu,
		      const struct tfs_native_rec *rec);

#endif
