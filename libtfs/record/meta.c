/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/meta.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "format/event-format.h"
#include "record/constants.h"
#include "record/kconfig.h"
#include "record/meta-formats.h"
#include "record/symbol-needs.h"
#include "record/symbols.h"
#include "tracedat/compress.h"
#include "tracedat/dat-write.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/tracing-on.h"
#include "config.h"

/* The header of a section and of its compression, and the option that leads to it */
#define SECTION_ROOM 128
/* PID_MAX_LIMIT of the kernel on 64-bit machines */
#define TID_LIMIT (4u << 20)
#define BTF_DIR "/sys/kernel/btf"

/* A file of the recording's host byte order, as the writer's header says. */
static int add_u32(struct tfs_strbuf *sb, uint32_t v)
{
	return tfs_strbuf_add(sb, &v, sizeof(v));
}

int tfs_meta_clock(const struct tfs_root *root, const struct tfs_instance *inst,
		   struct tfs_strbuf *name, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const char *open, *close;
	int rc;

	rc = tfs_instance_read(root, inst, "trace_clock", &text, err);
	if (rc)
		goto out;
	open = strchr(text.s, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close) {
		rc = tfs_err_say(err, -EBADMSG, "trace_clock names no clock in brackets");
		goto out;
	}
	rc = tfs_strbuf_add(name, open + 1, (size_t)(close - open - 1));
	if (rc)
		tfs_err_set(err, rc, "cannot keep the name of the clock");
out:
	tfs_strbuf_release(&text);
	return rc;
}

static int write_header_info(struct tfs_dat_writer *w, const struct tfs_meta_head *head,
			     struct tfs_err *err)
{
	static const char *const files[] = { "header_page", "header_event" };
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char name[64];
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files) && !rc; i++) {
		tfs_strbuf_reset(&text);
		snprintf(name, sizeof(name), "events/%s", files[i]);
		rc = tfs_instance_read(head->root, head->inst, name, &text, err);
		if (!rc)
			rc = tfs_strbuf_add(&payload, files[i], strlen(files[i]) + 1);
		if (!rc)
			rc = tfs_meta_add_sized(&payload, &text);
	}
	if (!rc)
		rc = tfs_dat_writer_section(w, TFS_DAT_HEADER_INFO, payload.s, payload.len, err);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&payload);
	return rc;
}

static int write_ftrace_events(struct tfs_dat_writer *w, const struct tfs_root *root,
			       struct tfs_err *err)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	int rc = tfs_meta_ftrace_formats(root, &payload, err);

	if (!rc)
		rc = tfs_dat_writer_section(w, TFS_DAT_FTRACE_EVENTS, payload.s, payload.len, err);
	tfs_strbuf_release(&payload);
	return rc;
}

/* A print format that converts jiffies says "HZ", which is not an enumerator. */
static void set_hz(struct tfs_constants *constants)
{
	struct tfs_strbuf config = TFS_STRBUF_INIT;
	uint64_t hz;

	if (tfs_constants_wants(constants, "HZ") && !tfs_kconfig_read(&config) &&
	    tfs_kconfig_number(config.s, "CONFIG_HZ", &hz))
		tfs_constants_set(constants, "HZ", hz);
	tfs_strbuf_release(&config);
}

/* A format computes how long ago something was with the present time: that of recording. */
static void set_jiffies(struct tfs_constants *constants)
{
	static const char line[] = "\njiffies: ";
	struct tfs_strbuf timers = TFS_STRBUF_INIT;
	uint64_t jiffies;
	const char *p;

	if (tfs_constants_wants(constants, "jiffies") &&
	    !tfs_read_path("/proc/timer_list", &timers)) {
		p = strstr(timers.s, line);
		if (p && sscanf(p + strlen(line), "%" SCNu64, &jiffies) == 1)
			tfs_constants_set(constants, "jiffies", jiffies);
	}
	tfs_strbuf_release(&timers);
}

/* The values of names in formats, where the kernel has them. */
static int write_constants(struct tfs_dat_writer *w, struct tfs_constants *constants,
			   struct tfs_strbuf *payload, struct tfs_err *err)
{
	int rc;

	set_hz(constants);
	set_jiffies(constants);
	rc = tfs_constants_look_up(constants, BTF_DIR, payload);
	if (!rc && payload->len)
		rc = tfs_dat_writer_option(w, TFS_DAT_PRIVATE_CONSTANTS, payload->s, payload->len);
	return rc ? tfs_err_set(err, rc, "cannot collect the constants of formats") : 0;
}

static int write_event_formats(struct tfs_dat_writer *w, const struct tfs_meta_head *head,
			       struct tfs_symbol_needs *needs, struct tfs_err *err)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_constants constants = { .n = 0 };
	int rc = tfs_meta_formats(head->root, head->events, &payload, needs, &constants, err);

	if (!rc)
		rc = tfs_dat_writer_section(w, TFS_DAT_EVENT_FORMATS, payload.s, payload.len, err);
	tfs_strbuf_reset(&payload);
	if (!rc)
		rc = write_constants(w, &constants, &payload, err);
	tfs_constants_release(&constants);
	tfs_strbuf_release(&payload);
	return rc;
}

/* u32 length, bytes: an optional text, after four bytes of @payload. */
static int write_text(struct tfs_dat_writer *w, enum tfs_dat_id id, struct tfs_strbuf *payload,
		      struct tfs_err *err)
{
	const size_t len = payload->len - sizeof(uint32_t);
	uint32_t n = (uint32_t)len;

	if (len > UINT32_MAX)
		return 0;
	memcpy(payload->s, &n, sizeof(n));
	return tfs_dat_writer_section(w, id, payload->s, payload->len, err);
}

/* Do they fit, with the header of a section? -EFBIG: they do not */
static int check_room(struct tfs_codec *codec, const struct tfs_strbuf *payload, uint64_t room)
{
	size_t size = payload->len, bound;
	void *to;
	int rc = 0;

	if (room == UINT64_MAX)
		return 0;
	if (tfs_codec_id(codec) != TFS_CODEC_NONE) {
		bound = tfs_codec_bound(codec, payload->len);
		to = malloc(bound);
		rc = to ? tfs_codec_compress(codec, payload->s, payload->len, to, bound, &size) :
			  -ENOMEM;
		free(to);
	}
	if (rc)
		return rc;
	return size + SECTION_ROOM > room ? -EFBIG : 0;
}

int tfs_meta_write_no_symbols(struct tfs_dat_writer *w, struct tfs_err *err)
{
	const uint32_t size = 0;

	return tfs_dat_writer_section(w, TFS_DAT_KALLSYMS, &size, sizeof(size), err);
}

/* The symbols are megabytes: they are read to where they are compressed from. */
int tfs_meta_write_symbols(struct tfs_dat_writer *w, struct tfs_codec *codec, uint64_t room,
			   struct tfs_err *err)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	int rc = add_u32(&payload, 0), fits;

	if (rc)
		tfs_err_set(err, rc, "cannot collect the kernel's symbols");
	else if (!tfs_read_path("/proc/kallsyms", &payload)) {
		fits = check_room(codec, &payload, room);
		rc = fits ? fits : write_text(w, TFS_DAT_KALLSYMS, &payload, err);
		if (fits == -ENOMEM)
			tfs_err_set(err, rc, "cannot collect the kernel's symbols");
	}
	tfs_strbuf_release(&payload);
	return rc;
}

static int write_printk(struct tfs_dat_writer *w, const struct tfs_root *root, struct tfs_err *err)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	int rc = add_u32(&payload, 0);

	if (rc)
		tfs_err_set(err, rc, "cannot collect the formats of printk");
	else if (!tfs_file_read(root, "printk_formats", &payload, NULL))
		rc = write_text(w, TFS_DAT_PRINTK, &payload, err);
	tfs_strbuf_release(&payload);
	return rc;
}

/* A string with its NUL. */
static int option_strz(struct tfs_dat_writer *w, uint16_t id, const char *s)
{
	return tfs_dat_writer_option(w, id, s, strlen(s) + 1);
}

static int write_head_options(struct tfs_dat_writer *w, const struct tfs_meta_head *head,
			      struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	uint32_t cpus = head->n_cpus;
	struct utsname un;
	uint64_t id;
	int rc = 0;

	/* The instance's own: what readers take the unit of the time stamps from. */
	if (!tfs_instance_read(head->root, head->inst, "trace_clock", &text, NULL))
		rc = option_strz(w, TFS_DAT_TRACECLOCK, text.s);
	if (!rc && !uname(&un)) {
		tfs_strbuf_reset(&text);
		rc = tfs_strbuf_addf(&text, "%s %s %s %s", un.sysname, un.nodename, un.release,
				     un.machine);
		if (!rc)
			rc = option_strz(w, TFS_DAT_UNAME, text.s);
	}
	if (!rc)
		rc = option_strz(w, TFS_DAT_VERSION, "tracecraft " PACKAGE_VERSION);
	if (!rc)
		rc = tfs_dat_writer_option(w, TFS_DAT_CPUCOUNT, &cpus, sizeof(cpus));
	/* By which other files refer to this one: those of guests, and of other machines. */
	if (!rc && getrandom(&id, sizeof(id), GRND_NONBLOCK) == sizeof(id))
		rc = tfs_dat_writer_option(w, TFS_DAT_TRACEID, &id, sizeof(id));
	tfs_strbuf_release(&text);
	return rc ? tfs_err_set(err, rc, "cannot describe the recording") : 0;
}

/*
 * Markers, which the kernel may copy into the instance once tracing is on, begin with the address
 * of the function that wrote them. Most recordings have none, so they do not count as types that
 * probably occur.
 */
static void watch_markers(const struct tfs_meta_head *head, struct tfs_symbol_needs *needs)
{
	static const char *const types[] = { "print", "bprint", "bputs" };
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_event_format format;
	char file[64];

	if (!tfs_file_exists(head->root, TFS_TRACING_COPY_FILE))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		tfs_strbuf_reset(&text);
		snprintf(file, sizeof(file), "events/ftrace/%s/format", types[i]);
		if (!tfs_file_read(head->root, file, &text, NULL) &&
		    !tfs_event_format_parse(text.s, text.len, &format))
			tfs_symbol_needs_marker(needs, format.id);
	}
	tfs_strbuf_release(&text);
}

int tfs_meta_write_head(struct tfs_dat_writer *w, const struct tfs_meta_head *head,
			struct tfs_err *err)
{
	struct tfs_symbol_needs *needs = head->needs;
	int rc = write_header_info(w, head, err);

	if (needs && tfs_instance_names_code(head->root, head->inst))
		needs = NULL;
	if (!rc)
		rc = write_ftrace_events(w, head->root, err);
	if (!rc)
		rc = write_event_formats(w, head, needs, err);
	if (!rc && needs && !tfs_symbol_needs_are_rare(needs)) {
		atomic_store(&needs->seen, true);
		needs = NULL;
	}
	if (!rc && needs)
		watch_markers(head, needs);
	if (!rc && !needs && !head->no_symbols)
		rc = tfs_meta_write_symbols(w, NULL, UINT64_MAX, err);
	else if (!rc && needs && !head->no_symbols && !tfs_symbol_needs_open(needs))
		rc = tfs_meta_write_no_symbols(w, err);
	if (!rc)
		rc = write_printk(w, head->root, err);
	if (!rc)
		rc = write_head_options(w, head, err);
	return rc;
}

/* Does a line of @text begin with this number? */
static bool has_tid(const unsigned char *tids, unsigned long tid)
{
	return tid >= TID_LIMIT || tids[tid / 8] & 1 << tid % 8;
}

/* Appends the lines whose numbers @text has not. */
static int add_unsaved(struct tfs_strbuf *text, const char *more)
{
	unsigned char *tids = calloc(TID_LIMIT / 8, 1);
	const char *line, *end;
	unsigned long tid;
	int rc = tids ? 0 : -ENOMEM;

	for (line = text->s; tids && *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		tid = strtoul(line, NULL, 10);
		if (!has_tid(tids, tid))
			tids[tid / 8] |= (unsigned char)(1 << tid % 8);
	}
	for (line = more; *line && !rc; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (!has_tid(tids, strtoul(line, NULL, 10)))
			rc = tfs_strbuf_addf(text, "%.*s\n", (int)(end - line), line);
	}
	free(tids);
	return rc;
}

int tfs_meta_write_cmdlines(struct tfs_dat_writer *w, const struct tfs_root *root, const char *more,
			    struct tfs_err *err)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = 0;

	/* Without it tasks have no names; that is not a reason to lose the recording. */
	if (tfs_file_read(root, "saved_cmdlines", &text, NULL))
		tfs_strbuf_reset(&text);
	if (more)
		rc = add_unsaved(&text, more);
	if (!rc)
		rc = tfs_meta_add_sized(&payload, &text);
	if (rc)
		tfs_err_set(err, rc, "cannot collect the names of tasks");
	else
		rc = tfs_dat_writer_section(w, TFS_DAT_CMDLINES, payload.s, payload.len, err);
	tfs_strbuf_release(&text);
	tfs_strbuf_release(&payload);
	return rc;
}
