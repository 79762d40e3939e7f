/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/trace.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "decode/blk.h"
#include "decode/clock.h"
#include "decode/comms.h"
#include "decode/compat.h"
#include "decode/event-regex.h"
#include "decode/fgraph.h"
#include "decode/formats.h"
#include "decode/guests.h"
#include "decode/plugin-dirs.h"
#include "decode/task.h"
#include "decode/trace-internal.h"
#include "decode/types.h"
#include "printfmt/printks.h"

/* A real one has 210 bytes. */
#define HEADER_PAGE_MAX 4096

/* "plugin:option=value" to libtraceevent, which copies both parts. */
static int add_plugin_option(const char *text)
{
	char *name = strdup(text), *value;
	int rc;

	if (!name)
		return -ENOMEM;
	value = strchr(name, '=');
	if (value)
		*value++ = '\0';
	rc = tep_plugin_add_option(name, value);
	free(name);
	return rc < 0 ? -ENOMEM : 0;
}

/*
 * Plugins see nothing of the file but its events. Pass the recorded machine ("Linux host release
 * machine") to the plugin that needs it. The user's option comes later and wins.
 */
static int pass_machine(const struct tfs_trace *trace)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const struct tfs_dat_option *o = tfs_dat_option_last(trace->dat, TFS_DAT_UNAME);
	/* Blobs have a zero after their last byte. */
	const char *machine = o ? strrchr(o->data.data, ' ') : NULL;
	int rc = 0;

	if (machine && machine[1])
		rc = tfs_strbuf_addf(&text, "syscalls:arch=%s", machine + 1);
	if (!rc && text.len)
		rc = add_plugin_option(text.s);
	tfs_strbuf_release(&text);
	return rc;
}

/* "Linux host release machine" */
const char *tfs_trace_release(const struct tfs_trace *trace)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(trace->dat, TFS_DAT_UNAME);
	const char *p = o ? strchr(o->data.data, ' ') : NULL;

	p = p ? strchr(p + 1, ' ') : NULL;
	return p ? p + 1 : NULL;
}

unsigned int tfs_release_version(const char *release)
{
	unsigned int major, minor;

	if (!release || sscanf(release, "%3u.%3u", &major, &minor) != 2)
		return UINT_MAX;
	return major * 1000 + minor;
}

static int load_plugins(struct tfs_trace *trace, const struct tfs_trace_opts *opts)
{
	size_t i;
	char *dir;
	int rc = 0;

	if (opts->no_plugins || opts->kernel)
		tep_set_flag(trace->tep, TEP_DISABLE_PLUGINS);
	if (opts->local_plugins)
		tep_set_flag(trace->tep, TEP_DISABLE_SYS_PLUGINS);
	if (opts->plugin_dir)
		rc = pass_machine(trace);
	for (i = 0; i < opts->n_plugin_options && !rc; i++)
		rc = add_plugin_option(opts->plugin_options[i]);
	if (!rc && opts->plugin_dir) {
		dir = strdup(opts->plugin_dir);
		rc = dir && !tep_add_plugin_path(trace->tep, dir, TEP_PLUGIN_LAST) ? 0 : -ENOMEM;
		free(dir);
	}
	if (!rc)
		rc = tfs_plugin_dirs_load(trace->tep, &trace->plugins);
	return rc;
}

static void set_sizes(struct tfs_trace *trace)
{
	const struct tfs_dat_info *info = tfs_dat_info(trace->dat);
	struct tep_handle *tep = trace->tep;
	struct tfs_blob page;
	char *copy;

	tep_set_file_bigendian(tep, info->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(tep, (int)info->long_size);
	tep_set_page_size(tep, (int)info->page_size);
	tep_set_cpus(tep, (int)info->cpus);
	tfs_dat_blob(trace->dat, TFS_DAT_BLOB_HEADER_PAGE, &page);
	if (page.size && page.size < HEADER_PAGE_MAX) {
		/* The parameter is not const; it is not written to, but nobody promises that. */
		copy = malloc(page.size + 1);
		if (!copy) {
			trace->starved = true;
		} else {
			memcpy(copy, page.data, page.size);
			copy[page.size] = '\0';
			tep_parse_header_page(tep, copy, page.size, (int)info->long_size);
			free(copy);
		}
	}
	/* The kernel's long, which may be longer than that of the program which recorded. */
	if (info->kernel_long_size == 4 || info->kernel_long_size == 8)
		tep_set_long_size(tep, (int)info->kernel_long_size);
}

static void common_field(struct tep_event *event, const char *name, unsigned int *off,
			 unsigned int *size)
{
	const struct tep_format_field *f = event ? tep_find_common_field(event, name) : NULL;

	if (!f || f->offset < 0 || f->offset > TFS_EVENT_SPAN_MAX)
		return;
	*off = (unsigned int)f->offset;
	*size = (unsigned int)f->size;
}

static bool is_standard(const struct tfs_trace *trace)
{
	bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return tfs_dat_info(trace->dat)->big_endian == big && !trace->common.type_off &&
	       trace->common.type_size == 2 && trace->common.flags_off == 2 &&
	       trace->common.flags_size == 1 && trace->common.pc_off == 3 &&
	       trace->common.pc_size == 1 && trace->common.pid_off == 4 &&
	       trace->common.pid_size == 4 && !trace->common.lazy_size;
}

static void find_lazy(struct tfs_trace *trace, struct tep_event *event)
{
	common_field(event, "common_preempt_lazy_count", &trace->common.lazy_off,
		     &trace->common.lazy_size);
	trace->common.old_lazy = trace->common.depth_size ||
				 tfs_release_version(tfs_trace_release(trace)) < 5017;
}

static void find_common(struct tfs_trace *trace)
{
	struct tep_event *event;
	size_t i;

	/* All events of a recording have the same common fields: any will do. */
	for (i = 0; i < trace->index.n && !tep_get_event(trace->tep, 0); i++)
		tfs_trace_event(trace, trace->index.types[i].id);
	event = tep_get_event(trace->tep, 0);
	trace->common.type_size = 2;
	trace->common.flags_off = 2;
	trace->common.flags_size = 1;
	trace->common.pc_off = 3;
	trace->common.pc_size = 1;
	trace->common.pid_off = 4;
	trace->common.pid_size = 4;
	common_field(event, "common_type", &trace->common.type_off, &trace->common.type_size);
	common_field(event, "common_flags", &trace->common.flags_off, &trace->common.flags_size);
	common_field(event, "common_preempt_count", &trace->common.pc_off, &trace->common.pc_size);
	common_field(event, "common_pid", &trace->common.pid_off, &trace->common.pid_size);
	/* With a lock depth libtraceevent shows it in the place of migrate_disable, too. */
	common_field(event, "common_migrate_disable", &trace->common.depth_off,
		     &trace->common.depth_size);
	trace->common.counts = trace->common.depth_size ? 1 : 0;
	if (event && tep_find_common_field(event, "common_lock_depth")) {
		common_field(event, "common_lock_depth", &trace->common.depth_off,
			     &trace->common.depth_size);
		trace->common.counts = 2;
	}
	find_lazy(trace, event);
	trace->index.standard = is_standard(trace);
}

/*
 * Lines of printk_formats: 0xffffffff81e0e2b0 : "text\n". Not by tep_parse_printk_formats(), which
 * reads past a line that has no colon or ends with it.
 */
static int load_printk(struct tfs_trace *trace, const char *text)
{
	struct tfs_strbuf fmt = TFS_STRBUF_INIT;
	const char *p, *nl, *s;
	unsigned long long addr;
	int rc = 0;

	for (p = text; *p && !rc; p = *nl ? nl + 1 : nl) {
		nl = strchrnul(p, '\n');
		s = memchr(p, ':', (size_t)(nl - p));
		/* Short ones make the library look before their start. */
		if (!s || nl - s < 8)
			continue;
		addr = strtoull(p, NULL, 16);
		tfs_strbuf_reset(&fmt);
		rc = tfs_strbuf_add(&fmt, s + 2, (size_t)(nl - s - 2));
		if (!rc)
			rc = tfs_formats_add_printk(trace, addr, fmt.s, fmt.len);
		if (!rc && tep_register_print_string(trace->tep, fmt.s, addr))
			rc = -ENOMEM;
	}
	tfs_printks_sort(trace->printks);
	tfs_strbuf_release(&fmt);
	return rc;
}

static int load_names(struct tfs_trace *trace)
{
	struct tfs_blob blob;
	int rc = 0;

	tfs_dat_blob(trace->dat, TFS_DAT_BLOB_PRINTK, &blob);
	if (blob.size)
		rc = load_printk(trace, blob.data);
	tfs_dat_blob(trace->dat, TFS_DAT_BLOB_CMDLINES, &blob);
	if (!rc && blob.size)
		rc = tfs_comms_load(trace->tep, blob.data);
	return rc;
}

void tfs_trace_load_symbols(struct tfs_trace *trace)
{
	struct tfs_blob blob;

	if (trace->symbols_loaded)
		return;
	trace->symbols_loaded = true;
	if (trace->kallsyms)
		tep_parse_kallsyms(trace->tep, trace->kallsyms);
	tfs_dat_blob(trace->dat, TFS_DAT_BLOB_KALLSYMS, &blob);
	if (blob.size)
		tep_parse_kallsyms(trace->tep, blob.data);
	/* The table is sorted when first asked; from then on any number of threads may. */
	tep_find_function(trace->tep, 0);
}

/* A file that is not a list of symbols would pass for an empty one. */
int tfs_trace_read_symbols(const char *path, char **out, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_read_path(path, &sb);

	if (rc)
		tfs_err_set(err, rc, "cannot read symbols from '%s'", path);
	else if (!sb.len || !isxdigit((unsigned char)*sb.s) || strlen(sb.s) != sb.len)
		rc = tfs_err_say(err, -EINVAL, "'%s' is not a file of symbols like /proc/kallsyms",
				 path);
	else
		rc = tfs_strbuf_detach(&sb, out);
	tfs_strbuf_release(&sb);
	return rc;
}

static int add_flags(struct tfs_trace *trace, const struct tfs_strvec *list, int flag,
		     struct tfs_err *err)
{
	struct tfs_event_flag *v;
	size_t i;
	int rc;

	for (i = 0; list && i < list->n; i++) {
		if (tfs_grow_one(&trace->flagged, trace->n_flagged))
			return tfs_err_set(err, -ENOMEM, "cannot look for events");
		v = &trace->flagged[trace->n_flagged];
		/* There is no separator: one expression for both names. */
		rc = tfs_event_regex_init(&v->re, list->v[i], '\n', TFS_REGEX_WHOLE, err);
		if (rc)
			return rc;
		v->flag = flag;
		trace->n_flagged++;
	}
	return 0;
}

/* Symbols that the user adds to the recording's */
static int take_opts(struct tfs_trace *trace, const struct tfs_trace_opts *opts,
		     struct tfs_err *err)
{
	int rc = add_flags(trace, opts->raw_events, TEP_EVENT_FL_PRINTRAW, err);

	trace->kallsyms = opts->kallsyms;
	trace->kernel = opts->kernel;
	trace->compat = opts->compat;
	trace->show_fields = opts->text & TFS_TRACE_FIELDS;
	return rc ? rc : add_flags(trace, opts->plain_events, TEP_EVENT_FL_NOHANDLE, err);
}

/* The plugin has one variable for all recordings: it is set before each event. */
static void set_repeat_time(struct tfs_trace *trace, unsigned int text)
{
	enum tfs_time_format format = tfs_trace_time_format(
		trace, text & TFS_TRACE_NSECS ? TFS_TIME_NSECS : TFS_TIME_USECS);

	trace->repeat_time_of_plugin = dlsym(RTLD_DEFAULT, "tep_func_repeat_format");
	if (!trace->repeat_time_of_plugin || !(text & TFS_TRACE_TIMES))
		return;
	trace->repeat_time = text & TFS_TRACE_RAW_TS  ? "%d" :
			     format == TFS_TIME_RAW   ? "%12d" :
			     format == TFS_TIME_NSECS ? "%9.1d" :
							"%6.1000d";
}

static int set_up(struct tfs_trace *trace, const struct tfs_trace_opts *opts)
{
	int rc;

	trace->tep = tep_alloc();
	trace->scratch = calloc(1, TFS_SCRATCH_SIZE);
	if (!trace->tep || !trace->scratch)
		return -ENOMEM;
	/* Events that cannot be parsed say so in their text: its messages are dropped. */
	tep_set_loglevel(TEP_LOG_NONE);
	tfs_trace_begin_library();
	set_sizes(trace);
	tfs_trace_end_library(trace);
	rc = tfs_compat_new(trace);
	if (!rc)
		rc = tfs_formats_new(trace);
	if (!rc)
		rc = load_plugins(trace, opts);
	tfs_trace_end_library(trace);
	/* Drawn graphs are part of what plugins do, for those who ask for none. */
	if (!rc && !opts->no_plugins && !opts->local_plugins && !opts->kernel)
		rc = tfs_fgraph_new(trace);
	if (!rc)
		rc = tfs_types_index(trace);
	if (rc)
		return rc;
	tfs_trace_begin_library();
	tfs_types_parse_system(trace, "ftrace");
	find_common(trace);
	tfs_trace_end_library(trace);
	rc = load_names(trace);
	tfs_trace_begin_library();
	if (!rc)
		rc = tfs_blk_add(trace);
	tfs_trace_end_library(trace);
	set_repeat_time(trace, opts->text);
	return rc || !trace->starved ? rc : -ENOMEM;
}

int tfs_trace_open_dat(struct tfs_dat *dat, const struct tfs_trace_opts *opts,
		       struct tfs_trace **out, struct tfs_err *err)
{
	static const struct tfs_trace_opts defaults;
	struct tfs_trace *trace = calloc(1, sizeof(*trace));
	int rc;

	if (!trace) {
		rc = tfs_err_set(err, -ENOMEM, "cannot open '%s'", tfs_dat_path(dat));
		tfs_dat_free(dat);
		return rc;
	}
	pthread_mutex_init(&trace->lock, NULL);
	trace->turns = &trace->lock;
	trace->dat = dat;
	rc = opts ? take_opts(trace, opts, err) : 0;
	if (rc)
		goto out;
	rc = set_up(trace, opts ? opts : &defaults);
	if (rc)
		tfs_err_set(err, rc, "cannot open '%s'", tfs_dat_path(dat));
out:
	if (rc)
		tfs_trace_free(trace);
	else
		*out = trace;
	return rc;
}

int tfs_trace_open(const char *path, const struct tfs_trace_opts *opts, struct tfs_trace **out,
		   struct tfs_err *err)
{
	struct tfs_dat *dat = NULL;
	int rc = tfs_dat_open(path, &dat, err);

	return rc ? rc : tfs_trace_open_dat(dat, opts, out, err);
}

void tfs_trace_free(struct tfs_trace *trace)
{
	if (!trace)
		return;
	if (trace->plugins)
		tep_unload_plugins(trace->plugins, trace->tep);
	tfs_fgraph_free(trace);
	tfs_types_free(trace);
	tfs_formats_free(trace);
	if (trace->tep)
		tep_free(trace->tep);
	tfs_compat_free(trace);
	tfs_guests_free(trace->guests);
	tfs_dat_free(trace->dat);
	while (trace->n_flagged)
		tfs_event_regex_release(&trace->flagged[--trace->n_flagged].re);
	free(trace->flagged);
	free(trace->scratch);
	pthread_mutex_destroy(&trace->lock);
	free(trace);
}

struct tfs_dat *tfs_trace_dat(const struct tfs_trace *trace)
{
	return trace->dat;
}

struct tep_handle *tfs_trace_tep(const struct tfs_trace *trace)
{
	return trace->tep;
}

const struct tfs_format_env *tfs_trace_env(const struct tfs_trace *trace)
{
	return &trace->env;
}

const struct tfs_event_index *tfs_trace_index(const struct tfs_trace *trace)
{
	return &trace->index;
}

bool tfs_trace_is_compat(const struct tfs_trace *trace)
{
	return trace->compat;
}

bool tfs_trace_is_inert(const struct tfs_trace *trace)
{
	return trace->inert;
}

const char *tfs_trace_kallsyms(const struct tfs_trace *trace)
{
	return trace->kallsyms;
}

void tfs_trace_set_starved(struct tfs_trace *trace)
{
	trace->starved = true;
}

int tfs_trace_check_memory(const struct tfs_trace *trace, struct tfs_err *err)
{
	return trace->starved ? tfs_err_set(err, -ENOMEM, "cannot format the report") : 0;
}

const char *tfs_trace_lacks(const struct tfs_trace *trace, size_t i)
{
	return i < TFS_LACKS_MAX ? trace->lacks[i] : NULL;
}

void tfs_trace_set_inert(struct tfs_trace *trace)
{
	trace->inert = true;
}

const char *tfs_trace_comm(const struct tfs_trace *trace, int pid)
{
	return tep_data_comm_from_pid(trace->tep, pid);
}

const char *tfs_trace_task_name(const struct tfs_trace *trace, int pid, const char *seen)
{
	const char *comm = tfs_trace_comm(trace, pid);

	return strcmp(comm, TFS_TASK_UNKNOWN) != 0 ? comm : seen ? seen : "";
}

void tfs_trace_lock(struct tfs_trace *trace)
{
	pthread_mutex_lock(trace->turns);
}

void tfs_trace_unlock(struct tfs_trace *trace)
{
	pthread_mutex_unlock(trace->turns);
}

void tfs_trace_take_turns(struct tfs_trace *trace, struct tfs_trace *with)
{
	trace->turns = &with->lock;
}
