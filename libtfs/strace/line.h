/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_LINE_H
#define TFS_STRACE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_strbuf;

/** TFS_LINE_COLUMN - where results begin unless asked otherwise (-a) */
#define TFS_LINE_COLUMN 40

/**
 * enum tfs_line_pid - which thread a line is of
 * @TFS_LINE_PID_NONE: not shown
 * @TFS_LINE_PID_COLUMN: "123   " before every line (a file)
 * @TFS_LINE_PID_BRACKETS: "[pid   123] ", while there are several threads (a terminal)
 */
enum tfs_line_pid { TFS_LINE_PID_NONE, TFS_LINE_PID_COLUMN, TFS_LINE_PID_BRACKETS };

/** enum tfs_line_time - the time before a line: none, seconds of the day, since 1970 */
enum tfs_line_time { TFS_LINE_TIME_NONE, TFS_LINE_TIME_DAY, TFS_LINE_TIME_UNIX };

/**
 * struct tfs_line_opts - the layout of lines
 * @pid, @comm: thread, followed by "<name>" (-f, -Y)
 * @time, @time_digits: 0, 3, 6 or 9 digits of the second (-t, -tt, -ttt)
 * @numbers: the number of the system call, "[  59] " (-n)
 * @relative, @relative_digits: time since the line before (-r)
 * @duration_digits: -1, or digits of the seconds that a call took (-T)
 * @column: where "=" begins (-a)
 * @inert: for a terminal: control characters of names are escaped (base/inert.h)
 * @wall_offset: added to time stamps it gives ns since 1970; 0: they are shown as they are
 * @utc_offset: seconds that local time is ahead of UTC (@time DAY)
 */
struct tfs_line_opts {
	enum tfs_line_pid pid;
	bool comm;
	enum tfs_line_time time;
	unsigned int time_digits;
	bool numbers;
	bool relative;
	unsigned int relative_digits;
	int duration_digits;
	unsigned int column;
	bool inert;
	int64_t wall_offset;
	int64_t utc_offset;
};

/**
 * struct tfs_line - the line that is being written; zeroed but for @opts it is new
 * @open: thread whose call the last line shows up to where it is known; 0: the line is complete
 * @width: bytes of that line
 * @last: time stamp of the line before; @started: there is one
 * @several: there is more than one thread (TFS_LINE_PID_BRACKETS)
 */
struct tfs_line {
	struct tfs_line_opts opts;
	int open;
	size_t width;
	uint64_t last;
	bool started;
	bool several;
};

/**
 * struct tfs_line_head - what is before a line
 * @comm: NULL: not known
 * @nr: number of the thread's system call; negative: none
 */
struct tfs_line_head {
	int tid;
	const char *comm;
	uint64_t ts;
	int64_t nr;
};

/** tfs_line_begin() - begin a line of a thread: ends an open one with " <unfinished ...>" */
int tfs_line_begin(struct tfs_line *line, const struct tfs_line_head *head, struct tfs_strbuf *out);
/** tfs_line_note() - begin a line about the call before it: with the thread, and indented */
int tfs_line_note(struct tfs_line *line, const struct tfs_line_head *head, struct tfs_strbuf *out);
/** tfs_line_pause() - what follows @start is the beginning of a call of @tid, to be continued */
void tfs_line_pause(struct tfs_line *line, int tid, size_t start, const struct tfs_strbuf *out);
/** tfs_line_result() - append blanks up to the column, and "= "; the line begins at @start */
int tfs_line_result(struct tfs_line *line, size_t start, struct tfs_strbuf *out);
/** tfs_line_duration() - append " <0.000012>", if asked for */
int tfs_line_duration(const struct tfs_line *line, uint64_t ns, struct tfs_strbuf *out);
/** tfs_line_seconds() - append SECONDS[.FRACTION], seconds in @width columns, @digits after them */
int tfs_line_seconds(uint64_t ns, int width, unsigned int digits, struct tfs_strbuf *out);
/** tfs_line_close() - end an open line as not finished; nothing otherwise */
int tfs_line_close(struct tfs_line *line, struct tfs_strbuf *out);

#endif
