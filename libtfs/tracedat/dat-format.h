/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_FORMAT_H
#define TFS_TRACEDAT_DAT_FORMAT_H

/* Numbers of the trace.dat format, versions 6 and 7: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5). */

#define TFS_DAT_MAGIC  \
	"\x17\x08\x44" \
	"tracing"
#define TFS_DAT_MAGIC_SIZE 10

/**
 * enum tfs_dat_id - ids of options, and of the sections they point at
 */
enum tfs_dat_id {
	TFS_DAT_DONE = 0, /* as a section: OPTIONS */
	TFS_DAT_DATE = 1,
	TFS_DAT_CPUSTAT = 2,
	TFS_DAT_BUFFER = 3,
	TFS_DAT_TRACECLOCK = 4,
	TFS_DAT_UNAME = 5,
	TFS_DAT_HOOK = 6,
	TFS_DAT_OFFSET = 7,
	TFS_DAT_CPUCOUNT = 8,
	TFS_DAT_VERSION = 9,
	TFS_DAT_PROCMAPS = 10,
	TFS_DAT_TRACEID = 11,
	TFS_DAT_TIME_SHIFT = 12,
	TFS_DAT_GUEST = 13,
	TFS_DAT_TSC2NSEC = 14,
	TFS_DAT_STRINGS = 15,
	TFS_DAT_HEADER_INFO = 16,
	TFS_DAT_FTRACE_EVENTS = 17,
	TFS_DAT_EVENT_FORMATS = 18,
	TFS_DAT_KALLSYMS = 19,
	TFS_DAT_PRINTK = 20,
	TFS_DAT_CMDLINES = 21,
	TFS_DAT_BUFFER_TEXT = 22,
	TFS_DAT_BTF_FILE = 23,
	TFS_DAT_LAST_BOOT_INFO = 24,
	TFS_DAT_MODULES_FILE = 25,
	/* Ids from here on are ours, others skip them. Payloads begin with u32 0x01020304. */
	TFS_DAT_PRIVATE = 0x7c00,
	TFS_DAT_PRIVATE_LOST = 0x7c01,      /* lost events: see dat-lost.h */
	TFS_DAT_PRIVATE_SEGMENTS = 0x7c02,  /* files that it is recorded in: see dat-segments.h */
	TFS_DAT_PRIVATE_CONSTANTS = 0x7c03, /* names in print formats: see dat-constants.h */
	TFS_DAT_PRIVATE_VALUES = 0x7c04,    /* what numbers of probes mean: see dat-values.h */
	TFS_DAT_PRIVATE_OBJECTS = 0x7c05,   /* programs and libraries: see dat-maps.h */
	TFS_DAT_PRIVATE_MAPS = 0x7c06,      /* where processes had them: see dat-maps.h */
	TFS_DAT_PRIVATE_SYMBOLS = 0x7c07,   /* functions that were met: see dat-symbols.h */
	TFS_DAT_PRIVATE_TASKS = 0x7c08,     /* tasks and clocks: see dat-tasks.h */
	TFS_DAT_PRIVATE_PROFILE = 0x7c10,   /* it has a CPU profile: see dat-profile.h */
	TFS_DAT_PRIVATE_CALLS = 0x7c11,     /* system calls that were shown: see dat-calls.h */
	TFS_DAT_PRIVATE_CLOCKS = 0x7c12,    /* the trace clock beside others: see dat-clocks.h */
	TFS_DAT_PRIVATE_RECORDER = 0x7c13,  /* the recorder's threads: see dat-recorder.h */
	TFS_DAT_PRIVATE_ROOM = 0x7c20,      /* a section of zeros: see tfs_dat_writer_room() */
};

/**
 * TFS_DAT_CHUNK_PAGES - sub-buffers per compressed chunk
 *
 * Some readers inflate a chunk anew for each page they touch, so larger ones make them slow.
 */
#define TFS_DAT_CHUNK_PAGES 10

#endif
