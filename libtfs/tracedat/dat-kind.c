/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-kind.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"

static const struct {
	const char *magic;
	size_t size;
	const char *kind, *hint;
} kinds[] = {
	{ "\x1f\x8b", 2, "it is compressed with gzip",
	  "unpack it first: gzip -dc FILE >trace.dat" },
	{ "\x28\xb5\x2f\xfd", 4, "it is compressed with zstd",
	  "unpack it first: zstd -dc FILE >trace.dat" },
	{ "\xfd\x37zXZ\0", 6, "it is compressed with xz",
	  "unpack it first: xz -dc FILE >trace.dat" },
	{ "BZh", 3, "it is compressed with bzip2", "unpack it first: bzip2 -dc FILE >trace.dat" },
	{ "\x04\x22\x4d\x18", 4, "it is compressed with lz4",
	  "unpack it first: lz4 -dc FILE >trace.dat" },
	{ "PK\3\4", 4, "it is a zip archive", "unpack it first: unzip FILE" },
	{ "PERFILE2", 8, "it is perf's", "perf script -i FILE shows it" },
	{ "2ELIFREP", 8, "it is perf's, of another byte order", "perf script -i FILE shows it" },
	{ "\xd4\xc3\xb2\xa1", 4, "it is a packet capture", "tcpdump -r FILE shows it" },
	{ "\xa1\xb2\xc3\xd4", 4, "it is a packet capture", "tcpdump -r FILE shows it" },
	{ "\x4d\x3c\xb2\xa1", 4, "it is a packet capture", "tcpdump -r FILE shows it" },
	{ "\xa1\xb2\x3c\x4d", 4, "it is a packet capture", "tcpdump -r FILE shows it" },
	{ "\x0a\x0d\x0d\x0a", 4, "it is a packet capture", "tcpdump -r FILE shows it" },
	{ "\177ELF", 4, "it is a program, library or core (ELF)",
	  "'tc-record -e sched -- PROGRAM' records one, 'tc-probe -x FILE -F' lists functions" },
};

/* Printable ASCII, blanks, ends of lines, and anything that UTF-8 and Latin-1 have besides. */
static bool is_text(const unsigned char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((s[i] < ' ' && !strchr("\t\n\v\f\r\b\033", s[i])) || !s[i] || s[i] == 127)
			return false;
	return true;
}

static int say(const char *kind, const char *hint, struct tfs_err *err)
{
	tfs_err_say(err, -EBADMSG, "not a trace.dat file: %s", kind);
	tfs_err_hint(err, "%s", hint);
	return -EBADMSG;
}

int tfs_dat_say_kind(const void *head, size_t n, struct tfs_err *err)
{
	if (!n)
		return say("it is empty", "'tc-record -e sched -- COMMAND' makes one", err);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (n >= kinds[i].size && !memcmp(head, kinds[i].magic, kinds[i].size))
			return say(kinds[i].kind, kinds[i].hint, err);
	if (is_text(head, n))
		return say("it is text",
			   "tc-report reads what 'tc-record' and 'trace-cmd record' write, not "
			   "the text of a report or of the kernel's trace",
			   err);
	return tfs_err_say(err, -EBADMSG, "not a trace.dat file");
}
