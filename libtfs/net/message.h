/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_NET_MESSAGE_H
#define TFS_NET_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/round-trip.h"

struct tfs_err;
struct tfs_strbuf;

/*
 * Messages of trace-cmd's protocol, version 3: a header of three big-endian u32 (size of the whole
 * message, command, size of the fixed part), the fixed part, and a variable part. Pure functions;
 * any thread.
 */

/** TFS_NET_GREETING - a listener's first bytes; they have no NUL */
#define TFS_NET_GREETING "tracecmd"
#define TFS_NET_GREETING_SIZE 8u
/** TFS_NET_VERSION - asks for version 3; sent with its NUL */
#define TFS_NET_VERSION "-1V3"
/** TFS_NET_SPEAKS - the answer; sent with its NUL */
#define TFS_NET_SPEAKS "V3"
/** TFS_NET_MAGIC - confirms version 3; the string has a NUL of its own besides the literal's */
#define TFS_NET_MAGIC "766679\0"
/** TFS_NET_READY - the answer to it; sent without a NUL */
#define TFS_NET_READY "OK"
/** TFS_NET_CLOCK - then, before the name of its clock: it answers TFS_NET_ASK_CLOCK */
#define TFS_NET_CLOCK "clock="
/** TFS_NET_CONFIRMS - after the ports of RINIT: the listener answers CLOSE with CLOSE_RESP */
#define TFS_NET_CONFIRMS "confirms"

#define TFS_NET_HEADER_SIZE 12u
/** TFS_NET_MESSAGE_MAX - no message is larger, header included */
#define TFS_NET_MESSAGE_MAX 8192u
#define TFS_NET_DATA_MAX (TFS_NET_MESSAGE_MAX - TFS_NET_HEADER_SIZE)

/** enum tfs_net_command - what a message is */
enum tfs_net_command {
	TFS_NET_CLOSE = 0,
	TFS_NET_TINIT = 1,
	TFS_NET_RINIT = 2,
	TFS_NET_SEND_DATA = 3,
	TFS_NET_FIN_DATA = 4,
	TFS_NET_NOT_SUPP = 5,
	TFS_NET_CLOSE_RESP = 8,
	/* Ours: a line of clock/round-trip.h, and the answer. trace-cmd's end at 11. */
	TFS_NET_ASK_CLOCK = 1000,
};

/** struct tfs_net_message - a message in a buffer, which is borrowed */
struct tfs_net_message {
	uint32_t command;
	const unsigned char *fixed;
	size_t n_fixed;
	const unsigned char *rest;
	size_t n_rest;
};

/**
 * tfs_net_message_parse() - the message at the beginning of a buffer
 * @used: its size
 *
 * Return: 1; 0 when the buffer has only a part of it; -EBADMSG when it cannot be a message.
 */
int tfs_net_message_parse(const void *data, size_t size, struct tfs_net_message *out, size_t *used,
			  struct tfs_err *err);
/** tfs_net_message_add() - append a message with a variable part only; 0, -EMSGSIZE, -ENOMEM */
int tfs_net_message_add(struct tfs_strbuf *sb, enum tfs_net_command command, const void *rest,
			size_t size);

/**
 * struct tfs_net_tinit - what a client says about itself
 * @cpus: as many connections are to follow
 * @page_size: size of a sub-buffer
 * @tcp: they are streams, not datagrams
 */
struct tfs_net_tinit {
	uint32_t cpus;
	uint32_t page_size;
	bool tcp;
};

#define TFS_NET_CPUS_MAX 4096u
#define TFS_NET_PAGE_MAX 65536u
/** TFS_NET_PAGE_MIN - no kernel has a smaller sub-buffer */
#define TFS_NET_PAGE_MIN 1024u

/** tfs_net_tinit_check() - are the numbers such as a kernel can have? 0 or -ERANGE */
int tfs_net_tinit_check(const struct tfs_net_tinit *init, struct tfs_err *err);
/**
 * tfs_net_tinit_parse() - a TINIT message; options that are not known are skipped
 * Return: 0; -EBADMSG; -ERANGE for numbers beyond the limits.
 */
int tfs_net_tinit_parse(const struct tfs_net_message *m, struct tfs_net_tinit *out,
			struct tfs_err *err);
/** tfs_net_tinit_add() - append a TINIT message; 0 or -ENOMEM */
int tfs_net_tinit_add(struct tfs_strbuf *sb, const struct tfs_net_tinit *init);

/**
 * struct tfs_net_extras - of a listener that is tc-listen
 * @confirms: it answers CLOSE
 * @clock: name of its clock, for which it can be asked; "": it cannot
 */
struct tfs_net_extras {
	bool confirms;
	char clock[TFS_CLOCK_REFERENCE_MAX];
};

/**
 * tfs_net_rinit_parse() - a RINIT message
 * @ports: room for @cpus ports, of which there must be that many
 *
 * Return: 0 or -EBADMSG.
 */
int tfs_net_rinit_parse(const struct tfs_net_message *m, uint16_t *ports, uint32_t cpus,
			struct tfs_net_extras *extras, struct tfs_err *err);
/**
 * tfs_net_rinit_add() - append a RINIT message, with TFS_NET_CONFIRMS where there is room
 * @clock: name of this machine's clock
 * Return: 0; -EMSGSIZE for more ports than fit into a message (1,300 to 1,600); -ENOMEM.
 */
int tfs_net_rinit_add(struct tfs_strbuf *sb, const uint16_t *ports, uint32_t cpus,
		      const char *clock);

#endif
