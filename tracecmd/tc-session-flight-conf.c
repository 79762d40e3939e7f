/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session-flight-conf.h"

#include <errno.h>

#include "base/err.h"
#include "cli/conf.h"

#define NSEC_PER_SEC 1000000000ULL
#define POLL_MIN_NS 50000000

/* Each line is one of these options, without the dashes. */
static const struct tc_option start_options[] = {
	{ .type = TC_OPT_TABLE, .table = trace_event_options },
	{ .type = TC_OPT_TABLE, .table = trace_task_options },
	{ .type = TC_OPT_TABLE, .table = trace_buffer_options },
	TC_OPT_END,
};

#define AT(member) .offset = offsetof(struct flight_own, member)

static const struct tc_option own_options[] = {
	{ .type = TC_OPT_TABLE, .table = session_dump_options },
	{ 0, "holdoff", "TIME", "after a dump, the next one waits so long", TC_OPT_DURATION,
	  AT(holdoff_ns) },
	{ 0, "poll", "TIME", "how often to look whether tracing was turned off", TC_OPT_DURATION,
	  AT(poll_ns) },
	{ 0, "pressure", "RESOURCE some|full TIME WINDOW", "dump on such a pressure", TC_OPT_LIST,
	  AT(pressure_lines) },
	TC_OPT_END,
};

static int check_pressures(struct flight_own *own, struct tfs_err *err)
{
	int rc = 0;

	if (own->pressure_lines.n > FLIGHT_PRESSURES)
		return tfs_err_say(err, -EINVAL, "more than %d lines 'pressure'", FLIGHT_PRESSURES);
	for (size_t i = 0; i < own->pressure_lines.n && !rc; i++)
		rc = tfs_pressure_parse(own->pressure_lines.v[i], &own->pressures[i], err);
	own->n_pressures = own->pressure_lines.n;
	return rc;
}

static void set_defaults(struct flight_conf *conf)
{
	struct flight_own *own = &conf->own;

	trace_init(&conf->start.trace);
	conf->start.trace.markers = true;
	session_dump_init(&own->dump);
	own->dump.directory = FLIGHT_DUMP_DIR;
	own->holdoff_ns = 10 * NSEC_PER_SEC;
	own->poll_ns = NSEC_PER_SEC;
}

/* The rules for several lines together */
static int check(struct flight_conf *conf, const char *path, struct tfs_err *err)
{
	struct flight_own *own = &conf->own;
	int rc = trace_check(&conf->start.trace, err);

	if (!rc)
		rc = session_dump_check(&own->dump, err);
	if (!rc)
		rc = check_pressures(own, err);
	if (!rc && own->poll_ns < POLL_MIN_NS)
		rc = tfs_err_say(err, -ERANGE, "'poll' is less than 50ms");
	if (!rc && own->dump.directory[0] != '/')
		rc = tfs_err_say(err, -EINVAL, "'directory' is not an absolute path: '%s'",
				 own->dump.directory);
	if (rc)
		tfs_err_prefix(err, "%s", path);
	return rc;
}

/* @text: NULL: the file at @path */
static int fill(struct flight_conf *conf, const char *name, const char *path, const char *text,
		size_t len, struct tfs_err *err)
{
	const struct tc_conf_table tables[] = {
		{ start_options, &conf->start },
		{ own_options, &conf->own },
	};
	const struct tc_conf file = {
		.path = path,
		.tables = tables,
		.n_tables = 2,
		.manual = "tracecraft-flight(5)",
		.reserved = "buffer",
		.reserved_why = "a flight recorder has one ring buffer: its name's",
		.words = &conf->words,
	};
	int rc;

	set_defaults(conf);
	/* the instance of the recorder's name */
	rc = tc_conf_give(&file, &tables[0], "buffer", name, err);
	if (!rc && text)
		rc = tc_conf_parse(&file, text, len, err);
	else if (!rc)
		rc = tc_conf_read(&file, err);
	return rc ? rc : check(conf, path, err);
}

int flight_conf_parse(struct flight_conf *conf, const char *name, const char *path,
		      const char *text, size_t len, struct tfs_err *err)
{
	return fill(conf, name, path, text, len, err);
}

int flight_conf_read(struct flight_conf *conf, const char *name, const char *path,
		     struct tfs_err *err)
{
	return fill(conf, name, path, NULL, 0, err);
}

void flight_conf_release(struct flight_conf *conf)
{
	trace_release(&conf->start.trace);
	tfs_strvec_release(&conf->own.pressure_lines);
	tfs_strvec_release(&conf->words);
}
