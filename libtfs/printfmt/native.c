/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <event-parse.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "printfmt/native-internal.h"

/* Longer strings, and fields further from a record's start, are not what the kernel has. */
#define STRING_MAX 256
#define OFFSET_MAX 4096

/* Random records, and bytes of each after the fixed fields. */
#define SAMPLES 32
#define SAMPLE_REST 32

static const struct tfs_native_row *const tables[] = {
	tfs_native_sched,
	tfs_native_kernel,
	tfs_native_ftrace,
};

/* Is @path the file @plugin in traceevent/plugins of @prefix and @dir, of @len characters? */
static bool is_plugin_in(const char *path, const char *prefix, const char *dir, size_t len,
			 const char *plugin)
{
	struct tfs_strbuf want = TFS_STRBUF_INIT;
	struct stat st, want_st;
	bool same = false;

	if (!tfs_strbuf_addf(&want, "%s%.*s/traceevent/plugins/%s", prefix, (int)len, dir,
			     plugin) &&
	    !stat(path, &st) && !stat(want.s, &want_st))
		same = st.st_dev == want_st.st_dev && st.st_ino == want_st.st_ino;
	tfs_strbuf_release(&want);
	return same;
}

/*
 * Whether @path is @plugin in the directory of plugins that belongs to libtraceevent: beside the
 * library, or below /usr where the library is in a /lib of its own.
 */
static bool is_system_plugin(const char *path, const char *plugin)
{
	const char *slash;
	Dl_info info;
	size_t len;

	if (!dladdr((void *)tep_alloc, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	if (!slash)
		return false;
	len = (size_t)(slash - info.dli_fname);
	return is_plugin_in(path, "", info.dli_fname, len, plugin) ||
	       is_plugin_in(path, "/usr", info.dli_fname, len, plugin);
}

/* Options decide what a plugin prints; ours prints what it does with the defaults. */
static const struct {
	const char *plugin;
	const char *line; /* as tep_plugin_print_options() names it */
	char value;
} defaults[] = {
	{ "plugin_function.so", "plugin:\tftrace\n  option:\tparent\n", '0' },
	{ "plugin_function.so", "plugin:\tftrace\n  option:\tindent\n", '1' },
	{ "plugin_function.so", "plugin:\tftrace\n  option:\toffset\n", '0' },
};

static bool is_set(const char *options, const char *line, char value)
{
	static const char mark[] = "set:\t";
	const char *p = strstr(options, line);

	p = p ? strstr(p, mark) : NULL;
	return p && p[sizeof(mark) - 1] == value && p[sizeof(mark)] == '\n';
}

static bool has_default_options(const char *plugin)
{
	struct trace_seq seq;
	bool fine = true;
	size_t i;

	trace_seq_init(&seq);
	tep_plugin_print_options(&seq);
	trace_seq_terminate(&seq);
	for (i = 0; i < ARRAY_SIZE(defaults) && fine; i++)
		fine = strcmp(defaults[i].plugin, plugin) != 0 ||
		       (seq.state == TRACE_SEQ__GOOD &&
			is_set(seq.buffer, defaults[i].line, defaults[i].value));
	trace_seq_destroy(&seq);
	return fine;
}

static bool is_plugin_s(const struct tep_event *event, const char *plugin)
{
	Dl_info info;

	if (!event->handler || event->flags & (TEP_EVENT_FL_NOHANDLE | TEP_EVENT_FL_PRINTRAW) ||
	    !dladdr((void *)event->handler, &info) || !info.dli_fname)
		return false;
	return is_system_plugin(info.dli_fname, plugin) && has_default_options(plugin);
}

bool tfs_native_corrects(const struct tep_event *event)
{
	return is_plugin_s(event, "plugin_hrtimer.so") ||
	       (!strcmp(event->system, "kvmmmu") && is_plugin_s(event, "plugin_kvm.so"));
}

bool tfs_native_hangs(const struct tep_event *event)
{
	const struct tep_print_flag_sym *flag;

	if (strcmp(event->name, "sched_switch") != 0 ||
	    !is_plugin_s(event, "plugin_sched_switch.so"))
		return false;
	for (flag = tfs_native_states(event); flag; flag = flag->next)
		if (!strtoul(flag->value, NULL, 0))
			return true;
	return false;
}

int tfs_native_set_slot(struct tfs_native *n, struct tep_event *event, unsigned int i, size_t *need)
{
	enum tfs_native_kind kind = n->row->fields[i].kind;
	const struct tep_format_field *f = tep_find_any_field(event, n->row->fields[i].name);
	size_t size;

	if (!f)
		return kind == TFS_NATIVE_OPTIONAL ? 0 : -ENOENT;
	if (f->offset < 0 || f->offset > OFFSET_MAX || f->size < 0)
		return -ENOENT;
	size = kind == TFS_NATIVE_REST ? 0 : (size_t)f->size;
	if (kind == TFS_NATIVE_STRING ?
		    !size || size > STRING_MAX :
		    kind != TFS_NATIVE_REST && size != 1 && size != 2 && size != 4 && size != 8)
		return -ENOENT;
	n->slot[i] = (struct tfs_slot){ (uint32_t)f->offset, (uint32_t)size };
	size += (size_t)f->offset;
	if (*need < size)
		*need = size;
	return 0;
}

static int set_slots(struct tfs_native *n, struct tep_event *event)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; n->row->fields[i].name && !rc; i++)
		rc = tfs_native_set_slot(n, event, i, &n->need);
	return rc;
}

/* Numbers in which all bits change, and text that ends somewhere. */
static void make_up(const struct tfs_native *n, unsigned char *data, size_t size, uint64_t *seed)
{
	const struct tfs_native_field *f = n->row->fields;
	size_t i;

	for (i = 0; i < size; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		/* Every other byte is a small one, or hardly any number would mean something. */
		data[i] = *seed >> 62 ? (unsigned char)(*seed >> 40 & *seed >> 50 & 15) :
					(unsigned char)(*seed >> 40);
	}
	for (i = 0; f[i].name; i++)
		if (f[i].kind == TFS_NATIVE_KEY)
			memset(data + n->slot[i].offset, 0, n->slot[i].size);
}

/* Does libtraceevent's handler print what ours does, for a record with @size bytes? */
static int try_one(const struct tfs_native *n, struct tep_event *event, unsigned char *data,
		   size_t size)
{
	struct tep_record record = {
		.data = data, .size = (int)size, .record_size = (int)size, .ref_count = 1
	};
	struct tfs_native_rec rec = { .data = data, .size = size };
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct trace_seq seq;
	int rc, theirs;

	trace_seq_init(&seq);
	rc = tfs_native_run(n, &rec, &text);
	if (rc >= 0 && rc != TFS_NATIVE_NOT_ME) {
		theirs = event->handler(&seq, &record, event, event->context);
		if (!theirs != (rc == TFS_NATIVE_DONE) || seq.state != TRACE_SEQ__GOOD ||
		    seq.len != text.len || memcmp(seq.buffer, text.s, text.len))
			rc = -ENOENT;
	}
	trace_seq_destroy(&seq);
	tfs_strbuf_release(&text);
	return rc < 0 ? rc : 0;
}

/* The library may be another version than the one that ours was compared with. */
static int compare(const struct tfs_native *n, struct tep_event *event)
{
	size_t room = n->need + SAMPLE_REST + sizeof(uint64_t);
	unsigned char *data = calloc(1, room);
	uint64_t seed = 1;
	unsigned int i;
	int rc = data ? 0 : -ENOMEM;

	for (i = 0; i < SAMPLES && !rc; i++) {
		make_up(n, data, n->need + SAMPLE_REST, &seed);
		rc = try_one(n, event, data, n->need + i % (SAMPLE_REST + 1));
	}
	free(data);
	return rc;
}

/* @alone: there is no handler to compare with */
static int compile_row(struct tep_event *event, const struct tfs_native_row *row,
		       const struct tfs_format_env *env, bool alone, struct tfs_native **out)
{
	struct tfs_native *n = calloc(1, sizeof(*n));
	int rc;

	if (!n)
		return -ENOMEM;
	n->row = row;
	n->env = env;
	rc = set_slots(n, event);
	if (!rc && row->prepare)
		rc = row->prepare(n, event);
	if (!rc && !alone)
		rc = compare(n, event);
	if (rc)
		tfs_native_free(n);
	else
		*out = n;
	return rc;
}

static bool is_row_of(const struct tfs_native_row *row, const struct tep_event *event)
{
	return !strcmp(row->name, event->name) && !strcmp(row->system, event->system);
}

int tfs_native_compile(struct tep_event *event, const struct tfs_format_env *env,
		       struct tfs_native **out)
{
	const struct tfs_native_row *row;
	int rc = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (row = tables[i]; row->name && rc == -ENOENT; row++)
			if (is_row_of(row, event) && is_plugin_s(event, row->plugin))
				rc = compile_row(event, row, env, false, out);
	return rc;
}

/* Its text is wrong, see tfs_native_corrects(): the print format has the right one. */
static bool is_corrected(const char *plugin)
{
	return !strcmp(plugin, "plugin_hrtimer.so");
}

int tfs_native_compile_alone(struct tep_event *event, const struct tfs_format_env *env,
			     struct tfs_native **out)
{
	const struct tfs_native_row *row;
	int rc = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (row = tables[i]; row->name && rc == -ENOENT; row++)
			if (is_row_of(row, event) && !is_corrected(row->plugin))
				rc = compile_row(event, row, env, true, out);
	return rc;
}

const char *tfs_native_plugin(const struct tep_event *event)
{
	static const struct {
		const char *system, *name, *plugin;
	} others[] = {
		{ "ftrace", "func_repeats", "plugin_function.so" },
		{ "kvm", "kvm_emulate_insn", "plugin_kvm.so" },
		{ "kvm", "kvm_exit", "plugin_kvm.so" },
		{ "kvm", "kvm_nested_vmexit", "plugin_kvm.so" },
		{ "kvm", "kvm_nested_vmexit_inject", "plugin_kvm.so" },
		{ "mac80211", "drv_bss_info_changed", "plugin_mac80211.so" },
	};
	const struct tfs_native_row *row;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (row = tables[i]; row->name; row++)
			if (is_row_of(row, event))
				return is_corrected(row->plugin) ? NULL : row->plugin;
	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i].name, event->name) &&
		    !strcmp(others[i].system, event->system))
			return others[i].plugin;
	return NULL;
}

const char *tfs_native_plugin_of(const char *print, size_t len)
{
	static const struct {
		const char *call, *plugin;
	} functions[] = {
		{ "jbd2_dev_to_name(", "plugin_jbd2.so" },
		{ "scsi_trace_parse_cdb(", "plugin_scsi.so" },
		{ "xen_hypercall_name(", "plugin_xen.so" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		if (memmem(print, len, functions[i].call, strlen(functions[i].call)))
			return functions[i].plugin;
	return NULL;
}

void tfs_native_free(struct tfs_native *native)
{
	free(native);
}

bool tfs_native_takes(const struct tfs_native *native, size_t size)
{
	return size >= native->need;
}

int tfs_native_run(const struct tfs_native *native, const struct tfs_native_rec *rec,
		   struct tfs_strbuf *out)
{
	if (!tfs_native_takes(native, rec->size))
		return TFS_NATIVE_NOT_ME;
	return native->row->run(native, rec, out);
}
