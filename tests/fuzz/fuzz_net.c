/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first bytes of a client of tc-listen: handshake and messages, and a listener's answer. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "net/handshake.h"
#include "net/message.h"
#include "tracedat/dat-append.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_init(const struct tfs_net_tinit *init)
{
	must(init->cpus >= 1 && init->cpus <= TFS_NET_CPUS_MAX);
	must(init->page_size >= TFS_NET_PAGE_MIN && init->page_size <= TFS_NET_PAGE_MAX);
	must(!(init->page_size & (init->page_size - 1)));
}

static void check_head(const void *data, size_t size)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_dat_head head;
	int rc = tfs_dat_head_parse(data, size, &head, &err);

	must(rc == 1 || rc == 0 || err.code == rc);
	must(rc <= 0 || head.version == 6 || head.version == 7);
	must(rc <= 0 || head.long_size == 4 || head.long_size == 8);
}

/* Messages up to the end, or to one that cannot be. */
static void take_messages(const uint8_t *data, size_t size)
{
	static uint16_t ports[TFS_NET_CPUS_MAX];
	struct tfs_net_tinit init;
	struct tfs_net_message m;
	struct tfs_net_extras extras;
	size_t used;
	int rc;

	while ((rc = tfs_net_message_parse(data, size, &m, &used, NULL)) > 0) {
		must(used >= TFS_NET_HEADER_SIZE && used <= size && used <= TFS_NET_MESSAGE_MAX);
		must(TFS_NET_HEADER_SIZE + m.n_fixed + m.n_rest == used);
		if (!tfs_net_tinit_parse(&m, &init, NULL))
			check_init(&init);
		tfs_net_rinit_parse(&m, ports, (uint32_t)(size % 5), &extras, NULL);
		check_head(m.rest, m.n_rest);
		data += used;
		size -= used;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfs_net_handshake h = { .stage = TFS_NET_HELLO };
	struct tfs_strbuf answer = TFS_STRBUF_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	size_t done = 0, used;
	int rc;

	do {
		rc = tfs_net_handshake_take(&h, data + done, size - done, &used, &answer, &err);
		must(used <= size - done);
		must(rc >= 0 || err.code == rc);
		done += used;
	} while (rc > 0);
	if (!rc && h.stage == TFS_NET_STREAM)
		check_init(&h.init);
	if (!rc && h.stage == TFS_NET_MESSAGES)
		take_messages(data + done, size - done);
	check_head(data, size);
	take_messages(data, size);
	tfs_strbuf_release(&answer);
	return 0;
}
