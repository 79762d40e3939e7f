/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/expr.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "strace/call-class.h"
#include "strace/call.h"
#include "syscalls/tables.h"

#define SIGNALS_MAX 64

struct name_bits {
	const char *name;
	unsigned int bits;
};

int tfs_expr_init(struct tfs_expr *e, enum sys_abi abi)
{
	int rc;

	*e = (struct tfs_expr){
		.abi = abi,
		.statuses = TFS_EXPR_ANY_STATUS,
		.signals = UINT64_MAX,
	};
	rc = tfs_call_set_init(&e->calls, true);
	if (!rc)
		rc = tfs_call_set_init(&e->raw, false);
	return rc ? rc : tfs_call_set_init(&e->unabbreviated, false);
}

void tfs_expr_release(struct tfs_expr *e)
{
	tfs_call_set_release(&e->calls);
	tfs_call_set_release(&e->raw);
	tfs_call_set_release(&e->unabbreviated);
	tfs_strvec_release(&e->paths);
	tfs_strvec_release(&e->events);
	free(e->fds);
	e->fds = NULL;
	e->n_fds = 0;
}

int tfs_expr_add_path(struct tfs_expr *e, const char *path)
{
	return tfs_strvec_push(&e->paths, path);
}

static const char *skip_inversions(const char *text, bool *inverted)
{
	for (*inverted = false; *text == '!'; text++)
		*inverted = !*inverted;
	return text;
}

/* The words after "WHAT=", and @all of their bits */
struct words {
	const char *what;
	const struct name_bits *rows;
	size_t n;
	unsigned int all;
};

static int unknown_word(const struct words *known, const char *word, struct tfs_err *err)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	int rc = 0;

	tfs_err_say(err, -EINVAL, "'%s' is not a value of %s=", word, known->what);
	for (size_t i = 0; !rc && i < known->n; i++)
		rc = tfs_strbuf_addf(&names, "%s%s", i ? ", " : "", known->rows[i].name);
	if (!rc)
		tfs_err_hint(err, "it takes %s", names.s);
	tfs_strbuf_release(&names);
	return -EINVAL;
}

static bool find_bits(const struct words *known, const char *word, unsigned int *bits)
{
	for (size_t i = 0; i < known->n; i++)
		if (!strcmp(word, known->rows[i].name)) {
			*bits |= known->rows[i].bits;
			return true;
		}
	return false;
}

/* "a,b" or "!a,b"; "all" and "none" are among the words. */
static int parse_bits(const struct words *known, const char *text, unsigned int *out,
		      struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	unsigned int bits = 0;
	bool inverted;
	int rc = tfs_strvec_split(&words, skip_inversions(text, &inverted), ",");

	if (!rc && !words.n)
		rc = tfs_err_say(err, -EINVAL, "%s= needs a value", known->what);
	for (size_t i = 0; !rc && i < words.n; i++)
		if (!find_bits(known, words.v[i], &bits))
			rc = unknown_word(known, words.v[i], err);
	if (!rc)
		*out = inverted ? known->all & ~bits : bits;
	tfs_strvec_release(&words);
	return rc;
}

static int parse_status(struct tfs_expr *e, const char *text, struct tfs_err *err)
{
	static const struct name_bits rows[] = {
		{ "successful", TFS_EXPR_SUCCESSFUL },
		{ "failed", TFS_EXPR_FAILED },
		{ "unfinished", TFS_EXPR_UNFINISHED },
		{ "unavailable", TFS_EXPR_UNAVAILABLE },
		{ "detached", TFS_EXPR_DETACHED },
		{ "all", TFS_EXPR_ANY_STATUS },
		{ "none", 0 },
	};
	static const struct words known = { "status", rows, ARRAY_SIZE(rows), TFS_EXPR_ANY_STATUS };

	return parse_bits(&known, text, &e->statuses, err);
}

static int parse_quiet(struct tfs_expr *e, const char *text, struct tfs_err *err)
{
	static const struct name_bits rows[] = {
		{ "attach", TFS_EXPR_QUIET_ATTACH },
		{ "exit", TFS_EXPR_QUIET_EXIT },
		{ "exits", TFS_EXPR_QUIET_EXIT },
		{ "path-resolution", TFS_EXPR_QUIET_PATH },
		{ "personality", TFS_EXPR_QUIET_PERSONALITY },
		{ "thread-execve", TFS_EXPR_QUIET_EXEC },
		{ "superseded", TFS_EXPR_QUIET_SUPERSEDED },
		{ "all", TFS_EXPR_QUIET_ALL },
		{ "none", 0 },
	};
	static const struct words known = { "quiet", rows, ARRAY_SIZE(rows), TFS_EXPR_QUIET_ALL };

	return parse_bits(&known, text, &e->quiet, err);
}

static int parse_decode_fds(struct tfs_expr *e, const char *text, struct tfs_err *err)
{
	static const struct name_bits rows[] = {
		{ "path", TFS_EXPR_FD_PATH },     { "socket", TFS_EXPR_FD_SOCKET },
		{ "dev", TFS_EXPR_FD_DEVICE },    { "pidfd", TFS_EXPR_FD_OTHER },
		{ "eventfd", TFS_EXPR_FD_OTHER }, { "signalfd", TFS_EXPR_FD_OTHER },
		{ "all", TFS_EXPR_FD_ALL },       { "none", 0 },
	};
	static const struct words known = { "decode-fds", rows, ARRAY_SIZE(rows), TFS_EXPR_FD_ALL };

	return parse_bits(&known, text, &e->decode, err);
}

static int parse_decode_pids(struct tfs_expr *e, const char *text, struct tfs_err *err)
{
	static const struct name_bits rows[] = { { "comm", 1 }, { "all", 1 }, { "none", 0 } };
	static const struct words known = { "decode-pids", rows, ARRAY_SIZE(rows), 1 };
	unsigned int comms = 0;
	int rc = parse_bits(&known, text, &comms, err);

	e->comms = comms;
	return rc;
}

static int find_signal(const char *word, uint64_t *nr, struct tfs_err *err)
{
	const char *name = strncasecmp(word, "SIG", 3) ? word : word + 3;

	if (isdigit((unsigned char)*word))
		return tfs_parse_u64(word, 1, SIGNALS_MAX, nr, err);
	for (size_t i = 0; i < sys_set_signal.n_one; i++)
		if (!strcasecmp(sys_set_signal.one[i].name + 3, name)) {
			*nr = sys_set_signal.one[i].value;
			return 0;
		}
	return tfs_err_say(err, -ENOENT, "'%s' is not a signal", word);
}

static int parse_signal(struct tfs_expr *e, const char *text, struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	uint64_t mask = 0, nr = 1;
	bool inverted;
	int rc = tfs_strvec_split(&words, skip_inversions(text, &inverted), ",");

	if (!rc && !words.n)
		rc = tfs_err_say(err, -EINVAL, "signal= needs the name of a signal");
	for (size_t i = 0; !rc && i < words.n; i++) {
		if (!strcmp(words.v[i], "all")) {
			mask = UINT64_MAX;
		} else if (strcmp(words.v[i], "none")) {
			rc = find_signal(words.v[i], &nr, err);
			if (!rc)
				mask |= (uint64_t)1 << (nr - 1);
		}
	}
	if (!rc)
		e->signals = inverted ? ~mask : mask;
	tfs_strvec_release(&words);
	return rc;
}

static int add_fd(struct tfs_expr *e, const char *word, struct tfs_err *err)
{
	uint64_t fd;
	int rc = tfs_parse_u64(word, 0, INT_MAX, &fd, err);

	if (rc)
		return tfs_err_prefix(err, "'%s' is not a descriptor", word);
	if (tfs_grow_one(&e->fds, e->n_fds))
		return -ENOMEM;
	e->fds[e->n_fds++] = (int)fd;
	return 0;
}

static int parse_fd(struct tfs_expr *e, const char *text, struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	int rc;

	free(e->fds);
	e->fds = NULL;
	e->n_fds = 0;
	rc = tfs_strvec_split(&words, skip_inversions(text, &e->fds_inverted), ",");
	if (!rc && !words.n)
		rc = tfs_err_say(err, -EINVAL, "fd= needs a descriptor");
	for (size_t i = 0; !rc && i < words.n; i++) {
		if (!strcmp(words.v[i], "all"))
			e->fds_inverted = !e->fds_inverted;
		else if (strcmp(words.v[i], "none"))
			rc = add_fd(e, words.v[i], err);
	}
	tfs_strvec_release(&words);
	return rc;
}

static int parse_event(struct tfs_expr *e, const char *text, struct tfs_err *err)
{
	if (*text == '!')
		return tfs_err_say(err, -EINVAL, "'%s': events cannot be left out by '!'", text);
	return tfs_strvec_push(&e->events, text);
}

/* abbrev=SET names what is abbreviated; kept is what is not. */
static int parse_abbrev(struct tfs_expr *e, const char *text, struct tfs_err *err)
{
	struct tfs_strbuf inverted = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&inverted, "!%s", text);

	if (!rc)
		rc = tfs_call_set_parse(&e->unabbreviated, e->abi, inverted.s, err);
	tfs_strbuf_release(&inverted);
	return rc;
}

static int refuse(const char *kind, const char *text, struct tfs_err *err)
{
	tfs_err_say(err, -EOPNOTSUPP, "%s= is not possible: tracefs only looks on", kind);
	tfs_err_hint(err, "strace can do it: strace -e %s=%s", kind, text);
	return -EOPNOTSUPP;
}

struct kind_name {
	const char *name;
	enum tfs_expr_kind kind;
};

static enum tfs_expr_kind find_kind(const char *name, size_t len)
{
	static const struct kind_name kinds[] = {
		{ "trace", TFS_EXPR_TRACE },
		{ "t", TFS_EXPR_TRACE },
		{ "status", TFS_EXPR_STATUS },
		{ "signal", TFS_EXPR_SIGNAL },
		{ "signals", TFS_EXPR_SIGNAL },
		{ "s", TFS_EXPR_SIGNAL },
		{ "fd", TFS_EXPR_FD },
		{ "fds", TFS_EXPR_FD },
		{ "trace-fd", TFS_EXPR_FD },
		{ "trace-fds", TFS_EXPR_FD },
		{ "quiet", TFS_EXPR_QUIET },
		{ "silent", TFS_EXPR_QUIET },
		{ "silence", TFS_EXPR_QUIET },
		{ "q", TFS_EXPR_QUIET },
		{ "abbrev", TFS_EXPR_ABBREV },
		{ "a", TFS_EXPR_ABBREV },
		{ "verbose", TFS_EXPR_VERBOSE },
		{ "v", TFS_EXPR_VERBOSE },
		{ "raw", TFS_EXPR_RAW },
		{ "x", TFS_EXPR_RAW },
		{ "decode-fds", TFS_EXPR_DECODE_FD },
		{ "decode-fd", TFS_EXPR_DECODE_FD },
		{ "decode-pids", TFS_EXPR_DECODE_PID },
		{ "decode-pid", TFS_EXPR_DECODE_PID },
		{ "event", TFS_EXPR_EVENT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].name) == len && !strncmp(kinds[i].name, name, len))
			return kinds[i].kind;
	return TFS_EXPR_N;
}

static int unknown_kind(const char *text, size_t len, struct tfs_err *err)
{
	static const char *const impossible[] = {
		"inject", "fault", "read", "reads", "r", "write", "writes", "w", "kvm", "namespace"
	};

	for (size_t i = 0; i < ARRAY_SIZE(impossible); i++)
		if (strlen(impossible[i]) == len && !strncmp(impossible[i], text, len))
			return refuse(impossible[i], text + len + 1, err);
	tfs_err_say(err, -EINVAL, "'%.*s=' is not known", (int)len, text);
	tfs_err_hint(err, "expressions are trace=, status=, signal=, fd=, quiet=, raw=, abbrev=, "
			  "verbose=, decode-fds=, decode-pids=, and SYSTEM:EVENT");
	tfs_err_input(err, text, 0);
	return -EINVAL;
}

static int parse_kind(struct tfs_expr *e, enum tfs_expr_kind kind, const char *text,
		      struct tfs_err *err)
{
	/* verbose= is about structures, which tracefs does not have: only checked. */
	struct tfs_call_set ignored;
	int rc;

	switch (kind) {
	case TFS_EXPR_TRACE:
		return tfs_call_set_parse(&e->calls, e->abi, text, err);
	case TFS_EXPR_STATUS:
		return parse_status(e, text, err);
	case TFS_EXPR_SIGNAL:
		return parse_signal(e, text, err);
	case TFS_EXPR_FD:
		return parse_fd(e, text, err);
	case TFS_EXPR_QUIET:
		return parse_quiet(e, text, err);
	case TFS_EXPR_ABBREV:
		return parse_abbrev(e, text, err);
	case TFS_EXPR_VERBOSE:
		rc = tfs_call_set_init(&ignored, false);
		if (!rc)
			rc = tfs_call_set_parse(&ignored, e->abi, text, err);
		tfs_call_set_release(&ignored);
		return rc;
	case TFS_EXPR_RAW:
		return tfs_call_set_parse(&e->raw, e->abi, text, err);
	case TFS_EXPR_DECODE_FD:
		return parse_decode_fds(e, text, err);
	case TFS_EXPR_DECODE_PID:
		return parse_decode_pids(e, text, err);
	case TFS_EXPR_EVENT:
		return parse_event(e, text, err);
	case TFS_EXPR_N:
		break;
	}
	return -EINVAL;
}

int tfs_expr_add(struct tfs_expr *e, const char *text, struct tfs_err *err)
{
	const char *value = strchr(text, '=');
	enum tfs_expr_kind kind = TFS_EXPR_TRACE;
	int rc;

	/* A regular expression may have both. */
	if (*text == '/' || (*text == '!' && text[1] == '/')) {
		value = text;
	} else if (value) {
		kind = find_kind(text, (size_t)(value - text));
		if (kind == TFS_EXPR_N)
			return unknown_kind(text, (size_t)(value - text), err);
		value++;
	} else {
		value = text;
		if (strchr(text, ':'))
			kind = TFS_EXPR_EVENT;
	}
	rc = parse_kind(e, kind, value, err);
	if (!rc)
		e->given |= 1u << kind;
	return rc;
}

static bool has_call(const struct tfs_call_set *set, const struct tfs_call *call)
{
	/* strace's name for those of an ABI without a table, too */
	if (call->abi < 0 || call->abi >= SYS_N_ABIS || !call->entry)
		return set->others;
	return set->has[call->abi][call->entry - sys_tables[call->abi].entries];
}

bool tfs_expr_wants_call(const struct tfs_expr *e, const struct tfs_call *call)
{
	return has_call(&e->calls, call);
}

bool tfs_expr_wants_raw(const struct tfs_expr *e, const struct tfs_call *call)
{
	return has_call(&e->raw, call);
}

enum tfs_expr_status tfs_expr_status(const struct tfs_call *call)
{
	if (!(call->flags & TFS_CALL_NO_EXIT))
		return tfs_call_failed(call) ? TFS_EXPR_FAILED : TFS_EXPR_SUCCESSFUL;
	if (call->flags & TFS_CALL_DEAD)
		return TFS_EXPR_UNFINISHED;
	return call->flags & TFS_CALL_CUT ? TFS_EXPR_UNAVAILABLE : TFS_EXPR_DETACHED;
}

bool tfs_expr_wants_signal(const struct tfs_expr *e, int sig)
{
	return sig < 1 || sig > SIGNALS_MAX || e->signals >> (sig - 1) & 1;
}

bool tfs_expr_has_targets(const struct tfs_expr *e)
{
	return e->given & 1u << TFS_EXPR_FD || e->paths.n;
}

static bool wants_fd(const struct tfs_expr *e, int fd)
{
	bool listed = false;

	if (!(e->given & 1u << TFS_EXPR_FD) || fd < 0)
		return false;
	for (size_t i = 0; i < e->n_fds; i++)
		listed |= e->fds[i] == fd;
	return listed != e->fds_inverted;
}

static bool wants_text(const struct tfs_expr *e, const struct tfs_call_text *text)
{
	for (size_t i = 0; text->s && i < e->paths.n; i++)
		if (strlen(e->paths.v[i]) == text->len &&
		    !memcmp(e->paths.v[i], text->s, text->len))
			return true;
	return false;
}

bool tfs_expr_wants_target(const struct tfs_expr *e, const struct tfs_call *call,
			   const char *(*path_of)(void *ctx, const struct tfs_call *call, int fd),
			   void *ctx)
{
	const struct sys_proto *proto = call->entry ? call->entry->proto : NULL;
	const char *path;

	if (!tfs_expr_has_targets(e))
		return true;
	if (call->flags & TFS_CALL_NO_ENTRY)
		return false;
	for (unsigned int i = 0; proto && i < proto->n_args && i < TFS_CALL_ARGS; i++) {
		const int fd = (int)call->args[i];

		if (tfs_call_path_arg(call->entry, i) && wants_text(e, &call->text[i]))
			return true;
		if (proto->args[i].kind != SYS_FD && proto->args[i].kind != SYS_AT)
			continue;
		if (wants_fd(e, fd))
			return true;
		path = e->paths.n && path_of ? path_of(ctx, call, fd) : NULL;
		if (path && tfs_strvec_has(&e->paths, path))
			return true;
	}
	return false;
}

/* Numbers that pass: of the ABI itself, and of those whose numbers come by the same events */
static bool passes(const struct tfs_expr *e, const struct tfs_call_set *also, enum sys_abi abi,
		   int64_t nr)
{
	return tfs_call_set_has(&e->calls, abi, nr) || (also && tfs_call_set_has(also, abi, nr));
}

static int64_t last_number(enum sys_abi abi)
{
	const struct sys_table *t = abi < SYS_N_ABIS ? &sys_tables[abi] : NULL;

	return t && t->n ? t->entries[t->n - 1].nr : 0;
}

/* x32's numbers carry a mark and arm's own ones are high: "others" of the filter. */
static size_t list_numbers(const struct tfs_expr *e, const struct tfs_call_set *also,
			   enum sys_abi abi, bool wanted, int64_t **out)
{
	const enum sys_abi compat = sys_abi_compat(abi);
	const int64_t last = last_number(abi) > 4095 ? 4095 : last_number(abi);
	size_t n = 0;

	*out = malloc(((size_t)last + 1) * sizeof(**out));
	for (int64_t nr = 0; *out && nr <= last; nr++) {
		bool pass = sys_abi_lookup(abi, nr) ? passes(e, also, abi, nr) : e->calls.others;

		if (compat != SYS_ABI_NONE && sys_abi_lookup(compat, nr))
			pass |= passes(e, also, compat, nr);
		if (pass == wanted)
			(*out)[n++] = nr;
	}
	return n;
}

/* The return from a signal handler has the number -1: the call restores all registers. */
static bool restores_number(enum sys_abi abi, int64_t nr)
{
	return tfs_call_is_sigreturn(sys_abi_lookup(abi, nr)) ||
	       tfs_call_is_sigreturn(sys_abi_lookup(sys_abi_compat(abi), nr));
}

int tfs_expr_kernel_filter(const struct tfs_expr *e, const struct tfs_call_set *also,
			   enum sys_abi abi, size_t max, struct tfs_strbuf *out)
{
	const bool wanted = !e->calls.others;
	const char *joint = wanted ? "||" : "&&", *op = wanted ? "==" : "!=";
	int64_t *numbers;
	bool returns = false;
	size_t n;
	int rc = 0;

	if (abi >= SYS_N_ABIS)
		return 0;
	n = list_numbers(e, also, abi, wanted, &numbers);
	if (!numbers)
		return -ENOMEM;
	for (size_t i = 0; !rc && n <= max && i < n; i++) {
		rc = tfs_strbuf_addf(out, "%sid%s%" PRId64, i ? joint : "", op, numbers[i]);
		returns |= restores_number(abi, numbers[i]);
	}
	if (!rc && wanted && returns)
		rc = tfs_strbuf_adds(out, "||id==-1");
	free(numbers);
	return rc;
}
