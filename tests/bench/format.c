/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * format FILE [ROUNDS]: what a record's text costs, compiled and by libtraceevent, for each event
 * of a recording. Nanoseconds of this thread's CPU time for a record.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/strbuf-core.h"
#include "decode/trace-internal.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "printfmt/program.h"
#include "tracedat/merge.h"
#include "tracedat/page.h"

/* As many records of a type as fit a cache. */
#define SAMPLES 256
#define SAMPLE_MAX 512

struct sample {
	unsigned char data[SAMPLE_MAX];
	size_t size;
};

struct samples {
	struct sample row[SAMPLES];
	unsigned int n;
	unsigned long seen;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static double compiled(const struct tfs_program *program, const struct samples *s, int rounds)
{
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	double start = now();
	unsigned int i;
	int n;

	for (n = 0; n < rounds; n++) {
		tfs_strbuf_reset(&out);
		for (i = 0; i < s->n; i++)
			tfs_program_run(program, &out, s->row[i].data, s->row[i].size, SAMPLE_MAX);
	}
	start = now() - start;
	tfs_strbuf_release(&out);
	return start / rounds / s->n;
}

static double by_library(struct tfs_trace *trace, const struct samples *s, int rounds)
{
	struct tep_record rec = { 0 };
	struct trace_seq seq;
	double start;
	unsigned int i;
	int n;

	trace_seq_init(&seq);
	start = now();
	for (n = 0; n < rounds; n++) {
		for (i = 0; i < s->n; i++) {
			rec.data = (void *)s->row[i].data;
			rec.size = (int)s->row[i].size;
			trace_seq_reset(&seq);
			tep_print_event(trace->tep, &seq, &rec, "%s", TEP_PRINT_INFO);
		}
	}
	start = now() - start;
	trace_seq_destroy(&seq);
	return start / rounds / s->n;
}

static void take(struct samples *s, const struct tfs_record *rec)
{
	struct sample *row = &s->row[s->n];

	s->seen++;
	if (s->n == SAMPLES || rec->size > SAMPLE_MAX - 128)
		return;
	memcpy(row->data, rec->data, rec->size);
	row->size = rec->size;
	s->n++;
}

static void show(struct tfs_trace *trace, struct samples *const *samples, int rounds)
{
	double ours, theirs, sum = 0, their_sum = 0, records = 0;
	const struct tfs_event_type *type;
	size_t i;

	tfs_trace_load_symbols(trace);
	printf("%12s %10s %14s  %s\n", "records", "compiled", "libtraceevent", "event");
	for (i = 0; i < trace->index.n; i++) {
		type = &trace->index.types[i];
		if (!samples[i] || !samples[i]->n || !type->program)
			continue;
		ours = compiled(type->program, samples[i], rounds);
		theirs = by_library(trace, samples[i], rounds / 20 + 1);
		printf("%12lu %10.1f %14.1f  %.*s\n", samples[i]->seen, ours, theirs,
		       (int)type->name_len, type->name);
		sum += ours * (double)samples[i]->seen;
		their_sum += theirs * (double)samples[i]->seen;
		records += (double)samples[i]->seen;
	}
	if (records > 0)
		printf("%12.0f %10.1f %14.1f  all\n", records, sum / records, their_sum / records);
}

int main(int argc, char **argv)
{
	struct tfs_trace *trace = NULL;
	struct tfs_merge *merge = NULL;
	struct tfs_event_type *type;
	struct samples **samples;
	struct tfs_record rec;
	size_t i;

	if (argc < 2 || tfs_trace_open(argv[1], NULL, &trace, NULL) ||
	    tfs_merge_new(trace->dat, NULL, &merge, NULL))
		return 1;
	samples = calloc(trace->index.n + 1, sizeof(*samples));
	while (samples && tfs_merge_next(merge, &rec, NULL) == 1) {
		type = tfs_trace_event(trace, tfs_trace_record_id(trace, &rec));
		if (!type)
			continue;
		i = (size_t)(type - trace->index.types);
		if (!samples[i])
			samples[i] = calloc(1, sizeof(**samples));
		if (samples[i])
			take(samples[i], &rec);
	}
	if (samples)
		show(trace, samples, argc > 2 ? (int)strtol(argv[2], NULL, 10) : 2000);
	for (i = 0; samples && i < trace->index.n; i++)
		free(samples[i]);
	free(samples);
	tfs_merge_free(merge);
	tfs_trace_free(trace);
	return 0;
}
