/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/plugin-options.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <event-parse.h>
#include <trace-seq.h>

#include "decode/trace-internal.h"

/* An option as it was typed: parts of the text. */
struct wanted {
	const char *plugin, *option;
	size_t plugin_len, option_len;
};

static struct wanted take_apart(const char *text)
{
	const char *end = strchrnul(text, '=');
	const char *colon = memchr(text, ':', (size_t)(end - text));
	struct wanted w = { .option = text, .option_len = (size_t)(end - text) };

	if (colon) {
		w.plugin = text;
		w.plugin_len = (size_t)(colon - text);
		w.option = colon + 1;
		w.option_len = (size_t)(end - colon - 1);
	}
	return w;
}

static bool is(const char *name, const char *s, size_t len)
{
	return strlen(name) == len && !memcmp(name, s, len);
}

static bool is_wanted(const struct wanted *w, const char *plugin, const char *option)
{
	return is(option, w->option, w->option_len) &&
	       (!w->plugin || is(plugin, w->plugin, w->plugin_len));
}

/* The text after "  @key:\t" in this line, which ends with a zero; NULL: another line */
static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);

	line += strspn(line, " ");
	return !strncmp(line, key, len) && !strncmp(line + len, ":\t", 2) ? line + len + 2 : NULL;
}

/*
 * Does a plugin register this option when it is loaded? tep_plugin_list_options() overruns its
 * buffer (1.7), so parse the listing meant for people: a "plugin:" and an "option:" line each.
 */
static bool registered(const struct wanted *w)
{
	const char *plugin = "", *value;
	struct trace_seq text;
	char *line, *nl;
	bool found = false;

	trace_seq_init(&text);
	tep_plugin_print_options(&text);
	trace_seq_terminate(&text);
	for (line = text.buffer; !found && (nl = strchr(line, '\n')); line = nl + 1) {
		*nl = '\0';
		value = value_of(line, "plugin");
		plugin = value ? value : plugin;
		value = value_of(line, "option");
		found = value && is_wanted(w, plugin, value);
	}
	trace_seq_destroy(&text);
	return found;
}

/* Those in a table of the plugin, whose name is that of its file where it says no other. */
static bool in_file(const struct wanted *w, const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	const struct tep_plugin_option *o = handle ? dlsym(handle, "tep_plugin_options") : NULL;
	struct wanted of_file = *w;
	bool found = false;

	/* "plugin_NAME.so" is "plugin_NAME" */
	if (w->plugin && !strncmp(file, w->plugin, w->plugin_len) && file[w->plugin_len] == '.')
		of_file.plugin = NULL;
	for (; o && o->name && !found; o++)
		found = o->plugin_alias ? is_wanted(w, o->plugin_alias, o->name) :
					  is_wanted(&of_file, "", o->name);
	if (handle)
		dlclose(handle);
	return found;
}

static bool loaded(const struct tfs_trace *trace, const struct wanted *w)
{
	struct trace_seq paths;
	char *path, *nl;
	bool found = false;

	trace_seq_init(&paths);
	tep_print_plugins(&paths, "", "\n", trace->plugins);
	trace_seq_terminate(&paths);
	for (path = paths.buffer; !found && (nl = strchr(path, '\n')); path = nl + 1) {
		*nl = '\0';
		found = in_file(w, path);
	}
	trace_seq_destroy(&paths);
	return found;
}

bool tfs_plugin_options_has(struct tfs_trace *trace, const char *text)
{
	const struct wanted w = take_apart(text);

	return registered(&w) || (trace->plugins && loaded(trace, &w));
}
