/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_NET_HANDSHAKE_H
#define TFS_NET_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/message.h"

struct tfs_err;
struct tfs_strbuf;

/** enum tfs_net_stage - what a listener expects of a client next */
enum tfs_net_stage {
	TFS_NET_HELLO,        /* "-1V3", or the number of CPUs in decimal: version 1 */
	TFS_NET_CONFIRMATION, /* TFS_NET_MAGIC */
	TFS_NET_PAGE_SIZE,    /* version 1: the size of a sub-buffer */
	TFS_NET_OPTIONS,      /* version 1: the number of options */
	TFS_NET_OPTION_SIZE,  /* version 1: the bytes of an option */
	TFS_NET_OPTION,       /* version 1: these */
	TFS_NET_MESSAGES,     /* done: messages follow, TINIT first */
	TFS_NET_STREAM,       /* done: version 1; @init is set, and metadata follow the ports */
};

/**
 * struct tfs_net_handshake - a listener's part of the beginning; zeroed at first
 * @stage: what is expected
 * @init: of version 1
 * @refused: a version was asked for that is not spoken, and the answer was version 3
 * @options: left to come
 * @option_size: bytes of the next one
 */
struct tfs_net_handshake {
	enum tfs_net_stage stage;
	struct tfs_net_tinit init;
	bool refused;
	uint32_t options;
	uint32_t option_size;
};

/** TFS_NET_WORD_MAX - a word of a handshake has at most so many bytes, with its NUL */
#define TFS_NET_WORD_MAX 64u
/** TFS_NET_OPTION_MAX - and an option of version 1 */
#define TFS_NET_OPTION_MAX 4096u

/**
 * tfs_net_handshake_take() - the next word of a client; pure
 * @data: what has arrived and was not used yet
 * @used: bytes of it that were used
 * @answer: appended to, to be sent
 *
 * Call until it returns 0 or the stage is TFS_NET_MESSAGES or TFS_NET_STREAM.
 * Return: 1; 0 when more bytes are needed; -EBADMSG, -ERANGE when the client cannot be served,
 * -ENOMEM.
 */
int tfs_net_handshake_take(struct tfs_net_handshake *h, const void *data, size_t size, size_t *used,
			   struct tfs_strbuf *answer, struct tfs_err *err);

#endif
