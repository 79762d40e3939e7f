/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "net/sender.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "record/remote.h"

/*
 * A listener in a child process, which follows a script: bytes to send, bytes that have to come.
 * It ends with status 0 when all came as written, byte for byte.
 */
enum step_kind { END, SEND, HEAR, PORT, DATA };

struct step {
	enum step_kind kind;
	const char *bytes;
	size_t size;
};

#define BYTES(kind, s)                 \
	{                              \
		kind, s, sizeof(s) - 1 \
	}
#define HELLO                                                                \
	BYTES(SEND, "tracecmd"), BYTES(HEAR, "-1V3\0"), BYTES(SEND, "V3\0"), \
		BYTES(HEAR, "766679\0\0"), BYTES(SEND, "OK"),                \
		BYTES(HEAR, "\0\0\0\34\0\0\0\1\0\0\0\14\0\0\0\1\0\0\20\0\0\0\0\1tcp\0")
#define META "\0\0\0\20\0\0\0\3\0\0\0\0head"
#define REST "\0\0\0\24\0\0\0\3\0\0\0\0\0\0\0\0tail"
#define FIN "\0\0\0\14\0\0\0\4\0\0\0\0"
#define CLOSE "\0\0\0\14\0\0\0\0\0\0\0\0"
#define NOT_SUPP "\0\0\0\14\0\0\0\5\0\0\0\0"
#define CLOSE_RESP "\0\0\0\14\0\0\0\10\0\0\0\0"

struct script {
	pid_t pid;
	uint16_t port;
};

static int listen_here(uint16_t *port)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, size) || listen(fd, 4) ||
	    getsockname(fd, (struct sockaddr *)&a, &size))
		return -1;
	*port = ntohs(a.sin_port);
	return fd;
}

static int hear(int fd, const char *wanted, size_t size)
{
	char got[256];

	for (size_t i = 0; i < size; i++)
		if (recv(fd, &got[i], 1, 0) != 1 || got[i] != wanted[i])
			return 1;
	return 0;
}

/* RINIT with the port of the data, and what follows it */
static int send_port(int fd, uint16_t port, const char *more, size_t size)
{
	unsigned char m[64] = { 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 1 };
	char digits[8];
	size_t n = 0, at = 16;

	do {
		digits[n++] = (char)('0' + port % 10);
		port /= 10;
	} while (port);
	while (n)
		m[at++] = (unsigned char)digits[--n];
	m[at++] = 0;
	memcpy(m + at, more, size);
	m[3] = (unsigned char)(at + size);
	return tfs_write_all(fd, m, m[3]);
}

/* One connection with these bytes, until its end */
static int hear_data(int server, const char *wanted, size_t size)
{
	int fd = accept(server, NULL, NULL);
	char c;
	int rc = fd < 0 || hear(fd, wanted, size) || recv(fd, &c, 1, 0) != 0;

	close(fd);
	return rc;
}

static int follow(int server, const struct step *s)
{
	uint16_t port;
	int fd = accept(server, NULL, NULL), data = listen_here(&port), rc = fd < 0 || data < 0;
	char c;

	for (; !rc && s->kind != END; s++) {
		if (s->kind == SEND)
			rc = tfs_write_all(fd, s->bytes, s->size);
		else if (s->kind == HEAR)
			rc = hear(fd, s->bytes, s->size);
		else if (s->kind == PORT)
			rc = send_port(fd, port, s->bytes, s->size);
		else
			rc = hear_data(data, s->bytes, s->size);
	}
	/* Nothing more comes but the end. */
	if (!rc)
		shutdown(fd, SHUT_WR);
	return rc || recv(fd, &c, 1, 0) > 0;
}

static struct script begin(const struct step *steps)
{
	struct script s;
	int server = listen_here(&s.port);

	assert_true(server >= 0);
	s.pid = fork();
	assert_true(s.pid >= 0);
	if (!s.pid) {
		alarm(60);
		_exit(follow(server, steps));
	}
	close(server);
	return s;
}

static void end(const struct script *s)
{
	int status;

	assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
	assert_int_equal(status, 0);
}

static struct tfs_net_host host(const struct script *s)
{
	struct tfs_net_host h = { .host = "127.0.0.1", .port = s->port };

	return h;
}

/* "head", four bytes of room, "tail" */
static struct tfs_record_head metadata(void)
{
	const struct tfs_record_head head = {
		.fd = memfd_create("metadata", MFD_CLOEXEC),
		.size = 4,
		.room = 8,
		.cpus = 1,
		.page_size = 4096,
	};

	assert_int_equal(tfs_write_all(head.fd, "head\0\0\0\0tail", 12), 0);
	return head;
}

/* A whole session. Return: of tfs_sender_finish(), with @err */
static int send_all(const struct script *s, struct tfs_err *err)
{
	const struct tfs_net_host h = host(s);
	struct tfs_sender *sender;
	const struct tfs_record_head head = metadata();
	int fd, rc;

	assert_int_equal(tfs_sender_connect(&h, &sender, err), 0);
	assert_int_equal(tfs_sender_begin(sender, &head, err), 0);
	assert_int_equal(tfs_sender_open_cpu(sender, 1, &fd, NULL), -ERANGE);
	assert_int_equal(tfs_sender_open_cpu(sender, 0, &fd, err), 0);
	assert_int_equal(tfs_sender_tick(sender, err), 0);
	assert_int_equal(tfs_write_all(fd, "pages", 5), 0);
	rc = tfs_sender_finish(sender, 12, &fd, 1, err);
	close(fd);
	tfs_sender_free(sender);
	close(head.fd);
	return rc;
}

static void speaks_as_trace_cmd_to_its_listener(void **state)
{
	static const struct step steps[] = {
		HELLO,
		{ PORT, "", 0 },
		BYTES(HEAR, META),
		BYTES(HEAR, REST),
		BYTES(HEAR, FIN),
		BYTES(HEAR, FIN),
		BYTES(SEND, NOT_SUPP),
		BYTES(DATA, "pages"),
		BYTES(HEAR, CLOSE),
		{ END, NULL, 0 },
	};
	struct script s = begin(steps);
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(send_all(&s, &err), 0);
	end(&s);
}

static void waits_for_listeners_that_confirm(void **state)
{
	static const struct step steps[] = {
		HELLO,
		BYTES(PORT, "confirms\0"),
		BYTES(HEAR, META),
		BYTES(HEAR, REST),
		BYTES(HEAR, FIN),
		BYTES(DATA, "pages"),
		BYTES(HEAR, CLOSE),
		BYTES(SEND, CLOSE_RESP),
		{ END, NULL, 0 },
	};
	struct script s = begin(steps);
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(send_all(&s, &err), 0);
	end(&s);
}

static void says_that_a_file_was_not_completed(void **state)
{
	static const struct step steps[] = {
		HELLO,
		BYTES(PORT, "confirms\0"),
		BYTES(HEAR, META),
		BYTES(HEAR, REST),
		BYTES(HEAR, FIN),
		BYTES(DATA, "pages"),
		BYTES(HEAR, CLOSE),
		{ END, NULL, 0 },
	};
	struct script s = begin(steps);
	struct tfs_err err = TFS_ERR_INIT;

	(void)state;
	assert_int_equal(send_all(&s, &err), -EIO);
	assert_non_null(strstr(err.msg, "could not complete its file"));
	end(&s);
}

static void refuses_servers_that_are_not_listeners(void **state)
{
	static const struct step greeting[] = { BYTES(SEND, "SSH-2.0-"), { END, NULL, 0 } };
	static const struct step silent[] = { { END, NULL, 0 } };
	const struct step *const both[] = { greeting, silent };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct script s = begin(both[i]);
		const struct tfs_net_host h = host(&s);
		struct tfs_err err = TFS_ERR_INIT;
		struct tfs_sender *sender;

		assert_int_equal(tfs_sender_connect(&h, &sender, &err), -EPROTO);
		assert_non_null(strstr(err.msg, "is not a trace-cmd listener"));
		end(&s);
	}
}

/* The beginning of a session that is to fail */
static void begins_badly(const struct step *steps, int wanted)
{
	struct script s = begin(steps);
	const struct tfs_net_host h = host(&s);
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_sender *sender;
	const struct tfs_record_head head = metadata();

	assert_int_equal(tfs_sender_connect(&h, &sender, &err), 0);
	assert_int_equal(tfs_sender_begin(sender, &head, &err), wanted);
	assert_true(err.msg[0]);
	tfs_sender_free(sender);
	close(head.fd);
	end(&s);
}

static void refuses_listeners_that_answer_otherwise(void **state)
{
	static const struct step version[] = { BYTES(SEND, "tracecmd"),
					       BYTES(HEAR, "-1V3\0"),
					       BYTES(SEND, "V2\0"),
					       { END, NULL, 0 } };
	static const struct step no_port[] = { HELLO,
					       BYTES(SEND, "\0\0\0\20\0\0\0\2\0\0\0\4\0\0\0\1"),
					       { END, NULL, 0 } };
	static const struct step two_ports[] = {
		HELLO, BYTES(SEND, "\0\0\0\24\0\0\0\2\0\0\0\4\0\0\0\2\0611\0\062"), { END, NULL, 0 }
	};
	static const struct step no_message[] = { HELLO,
						  BYTES(SEND, "\377\377\377\377\0\0\0\2\0\0\0\4"),
						  { END, NULL, 0 } };
	static const struct step closed[] = { HELLO, { END, NULL, 0 } };

	(void)state;
	begins_badly(version, -EPROTO);
	begins_badly(no_port, -EBADMSG);
	begins_badly(two_ports, -EBADMSG);
	begins_badly(no_message, -EPROTO);
	begins_badly(closed, -EPIPE);
}

static void notices_that_a_listener_went_away(void **state)
{
	static const struct step steps[] = {
		HELLO, { PORT, "", 0 }, BYTES(HEAR, META), { END, NULL, 0 }
	};
	struct script s = begin(steps);
	const struct tfs_net_host h = host(&s);
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_sender *sender;
	const struct tfs_record_head head = metadata();
	int rc = 0;

	(void)state;
	assert_int_equal(tfs_sender_connect(&h, &sender, &err), 0);
	assert_int_equal(tfs_sender_begin(sender, &head, &err), 0);
	for (int i = 0; i < 6000 && !rc; i++) {
		usleep(10000);
		rc = tfs_sender_tick(sender, &err);
	}
	assert_int_equal(rc, -EPIPE);
	assert_non_null(strstr(err.msg, "went away"));
	tfs_sender_free(sender);
	close(head.fd);
	end(&s);
}

static void reads_names_of_listeners(void **state)
{
	static const char *const bad[] = { "",        ":",     "x:",   ":1",     "a:b:1", "h:0",
					   "h:65536", "[::1]", "[]:1", "[::1:1", "1x",    "h:+1" };
	struct tfs_net_host h;

	(void)state;
	assert_int_equal(tfs_net_host_parse("12345", &h, NULL), 0);
	assert_string_equal(h.host, "localhost");
	assert_int_equal(h.port, 12345);
	assert_int_equal(tfs_net_host_parse("a.example:1", &h, NULL), 0);
	assert_string_equal(h.host, "a.example");
	assert_int_equal(tfs_net_host_parse("[2001:db8::1]:65535", &h, NULL), 0);
	assert_string_equal(h.host, "2001:db8::1");
	assert_int_equal(h.port, 65535);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(tfs_net_host_parse(bad[i], &h, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(speaks_as_trace_cmd_to_its_listener),
		cmocka_unit_test(waits_for_listeners_that_confirm),
		cmocka_unit_test(says_that_a_file_was_not_completed),
		cmocka_unit_test(refuses_servers_that_are_not_listeners),
		cmocka_unit_test(refuses_listeners_that_answer_otherwise),
		cmocka_unit_test(notices_that_a_listener_went_away),
		cmocka_unit_test(reads_names_of_listeners),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
