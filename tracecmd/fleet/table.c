/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fleet/hosts.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/macros.h"
#include "base/num.h"
#include "base/out-file.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "cli/xalloc.h"
#include "relay/spool.h"
#include "fleet/opts.h"

/*
 * fleet.tab, for fetch, status, stop and check. Its first line says how tc-record is called on the
 * hosts, the second which folder has the spools there; then there is a line for each limit and each
 * host: words, with tabs between them, in which "%XX" is a character that would be in the way.
 */

#define TABLE "fleet.tab"
#define TABLE_MAX (16u << 20)
#define MAX_SIZE "max-size"
#define RATE "bwlimit"
#define WORDS "words"
/* In all lines of hosts: state, host, spool, file */
#define FIXED 4
#define AT(member) offsetof(struct fleet_host, member)

/* Numbers of a host; those that are 0 are left out. */
static const struct {
	const char *key;
	size_t offset;
} numbers[] = {
	{ "events", AT(result.events) },
	{ "lost", AT(result.lost) },
	{ "gaps", AT(result.gaps) },
	{ "gap-events", AT(result.gap_events) },
	{ "bytes", AT(result.bytes) },
	{ "size", AT(result.file.size) },
	{ "file-events", AT(result.file.events) },
	{ "file-lost", AT(result.file.lost) },
	{ "begin", AT(result.file.begin_ns) },
	{ "end", AT(result.file.end_ns) },
	{ "clock-error", AT(result.file.error_ns) },
	{ "clock-bound", AT(result.file.bound_ns) },
};

static const struct {
	const char *key;
	size_t offset;
} flags[] = {
	{ "known", AT(result.is_known) },
	{ "file", AT(result.has_file) },
	{ "counted", AT(result.file.is_counted) },
	{ "synced", AT(result.file.is_synced) },
};

static const struct {
	const char *key;
	size_t offset, size;
} texts[] = {
	{ "sha256", AT(result.file.sha256), TFS_SHA256_TEXT },
	{ "boot", AT(result.file.boot), TFS_RELAY_WORD },
	{ "kernel", AT(result.file.kernel), TFS_RELAY_WORD },
	{ "error", AT(err.msg), sizeof(((struct tfs_err *)NULL)->msg) },
};

static int escape(struct tfs_strbuf *sb, const char *word)
{
	int rc = 0;

	for (; *word && !rc; word++)
		rc = *word == '%' || iscntrl((unsigned char)*word) ?
			     tfs_strbuf_addf(sb, "%%%02X", (unsigned int)(unsigned char)*word) :
			     tfs_strbuf_addc(sb, *word);
	return rc;
}

/* In place. Return: 0 or -EBADMSG */
static int unescape(char *word)
{
	char *to = word;
	unsigned int c;

	while (*word) {
		if (*word != '%') {
			*to++ = *word++;
			continue;
		}
		if (!isxdigit((unsigned char)word[1]) || !isxdigit((unsigned char)word[2]) ||
		    sscanf(word + 1, "%2x", &c) != 1 || !c)
			return -EBADMSG;
		*to++ = (char)c;
		word += 3;
	}
	*to = '\0';
	return 0;
}

static int no_memory(struct tfs_err *err)
{
	return tfs_err_set(err, -ENOMEM, "cannot set up the hosts");
}

int fleet_read_file(const struct fleet_run *run, const char *name, struct tfs_strbuf *text,
		    struct tfs_err *err)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&path, "%s/%s", run->req->output, name);

	if (!rc)
		rc = tfs_read_path(path.s, text);
	if (!rc && text->len > TABLE_MAX)
		rc = -EFBIG;
	if (rc)
		tfs_err_set(err, rc, "cannot read '%s'", path.s);
	tfs_strbuf_release(&path);
	return rc;
}

static int damaged(const struct fleet_run *run, struct tfs_err *err)
{
	return tfs_err_say(err, -EBADMSG, "'%s/" TABLE "' is damaged", run->req->output);
}

/* "key=value". Words that are not known are a later version's. */
static int load_value(struct fleet_host *h, char *word)
{
	char *value = strchr(word, '=');
	uint64_t n;

	if (!value || unescape(word))
		return -EBADMSG;
	*value++ = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(word, texts[i].key))
			snprintf((char *)h + texts[i].offset, texts[i].size, "%s", value);
	if (!strcmp(word, "error"))
		h->err.code = -EIO;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!strcmp(word, numbers[i].key))
			return tfs_parse_u64(value, 0, INT64_MAX,
					     (uint64_t *)((char *)h + numbers[i].offset), NULL);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (!strcmp(word, flags[i].key))
			*(bool *)((char *)h + flags[i].offset) = true;
	if (strcmp(word, "late") != 0 && strcmp(word, "status") != 0)
		return 0;
	if (tfs_parse_u64(value, 0, INT64_MAX, &n, NULL))
		return -EBADMSG;
	if (*word == 'l')
		h->result.late_us = (int64_t)n;
	else
		h->status = (int)(n & 255);
	return 0;
}

/* Out of the folder of the run */
static bool leads_away(const char *file)
{
	return *file == '/' || !strncmp(file, "../", 3) || strstr(file, "/../");
}

static int load_host(struct fleet_run *run, char **word, char *rest, struct tfs_err *err)
{
	struct fleet_host *h;

	if (!tfs_relay_id_is_valid(word[2]) || leads_away(word[3]) || *word[1] == '-')
		return damaged(run, err);
	run->hosts = xreallocarray(run->hosts, run->n + 1, sizeof(*run->hosts));
	h = &run->hosts[run->n++];
	*h = (struct fleet_host){
		.name = xstrdup(word[1]),
		.id = xstrdup(word[2]),
		.file = xstrdup(word[3]),
		.err = TFS_ERR_INIT,
		.state = !strcmp(word[0], "ok")     ? FLEET_OK :
			 !strcmp(word[0], "failed") ? FLEET_FAILED :
						      FLEET_WAITING,
		.was_go = true,
		.result.late_us = -1,
	};
	while (rest)
		if (load_value(h, strsep(&rest, "\t")))
			return damaged(run, err);
	return asprintf(&h->path, "%s/%s", run->req->output, h->file) < 0 ? no_memory(err) : 0;
}

static int load_words(struct fleet_run *run, char *rest, struct tfs_err *err)
{
	char *word;

	while ((word = strsep(&rest, "\t"))) {
		if (unescape(word))
			return damaged(run, err);
		if (tfs_strvec_push(&run->words, word))
			return no_memory(err);
	}
	return 0;
}

static int load_line(struct fleet_run *run, char *line, struct tfs_err *err)
{
	char *word[FIXED], *rest = line;

	word[0] = strsep(&rest, "\t");
	if (!strcmp(word[0], WORDS))
		return load_words(run, rest, err);
	if (!strcmp(word[0], MAX_SIZE) && rest)
		return tfs_parse_u64(rest, 0, INT64_MAX, &run->max_bytes, NULL) ?
			       damaged(run, err) :
			       0;
	if (!strcmp(word[0], RATE) && rest)
		return tfs_parse_u64(rest, 0, INT64_MAX, &run->rate, NULL) ? damaged(run, err) : 0;
	for (size_t i = 1; i < FIXED; i++) {
		word[i] = strsep(&rest, "\t");
		if (!word[i])
			return damaged(run, err);
	}
	return load_host(run, word, rest, err);
}

int fleet_run_load(struct fleet_run *run, const struct fleet_request *req, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char *rest, *line;
	int rc;

	run->req = req;
	run->resume = true;
	rc = fleet_read_file(run, TABLE, &text, err);
	rest = text.s;
	line = rc ? NULL : strsep(&rest, "\n");
	run->program = xstrdup(line ? line : "");
	line = rc || !rest ? NULL : strsep(&rest, "\n");
	run->spool = xstrdup(line ? line : "");
	while (!rc && rest && *rest)
		rc = load_line(run, strsep(&rest, "\n"), err);
	if (req->rate)
		run->rate = req->rate;
	tfs_strbuf_release(&text);
	return rc;
}

/* Has the host, or may it have, what is not here? */
static bool is_unfinished(const struct fleet_host *h)
{
	char *journal = NULL;
	bool is = h->state == FLEET_WAITING;

	if (!is && h->state == FLEET_FAILED && asprintf(&journal, "%s.stream", h->path) >= 0)
		is = !access(journal, F_OK);
	free(journal);
	return is;
}

int fleet_run_check_folder(const struct fleet_request *req, struct tfs_err *err)
{
	struct fleet_run run = { .n = 0 };
	int rc = fleet_run_load(&run, req, err);

	if (rc == -ENOENT) {
		tfs_err_clear(err);
		rc = 0;
	}
	for (size_t i = 0; i < run.n && !rc; i++) {
		if (!is_unfinished(&run.hosts[i]))
			continue;
		rc = tfs_err_say(err, -EEXIST, "'%s' has a run of which host '%s' may have more",
				 req->output, run.hosts[i].name);
		tfs_err_hint(err, "bring it with tc-fleet fetch -o '%s', or name another folder",
			     req->output);
	}
	fleet_run_release(&run);
	return rc;
}

static int write_file(const struct fleet_run *run, const char *name, const struct tfs_strbuf *text,
		      struct tfs_err *err)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	struct tfs_out_file *f = NULL;
	int rc = tfs_strbuf_addf(&path, "%s/%s", run->req->output, name);

	if (rc)
		no_memory(err);
	else
		rc = tfs_out_file_open(path.s, &f, err);
	if (!rc) {
		/* A failure is kept, and reported by the commit. */
		(void)!tfs_out_write(tfs_out_file_out(f), text->s, text->len);
		rc = tfs_out_file_commit(f, err);
	}
	tfs_out_file_free(f);
	tfs_strbuf_release(&path);
	return rc;
}

static int add_values(struct tfs_strbuf *sb, const struct fleet_host *h)
{
	const char *at = (const char *)h;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(flags) && !rc; i++)
		if (*(const bool *)(at + flags[i].offset))
			rc = tfs_strbuf_addf(sb, "\t%s=1", flags[i].key);
	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !rc; i++)
		if (*(const uint64_t *)(at + numbers[i].offset))
			rc = tfs_strbuf_addf(sb, "\t%s=%" PRIu64, numbers[i].key,
					     *(const uint64_t *)(at + numbers[i].offset));
	for (size_t i = 0; i < ARRAY_SIZE(texts) && !rc; i++) {
		if (!at[texts[i].offset])
			continue;
		rc = tfs_strbuf_addf(sb, "\t%s=", texts[i].key);
		if (!rc)
			rc = escape(sb, at + texts[i].offset);
	}
	if (!rc && h->result.late_us >= 0)
		rc = tfs_strbuf_addf(sb, "\tlate=%" PRId64, h->result.late_us);
	if (!rc && h->status > 0)
		rc = tfs_strbuf_addf(sb, "\tstatus=%d", h->status);
	return rc ? rc : tfs_strbuf_addc(sb, '\n');
}

static int add_all(const struct fleet_run *run, struct tfs_strbuf *sb)
{
	int rc = tfs_strbuf_addf(sb, "%s\n%s\n", run->program, run->spool);

	if (!rc && run->max_bytes)
		rc = tfs_strbuf_addf(sb, MAX_SIZE "\t%" PRIu64 "\n", run->max_bytes);
	if (!rc && run->rate)
		rc = tfs_strbuf_addf(sb, RATE "\t%" PRIu64 "\n", run->rate);
	if (!rc && run->words.n)
		rc = tfs_strbuf_adds(sb, WORDS);
	for (size_t i = 0; i < run->words.n && !rc; i++) {
		rc = tfs_strbuf_addc(sb, '\t');
		if (!rc)
			rc = escape(sb, run->words.v[i]);
	}
	if (!rc && run->words.n)
		rc = tfs_strbuf_addc(sb, '\n');
	for (size_t i = 0; i < run->n && !rc; i++) {
		const struct fleet_host *h = &run->hosts[i];

		rc = tfs_strbuf_addf(sb, "%s\t%s\t%s\t%s", fleet_state_name(h), h->name, h->id,
				     h->file);
		if (!rc)
			rc = add_values(sb, h);
	}
	return rc;
}

int fleet_run_save(const struct fleet_run *run, struct tfs_err *err)
{
	struct tfs_strbuf table = TFS_STRBUF_INIT, manifest = TFS_STRBUF_INIT;
	int rc = add_all(run, &table);

	if (!rc)
		rc = fleet_manifest(run, &manifest);
	rc = rc ? no_memory(err) : write_file(run, TABLE, &table, err);
	if (!rc)
		rc = write_file(run, FLEET_MANIFEST, &manifest, err);
	tfs_strbuf_release(&table);
	tfs_strbuf_release(&manifest);
	return rc;
}
