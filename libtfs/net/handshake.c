/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "net/handshake.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/num.h"
#include "base/strbuf-core.h"

#define MAX_OPTIONS 16u

static int not_trace_cmd(struct tfs_err *err)
{
	return tfs_err_say(err, -EBADMSG, "it does not speak trace-cmd's protocol");
}

/* A word with its NUL. Return: 1; 0 when it is not complete; -EBADMSG */
static int next_word(const void *data, size_t size, const char **word, size_t *used,
		     struct tfs_err *err)
{
	struct tfs_cursor c;

	tfs_cursor_init(&c, data, size < TFS_NET_WORD_MAX ? size : TFS_NET_WORD_MAX, true);
	if (tfs_cursor_strz(&c, word))
		return size < TFS_NET_WORD_MAX ? 0 : not_trace_cmd(err);
	*used = c.off;
	return 1;
}

/* Numbers beyond @max become @max: they are refused later. */
static int number(const char *word, uint32_t max, uint32_t *out, struct tfs_err *err)
{
	uint64_t n;

	if (tfs_parse_u64(word, 0, UINT64_MAX, &n, NULL) || !*word)
		return not_trace_cmd(err);
	*out = n < max ? (uint32_t)n : max;
	return 1;
}

static int take_hello(struct tfs_net_handshake *h, const char *word, struct tfs_strbuf *answer,
		      struct tfs_err *err)
{
	int rc;

	if (strncmp(word, "-1V", 3) != 0) {
		h->stage = TFS_NET_PAGE_SIZE;
		return number(word, TFS_NET_CPUS_MAX + 1, &h->init.cpus, err);
	}
	rc = tfs_strbuf_add(answer, TFS_NET_SPEAKS, sizeof(TFS_NET_SPEAKS));
	if (rc)
		return tfs_err_set(err, rc, "cannot answer");
	if (!strcmp(word, TFS_NET_VERSION)) {
		h->stage = TFS_NET_CONFIRMATION;
		return 1;
	}
	if (h->refused)
		return tfs_err_say(err, -EBADMSG,
				   "it asks twice for a version of the protocol that is not "
				   "spoken here");
	h->refused = true;
	return 1;
}

static int take_magic(struct tfs_net_handshake *h, const void *data, size_t size, size_t *used,
		      struct tfs_strbuf *answer, struct tfs_err *err)
{
	int rc;

	if (size < sizeof(TFS_NET_MAGIC))
		return 0;
	if (memcmp(data, TFS_NET_MAGIC, sizeof(TFS_NET_MAGIC)) != 0)
		return not_trace_cmd(err);
	rc = tfs_strbuf_adds(answer, TFS_NET_READY);
	if (rc)
		return tfs_err_set(err, rc, "cannot answer");
	*used = sizeof(TFS_NET_MAGIC);
	h->stage = TFS_NET_MESSAGES;
	return 1;
}

/* After the last option what is known must make sense. */
static int next_option(struct tfs_net_handshake *h, struct tfs_err *err)
{
	int rc;

	if (h->options) {
		h->stage = TFS_NET_OPTION_SIZE;
		return 1;
	}
	h->stage = TFS_NET_STREAM;
	rc = tfs_net_tinit_check(&h->init, err);
	return rc ? rc : 1;
}

static int take_number(struct tfs_net_handshake *h, const char *word, struct tfs_err *err)
{
	int rc;

	switch (h->stage) {
	case TFS_NET_PAGE_SIZE:
		h->stage = TFS_NET_OPTIONS;
		return number(word, UINT32_MAX, &h->init.page_size, err);
	case TFS_NET_OPTIONS:
		rc = number(word, MAX_OPTIONS + 1, &h->options, err);
		if (rc > 0 && h->options > MAX_OPTIONS)
			return not_trace_cmd(err);
		return rc < 0 ? rc : next_option(h, err);
	default:
		rc = number(word, TFS_NET_OPTION_MAX + 1, &h->option_size, err);
		if (rc > 0 && (!h->option_size || h->option_size > TFS_NET_OPTION_MAX))
			return not_trace_cmd(err);
		h->stage = TFS_NET_OPTION;
		return rc;
	}
}

static int take_option(struct tfs_net_handshake *h, const void *data, size_t size, size_t *used,
		       struct tfs_err *err)
{
	if (size < h->option_size)
		return 0;
	if (h->option_size != sizeof("TCP") || memcmp(data, "TCP", sizeof("TCP")) != 0)
		return tfs_err_say(err, -EBADMSG, "it has an option that is not known");
	h->init.tcp = true;
	h->options--;
	*used = h->option_size;
	return next_option(h, err);
}

int tfs_net_handshake_take(struct tfs_net_handshake *h, const void *data, size_t size, size_t *used,
			   struct tfs_strbuf *answer, struct tfs_err *err)
{
	const char *word;
	int rc;

	*used = 0;
	switch (h->stage) {
	case TFS_NET_CONFIRMATION:
		return take_magic(h, data, size, used, answer, err);
	case TFS_NET_OPTION:
		return take_option(h, data, size, used, err);
	case TFS_NET_MESSAGES:
	case TFS_NET_STREAM:
		return 0;
	default:
		rc = next_word(data, size, &word, used, err);
		if (rc <= 0)
			return rc;
		return h->stage == TFS_NET_HELLO ? take_hello(h, word, answer, err) :
						   take_number(h, word, err);
	}
}
