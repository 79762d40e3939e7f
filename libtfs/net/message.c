/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "net/message.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "base/err.h"
#include "base/num.h"
#include "base/strbuf.h"

int tfs_net_message_parse(const void *data, size_t size, struct tfs_net_message *out, size_t *used,
			  struct tfs_err *err)
{
	struct tfs_cursor c;
	const void *fixed, *rest;
	uint32_t whole, command, n_fixed;

	tfs_cursor_init(&c, data, size, true);
	if (tfs_cursor_u32(&c, &whole))
		return 0;
	if (whole < TFS_NET_HEADER_SIZE || whole > TFS_NET_MESSAGE_MAX)
		return tfs_err_say(err, -EBADMSG, "a message of %" PRIu32 " bytes cannot be",
				   whole);
	if (size < whole)
		return 0;
	tfs_cursor_init(&c, data, whole, true);
	if (tfs_cursor_u32(&c, &whole) || tfs_cursor_u32(&c, &command) ||
	    tfs_cursor_u32(&c, &n_fixed) || tfs_cursor_bytes(&c, n_fixed, &fixed))
		return tfs_err_say(err, -EBADMSG, "a message has less bytes than it says");
	out->n_rest = tfs_cursor_left(&c);
	if (tfs_cursor_bytes(&c, out->n_rest, &rest))
		return tfs_err_say(err, -EBADMSG, "a message has less bytes than it says");
	out->command = command;
	out->fixed = fixed;
	out->n_fixed = n_fixed;
	out->rest = rest;
	*used = whole;
	return 1;
}

static int add_u32(struct tfs_strbuf *sb, uint32_t n)
{
	const unsigned char b[4] = { (unsigned char)(n >> 24), (unsigned char)(n >> 16),
				     (unsigned char)(n >> 8), (unsigned char)n };

	return tfs_strbuf_add(sb, b, sizeof(b));
}

/* The numbers of the fixed part, then the rest. */
static int add_message(struct tfs_strbuf *sb, uint32_t command, const uint32_t *numbers, size_t n,
		       const void *rest, size_t size)
{
	const size_t whole = TFS_NET_HEADER_SIZE + 4 * n + size;
	int rc;

	if (whole > TFS_NET_MESSAGE_MAX)
		return -EMSGSIZE;
	rc = tfs_strbuf_grow(sb, whole);
	if (!rc)
		rc = add_u32(sb, (uint32_t)whole);
	if (!rc)
		rc = add_u32(sb, command);
	if (!rc)
		rc = add_u32(sb, (uint32_t)(4 * n));
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_u32(sb, numbers[i]);
	if (!rc && size)
		rc = tfs_strbuf_add(sb, rest, size);
	return rc;
}

int tfs_net_message_add(struct tfs_strbuf *sb, enum tfs_net_command command, const void *rest,
			size_t size)
{
	return add_message(sb, command, NULL, 0, rest, size);
}

int tfs_net_tinit_check(const struct tfs_net_tinit *init, struct tfs_err *err)
{
	const uint32_t page = init->page_size;

	if (!init->cpus || init->cpus > TFS_NET_CPUS_MAX)
		return tfs_err_say(err, -ERANGE, "%" PRIu32 " CPUs: 1 to %u are possible",
				   init->cpus, TFS_NET_CPUS_MAX);
	if (page < TFS_NET_PAGE_MIN || page > TFS_NET_PAGE_MAX || (page & (page - 1)))
		return tfs_err_say(err, -ERANGE,
				   "sub-buffers of %" PRIu32 " bytes: they have a power of two, "
				   "%u to %u",
				   page, TFS_NET_PAGE_MIN, TFS_NET_PAGE_MAX);
	return 0;
}

int tfs_net_tinit_parse(const struct tfs_net_message *m, struct tfs_net_tinit *out,
			struct tfs_err *err)
{
	struct tfs_cursor c;
	const char *option;
	uint32_t options;

	*out = (struct tfs_net_tinit){ 0 };
	tfs_cursor_init(&c, m->fixed, m->n_fixed, true);
	if (m->command != TFS_NET_TINIT || tfs_cursor_u32(&c, &out->cpus) ||
	    tfs_cursor_u32(&c, &out->page_size) || tfs_cursor_u32(&c, &options))
		return tfs_err_say(err, -EBADMSG, "the client does not say what it will send");
	tfs_cursor_init(&c, m->rest, m->n_rest, true);
	for (; options; options--) {
		if (tfs_cursor_strz(&c, &option))
			return tfs_err_say(err, -EBADMSG,
					   "the client has fewer options than it says");
		if (!strcmp(option, "tcp"))
			out->tcp = true;
	}
	return tfs_net_tinit_check(out, err);
}

int tfs_net_tinit_add(struct tfs_strbuf *sb, const struct tfs_net_tinit *init)
{
	const uint32_t numbers[] = { init->cpus, init->page_size, init->tcp };

	return add_message(sb, TFS_NET_TINIT, numbers, 3, "tcp", init->tcp ? 4 : 0);
}

/* A name that can be printed, and is not longer than names are */
static void read_clock(const char *text, char *clock)
{
	const size_t key = sizeof(TFS_NET_CLOCK) - 1, len = strlen(text);

	if (strncmp(text, TFS_NET_CLOCK, key) != 0 || len - key >= TFS_CLOCK_REFERENCE_MAX)
		return;
	for (size_t i = key; i < len; i++)
		if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] >= 0x7f)
			return;
	memcpy(clock, text + key, len - key + 1);
}

int tfs_net_rinit_parse(const struct tfs_net_message *m, uint16_t *ports, uint32_t cpus,
			struct tfs_net_extras *extras, struct tfs_err *err)
{
	struct tfs_cursor c;
	const char *text;
	uint64_t port;
	uint32_t n;

	tfs_cursor_init(&c, m->fixed, m->n_fixed, true);
	if (m->command != TFS_NET_RINIT || tfs_cursor_u32(&c, &n))
		return tfs_err_say(err, -EBADMSG, "the listener does not name its ports");
	if (n != cpus)
		return tfs_err_say(err, -EBADMSG,
				   "the listener has ports for %" PRIu32 " CPUs, not %" PRIu32, n,
				   cpus);
	tfs_cursor_init(&c, m->rest, m->n_rest, true);
	for (uint32_t i = 0; i < cpus; i++) {
		if (tfs_cursor_strz(&c, &text) || tfs_parse_u64(text, 1, UINT16_MAX, &port, NULL))
			return tfs_err_say(err, -EBADMSG,
					   "the listener's port of CPU %" PRIu32 " is not a number",
					   i);
		ports[i] = (uint16_t)port;
	}
	*extras = (struct tfs_net_extras){ .confirms = false };
	extras->confirms = !tfs_cursor_strz(&c, &text) && !strcmp(text, TFS_NET_CONFIRMS);
	if (extras->confirms && !tfs_cursor_strz(&c, &text))
		read_clock(text, extras->clock);
	return 0;
}

int tfs_net_rinit_add(struct tfs_strbuf *sb, const uint16_t *ports, uint32_t cpus,
		      const char *clock)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	size_t before = 0;
	int rc = 0;

	for (uint32_t i = 0; i < cpus && !rc; i++) {
		rc = tfs_strbuf_addf(&text, "%u", ports[i]);
		if (!rc)
			rc = tfs_strbuf_addc(&text, '\0');
	}
	before = text.len;
	if (!rc)
		rc = tfs_strbuf_add(&text, TFS_NET_CONFIRMS, sizeof(TFS_NET_CONFIRMS));
	if (!rc && text.len + 4 <= TFS_NET_DATA_MAX)
		before = text.len;
	if (!rc)
		rc = tfs_strbuf_addf(&text, TFS_NET_CLOCK "%s", clock);
	if (!rc)
		rc = tfs_strbuf_addc(&text, '\0');
	if (!rc && text.len + 4 > TFS_NET_DATA_MAX)
		text.len = before;
	if (!rc)
		rc = add_message(sb, TFS_NET_RINIT, &cpus, 1, text.s, text.len);
	tfs_strbuf_release(&text);
	return rc;
}
