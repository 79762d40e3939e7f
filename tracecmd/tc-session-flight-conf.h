/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_FLIGHT_CONF_H
#define TC_SESSION_FLIGHT_CONF_H

#include <stddef.h>
#include <stdint.h>

#include "base/pressure.h"
#include "base/strvec.h"
#include "tc-session-dump.h"
#include "tc-session-start.h"

struct tfs_err;

/** FLIGHT_DUMP_DIR - where its dumps go unless its file says something else */
#define FLIGHT_DUMP_DIR "/var/lib/tracecraft/flight"
/** FLIGHT_PRESSURES - how many pressures of resources can be waited for: cpu, memory, io, irq */
#define FLIGHT_PRESSURES 4

/**
 * struct flight_own - what tc-session start does not know
 * @dump: the first member, see session_dump_options
 * @holdoff_ns: after a dump, the next one waits so long
 * @poll_ns: how often it is looked whether tracing was turned off
 * @pressure_lines: as written
 * @pressures: set by flight_conf_read()
 */
struct flight_own {
	struct session_dump dump;
	uint64_t holdoff_ns, poll_ns;
	struct tfs_strvec pressure_lines;
	struct tfs_pressure pressures[FLIGHT_PRESSURES];
	size_t n_pressures;
};

/**
 * struct flight_conf - one flight recorder, as tracecraft-flight(5) describes its file
 * @start: what to trace, in the instance of the recorder's name
 * @words: the options that the lines stand for, which @start and @own point to
 */
struct flight_conf {
	struct session_start_request start;
	struct flight_own own;
	struct tfs_strvec words;
};

/** flight_conf_release() - free what it owns; a zeroed one is empty */
void flight_conf_release(struct flight_conf *conf);

/**
 * flight_conf_parse() - read the text of a configuration; pure
 * @conf: zeroed
 * @name: of the recorder and its instance; borrowed
 * @path: for messages
 *
 * Return: 0, -EINVAL, -ERANGE or -ENOMEM with @err set, which begins with "PATH:LINE: ".
 */
int flight_conf_parse(struct flight_conf *conf, const char *name, const char *path,
		      const char *text, size_t len, struct tfs_err *err);

/**
 * flight_conf_read() - the same for a file
 *
 * It is refused if another user than root and the caller could have written it.
 * Return: as flight_conf_parse(), and -errno of the file.
 */
int flight_conf_read(struct flight_conf *conf, const char *name, const char *path,
		     struct tfs_err *err);

#endif
