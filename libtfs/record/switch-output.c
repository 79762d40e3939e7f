/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/switch-output.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/strbuf-core.h"

#define NSEC_PER_CSEC 10000000L
#define SIZE_MAX_BYTES (UINT64_C(1) << 60)

/* As perf has it, but for hours in a day, which no duration counts by itself. */
static int parse_time(const char *word, size_t len, struct tfs_switch_output *s,
		      struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const bool days = word[len - 1] == 'd';
	int rc = tfs_strbuf_add(&text, word, days ? len - 1 : len);

	if (!rc && days)
		rc = tfs_strbuf_addc(&text, 'h');
	if (rc)
		tfs_err_set(err, rc, "cannot keep '%s'", word);
	else
		rc = tfs_parse_duration(text.s, &s->ns, err);
	if (!rc && days && __builtin_mul_overflow(s->ns, 24, &s->ns))
		rc = tfs_err_say(err, -ERANGE, "'%s' is too long", word);
	if (!rc && !s->ns)
		rc = tfs_err_say(err, -ERANGE, "'%s' is zero, not a length of time", word);
	tfs_strbuf_release(&text);
	return rc;
}

static int parse_size(const char *word, size_t len, struct tfs_switch_output *s,
		      struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_add(&text, word, word[len - 1] == 'B' ? len - 1 : len);

	if (rc)
		tfs_err_set(err, rc, "cannot keep '%s'", word);
	else
		rc = tfs_parse_size(text.s, 1, 1, SIZE_MAX_BYTES, &s->bytes, err);
	tfs_strbuf_release(&text);
	return rc;
}

int tfs_switch_output_parse(const char *word, struct tfs_switch_output *s, struct tfs_err *err)
{
	size_t len = word ? strlen(word) : 0;
	char unit;

	s->on = true;
	s->by_signal = !word || !strcmp(word, "signal");
	s->bytes = 0;
	s->ns = 0;
	if (s->by_signal)
		return 0;
	unit = len ? word[len - 1] : '\0';
	if (unit && strchr("smhd", unit))
		return parse_time(word, len, s, err);
	if (unit && strchr("BKMG", unit))
		return parse_size(word, len, s, err);
	tfs_err_say(err, -EINVAL, "'%s' is neither a size nor a time nor 'signal'", word);
	tfs_err_hint(err, "sizes end with B, K, M or G, times with s, m, h or d: "
			  "--switch-output=100M, --switch-output=10m");
	return err ? err->code : -EINVAL;
}

int tfs_switch_output_name(const char *path, const struct timespec *now, struct tfs_strbuf *out)
{
	char stamp[32];
	struct tm tm;

	if (!localtime_r(&now->tv_sec, &tm) || !strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm))
		return -EINVAL;
	return tfs_strbuf_addf(out, "%s.%s%02ld", path, stamp, now->tv_nsec / NSEC_PER_CSEC);
}
