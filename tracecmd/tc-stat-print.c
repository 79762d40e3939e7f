/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-stat-print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/strbuf-core.h"

#define NS_PER_SEC UINT64_C(1000000000)
#define PRECISION_MAX 9

static double mean_of(const struct tfs_stats *s)
{
	return s->n ? (double)tfs_stats_sum(s) / (double)s->n : 0;
}

/* By Newton's method, since nothing else needs the library of mathematics */
static double root_of(double x)
{
	double r = x > 1 ? x : 1, before;

	do {
		before = r;
		r = (r + x / r) / 2;
	} while (r < before);
	return r;
}

/* Standard error of the mean: how far the mean of other such runs would be off */
static double error_of(const struct tfs_stats *s)
{
	return s->n < 2 ? 0 : (double)tfs_stats_stddev(s) / root_of((double)s->n);
}

double stat_standard_error(const struct tfs_stats *runs)
{
	const double mean = mean_of(runs);

	return mean > 0 ? 100 * error_of(runs) / mean : 0;
}

static int print_time(uint64_t ns, struct tfs_strbuf *sb)
{
	return tfs_strbuf_addf(sb, "%6" PRIu64 ".%09" PRIu64, ns / NS_PER_SEC, ns % NS_PER_SEC);
}

/* The count of a run, or the mean of several, rounded to a whole number as perf stat does */
static uint64_t count_of(const struct stat_layout *layout, const struct stat_row *row)
{
	return layout->repeat ? (uint64_t)(mean_of(&row->runs) / (double)STAT_SCALE + 0.5) :
				row->count;
}

static int print_heading(const struct stat_layout *layout, struct tfs_strbuf *sb)
{
	switch (layout->key) {
	case STAT_KEY_CPU:
		return tfs_strbuf_adds(sb, "#           time CPU                  counts unit "
					   "events\n");
	case STAT_KEY_THREAD:
		return tfs_strbuf_adds(sb, "#           time             comm-pid              "
					   "    counts unit events\n");
	case STAT_KEY_VALUE:
		return tfs_strbuf_addf(
			sb, "#           time %-24s             counts unit events\n", layout->by);
	default:
		return tfs_strbuf_adds(sb, "#           time             counts unit events\n");
	}
}

int stat_print_head(const struct stat_layout *layout, const char *what, uint64_t runs,
		    struct tfs_strbuf *sb)
{
	int rc;

	if (layout->style != STAT_TEXT)
		return 0;
	if (layout->interval)
		return print_heading(layout, sb);
	rc = tfs_strbuf_addf(sb, "\n Performance counter stats for %s", what);
	if (!rc && runs)
		rc = tfs_strbuf_addf(sb, " (%" PRIu64 " runs)", runs);
	if (!rc && layout->key == STAT_KEY_VALUE)
		rc = tfs_strbuf_addf(sb, ", by %s", layout->by);
	return rc ? rc : tfs_strbuf_adds(sb, ":\n\n");
}

/* Columns of perf stat: "CPU0       ", "            comm-123      " */
static int text_key(const struct stat_layout *layout, const char *key, struct tfs_strbuf *sb)
{
	const char *dash = strrchr(key, '-');

	switch (layout->key) {
	case STAT_KEY_CPU:
		return tfs_strbuf_addf(sb, "CPU%-7s ", key);
	case STAT_KEY_THREAD:
		if (dash)
			return tfs_strbuf_addf(sb, "%16.*s-%-8s ", (int)(dash - key), key,
					       dash + 1);
		return tfs_strbuf_addf(sb, "%25s ", key);
	default:
		return tfs_strbuf_addf(sb, "%-24s ", key);
	}
}

static int text_row(const struct stat_layout *layout, const struct stat_row *row,
		    struct tfs_strbuf *sb)
{
	const bool more = layout->repeat || row->misses || row->lost || row->bound;
	int rc = layout->interval ? print_time(row->ns, sb) : 0;

	if (!rc && layout->interval)
		rc = tfs_strbuf_addc(sb, ' ');
	if (!rc && row->key)
		rc = text_key(layout, row->key, sb);
	if (!rc)
		rc = tfs_strbuf_addf(sb,
				     more ? "%18" PRIu64 "      %-67s" : "%18" PRIu64 "      %s",
				     count_of(layout, row), row->event);
	if (!rc && layout->repeat)
		rc = tfs_strbuf_addf(sb, "  ( +-%6.2f%% )", stat_standard_error(&row->runs));
	if (!rc && row->misses)
		rc = tfs_strbuf_addf(sb, "  (%" PRIu64 " missed)", row->misses);
	if (!rc && (row->lost || row->bound))
		rc = tfs_strbuf_addf(sb, "  (at least: %" PRIu64 "%s lost)", row->lost,
				     row->bound ? " and more" : "");
	return rc ? rc : tfs_strbuf_addc(sb, '\n');
}

static int csv_text(const char *text, const char *separator, struct tfs_strbuf *sb)
{
	int rc = 0;

	if (!strstr(text, separator) && !strpbrk(text, "\"\n"))
		return tfs_strbuf_addf(sb, "%s%s", text, separator);
	rc = tfs_strbuf_addc(sb, '"');
	for (; *text && !rc; text++)
		rc = tfs_strbuf_adds(sb, *text == '"' ? "\"\"" : (char[]){ *text, 0 });
	return rc ? rc : tfs_strbuf_addf(sb, "\"%s", separator);
}

static int csv_row(const struct stat_layout *layout, const struct stat_row *row,
		   struct tfs_strbuf *sb)
{
	const char *sep = layout->separator;
	int rc = 0;

	if (layout->interval) {
		rc = print_time(row->ns, sb);
		if (!rc)
			rc = tfs_strbuf_adds(sb, sep);
	}
	if (!rc && row->key && layout->key == STAT_KEY_CPU)
		rc = tfs_strbuf_adds(sb, "CPU");
	if (!rc && row->key)
		rc = csv_text(row->key, sep, sb);
	if (!rc)
		rc = tfs_strbuf_addf(sb, "%" PRIu64 "%s%s", count_of(layout, row), sep, sep);
	if (!rc)
		rc = csv_text(row->event, sep, sb);
	if (!rc && layout->repeat)
		rc = tfs_strbuf_addf(sb, "%.2f%%%s", stat_standard_error(&row->runs), sep);
	return rc ? rc :
		    tfs_strbuf_addf(sb, "%" PRIu64 "%s100.00%s%s\n", row->running_ns, sep, sep,
				    sep);
}

static int json_member(const char *name, const char *text, struct tfs_strbuf *sb)
{
	int rc = tfs_strbuf_addf(sb, "\"%s\" : ", name);

	if (!rc)
		rc = tfs_json_string(sb, text, strlen(text));
	return rc ? rc : tfs_strbuf_adds(sb, ", ");
}

static int json_row(const struct stat_layout *layout, const struct stat_row *row,
		    struct tfs_strbuf *sb)
{
	static const char *const keys[] = {
		[STAT_KEY_CPU] = "cpu",
		[STAT_KEY_THREAD] = "thread",
		[STAT_KEY_VALUE] = "key",
	};
	int rc = tfs_strbuf_addc(sb, '{');

	if (!rc && layout->interval)
		rc = tfs_strbuf_addf(sb, "\"interval\" : %" PRIu64 ".%09" PRIu64 ", ",
				     row->ns / NS_PER_SEC, row->ns % NS_PER_SEC);
	if (!rc && row->key && layout->key == STAT_KEY_VALUE)
		rc = json_member("by", layout->by, sb);
	if (!rc && row->key)
		rc = json_member(keys[layout->key], row->key, sb);
	if (!rc)
		rc = tfs_strbuf_addf(sb,
				     "\"counter-value\" : \"%" PRIu64 ".000000\", "
				     "\"unit\" : \"\", ",
				     count_of(layout, row));
	if (!rc)
		rc = json_member("event", row->event, sb);
	if (!rc && layout->repeat)
		rc = tfs_strbuf_addf(sb, "\"variance\" : %.2f, ", stat_standard_error(&row->runs));
	if (!rc)
		rc = tfs_strbuf_addf(sb,
				     "\"event-runtime\" : %" PRIu64 ", \"pcnt-running\" : 100.00, "
				     "\"lost\" : \"%" PRIu64 "\", \"misses\" : \"%" PRIu64 "\"",
				     row->running_ns, row->lost, row->misses);
	if (!rc && (row->bound || row->lost))
		rc = tfs_strbuf_adds(sb, ", \"bound\" : \"lower\"");
	return rc ? rc : tfs_strbuf_adds(sb, "}\n");
}

int stat_print_row(const struct stat_layout *layout, const struct stat_row *row,
		   struct tfs_strbuf *sb)
{
	switch (layout->style) {
	case STAT_CSV:
		return csv_row(layout, row, sb);
	case STAT_JSON:
		return json_row(layout, row, sb);
	default:
		return text_row(layout, row, sb);
	}
}

/* Two digits more than the first one of the deviation */
static int precision_of(double error)
{
	int digits = 2;

	if (error <= 0)
		return PRECISION_MAX;
	for (; error < 1 && digits < PRECISION_MAX; error *= 10)
		digits++;
	return digits;
}

static int print_elapsed(const struct stat_layout *layout, const struct tfs_stats *s,
			 struct tfs_strbuf *sb)
{
	const double mean = mean_of(s) / (double)NS_PER_SEC;
	const double error = error_of(s) / (double)NS_PER_SEC;
	const int digits = precision_of(error);

	if (!layout->repeat)
		return tfs_strbuf_addf(sb, "\n %17.9f seconds time elapsed\n", mean);
	return tfs_strbuf_addf(sb, "\n %17.*f +- %.*f seconds time elapsed  ( +-%6.2f%% )\n",
			       digits, mean, digits, error, mean > 0 ? 100 * error / mean : 0);
}

int stat_print_foot(const struct stat_layout *layout, const struct stat_times *times,
		    struct tfs_strbuf *sb)
{
	int rc;

	if (layout->style != STAT_TEXT || layout->interval)
		return 0;
	rc = print_elapsed(layout, &times->elapsed, sb);
	if (!rc && times->has_usage && !layout->repeat)
		rc = tfs_strbuf_addf(sb, "\n %17.9f seconds user\n %17.9f seconds sys\n",
				     (double)times->user / (double)NS_PER_SEC,
				     (double)times->sys / (double)NS_PER_SEC);
	return rc ? rc : tfs_strbuf_adds(sb, "\n\n");
}

int stat_print_losses(uint64_t lost, struct tfs_strbuf *sb)
{
	return tfs_strbuf_addf(sb, "{\"lost\":%" PRIu64 ",\"bound\":\"lower\"}\n", lost);
}
