/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "net/listener.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "tracedat/dat-append.h"

#define HELLO "-1V3\0"
#define MAGIC "766679\0\0"
#define TINIT "\0\0\0\34\0\0\0\1\0\0\0\14\0\0\0\1\0\0\20\0\0\0\0\1tcp\0"
#define HEAD                                                   \
	"\0\0\0\54\0\0\0\3\0\0\0\0"                            \
	"\27\10\104tracing7\0\0\10\0\20\0\0none\0\0\0\0\0\0\0" \
	"\0\0\0"
#define FIN "\0\0\0\14\0\0\0\4\0\0\0\0"
#define CLOSE "\0\0\0\14\0\0\0\0\0\0\0\0"
#define CLOSE_RESP "\0\0\0\14\0\0\0\10\0\0\0\0"

/*
 * A listener in a thread of its own. The completion of the first file stands still in
 * tfs_dat_append() until the test lets it go on.
 * @no_threads: there are none for the listener
 * @appends: calls of it
 * @in_loop: one was in the thread that serves clients
 * @held: the first is there
 * @returned: tfs_listener_run() has
 * @wrote: the ports of these messages, in their order
 */
struct world {
	char dir[32];
	struct tfs_listener *listener;
	pthread_t loop;
	int stop;
	bool no_threads;
	pthread_mutex_t lock;
	unsigned int appends;
	bool in_loop;
	sem_t held, go_on, returned;
	uint16_t wrote[4];
	size_t n_wrote;
};

static struct world *world;

int __wrap_tfs_dat_append(int fd, const char *name, const struct tfs_dat_append_opts *opts,
			  struct tfs_err *err);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
			  void *arg)
{
	if (world->no_threads && arg != world)
		return EAGAIN;
	return __real_pthread_create(thread, attr, run, arg);
}

int __wrap_tfs_dat_append(int fd, const char *name, const struct tfs_dat_append_opts *opts,
			  struct tfs_err *err)
{
	bool first;

	(void)fd;
	(void)name;
	(void)opts;
	(void)err;
	pthread_mutex_lock(&world->lock);
	first = !world->appends++;
	world->in_loop |= pthread_equal(pthread_self(), world->loop) != 0;
	pthread_mutex_unlock(&world->lock);
	if (!first)
		return 0;
	sem_post(&world->held);
	if (!world->no_threads)
		sem_wait(&world->go_on);
	return 0;
}

static void hear(void *context, const struct tfs_net_address *who, const char *what,
		 const struct tfs_err *err)
{
	struct world *w = context;

	(void)err;
	if (!strncmp(what, "wrote ", 6) && w->n_wrote < 4)
		w->wrote[w->n_wrote++] = who->port;
}

static void *loop_main(void *arg)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct world *w = arg;

	tfs_listener_run(w->listener, w->stop, &err);
	sem_post(&w->returned);
	tfs_listener_free(w->listener);
	return NULL;
}

static int begin(void **state, bool no_threads)
{
	struct world *w = calloc(1, sizeof(*w));
	struct tfs_listener_opts o = {
		.client = {
			.name = "t",
			.bind = "127.0.0.1",
			.timeout_ms = 600000,
			.say = hear,
			.context = w,
		},
		.max_clients = 1,
	};
	struct tfs_err err = TFS_ERR_INIT;

	if (!w)
		return -1;
	snprintf(w->dir, sizeof(w->dir), "/tmp/listener.XXXXXX");
	if (!mkdtemp(w->dir))
		return -1;
	o.client.dir = w->dir;
	w->stop = eventfd(0, EFD_CLOEXEC);
	pthread_mutex_init(&w->lock, NULL);
	sem_init(&w->held, 0, 0);
	sem_init(&w->go_on, 0, 0);
	sem_init(&w->returned, 0, 0);
	w->no_threads = no_threads;
	world = w;
	*state = w;
	if (tfs_listener_new(&o, &w->listener, &err))
		return -1;
	return pthread_create(&w->loop, NULL, loop_main, w);
}

static int set_up(void **state)
{
	return begin(state, false);
}

static int set_up_without_threads(void **state)
{
	return begin(state, true);
}

static int tear_down(void **state)
{
	struct world *w = *state;
	DIR *dir = opendir(w->dir);
	struct dirent *e;
	int rc;

	tfs_close(&w->stop);
	while (dir && (e = readdir(dir)))
		unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	rc = rmdir(w->dir);
	free(w);
	return rc;
}

static void stop(const struct world *w)
{
	const uint64_t one = 1;

	assert_int_equal(write(w->stop, &one, sizeof(one)), sizeof(one));
}

static int connect_to(uint16_t port)
{
	const struct sockaddr_in a = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static uint16_t port_of(int fd)
{
	struct sockaddr_in a = { .sin_port = 0 };
	socklen_t size = sizeof(a);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	return ntohs(a.sin_port);
}

#define say(fd, bytes) \
	assert_int_equal(send(fd, bytes, sizeof(bytes) - 1, MSG_NOSIGNAL), sizeof(bytes) - 1)

static void expect(int fd, const char *bytes, size_t size)
{
	char got[64];

	assert_int_equal(recv(fd, got, size, MSG_WAITALL), size);
	assert_memory_equal(got, bytes, size);
}

/* A client that records a sub-buffer and ends. Return: its connection, for the answer */
static int record(uint16_t port)
{
	int fd = connect_to(port), data;
	unsigned char size[4];
	char message[4096] = "";

	say(fd, HELLO);
	say(fd, MAGIC);
	say(fd, TINIT);
	expect(fd, "tracecmdV3\0OK", 13);
	expect(fd, "\0\0", 2);
	assert_int_equal(recv(fd, size + 2, 2, MSG_WAITALL), 2);
	expect(fd, "\0\0\0\2", 4);
	assert_int_equal(recv(fd, message, (size_t)size[2] * 256 + size[3] - 8, MSG_WAITALL),
			 (size_t)size[2] * 256 + size[3] - 8);
	data = connect_to((uint16_t)strtoul(message + 8, NULL, 10));
	say(fd, HEAD);
	memset(message, 0, sizeof(message));
	assert_int_equal(send(data, message, sizeof(message), MSG_NOSIGNAL), sizeof(message));
	tfs_close(&data);
	say(fd, FIN);
	say(fd, CLOSE);
	return fd;
}

/* One place: the second client gets it when the first one's file is still to be completed. */
static void test_a_file_that_takes_long_holds_up_nobody(void **state)
{
	struct world *w = *state;
	const uint16_t port = tfs_listener_port(w->listener);
	int first = record(port), second;
	uint16_t first_port = port_of(first), second_port;

	sem_wait(&w->held);
	pthread_mutex_lock(&w->lock);
	/* It would stand still for ever. */
	if (w->in_loop)
		sem_post(&w->go_on);
	pthread_mutex_unlock(&w->lock);
	second = record(port);
	second_port = port_of(second);
	expect(second, CLOSE_RESP, 12);
	sem_post(&w->go_on);
	expect(first, CLOSE_RESP, 12);
	stop(w);
	pthread_join(w->loop, NULL);
	tfs_close(&first);
	tfs_close(&second);
	assert_false(w->in_loop);
	assert_int_equal(w->n_wrote, 2);
	assert_int_equal(w->wrote[0], second_port);
	assert_int_equal(w->wrote[1], first_port);
}

static void test_the_end_waits_for_files_that_are_being_completed(void **state)
{
	struct world *w = *state;
	int fd = record(tfs_listener_port(w->listener));

	sem_wait(&w->held);
	assert_false(w->in_loop);
	stop(w);
	sem_wait(&w->returned);
	sem_post(&w->go_on);
	pthread_join(w->loop, NULL);
	expect(fd, CLOSE_RESP, 12);
	tfs_close(&fd);
	assert_int_equal(w->n_wrote, 1);
}

static void test_a_file_is_completed_without_threads(void **state)
{
	struct world *w = *state;
	int fd = record(tfs_listener_port(w->listener));

	expect(fd, CLOSE_RESP, 12);
	stop(w);
	pthread_join(w->loop, NULL);
	tfs_close(&fd);
	assert_true(w->in_loop);
	assert_int_equal(w->n_wrote, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_file_that_takes_long_holds_up_nobody, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			test_the_end_waits_for_files_that_are_being_completed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_file_is_completed_without_threads,
						set_up_without_threads, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
