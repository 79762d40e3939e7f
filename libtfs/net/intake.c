/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "net/intake.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "record/output.h"
#include "tracedat/chunks.h"
#include "tracedat/compress.h"
#include "tracedat/dat-append.h"
#include "tracedat/dat-write.h"

/* Bytes read at once; larger than the largest sub-buffer. */
#define READ_BYTES (256u << 10)
/* Most sockets that are served before the caller looks at others. */
#define EVENTS_AT_ONCE 16
/* Most reads of a socket for one event. */
#define READS_AT_ONCE 8
/* Bytes a datagram socket may hold while this process is busy; the system's limit may be less. */
#define SOCKET_BYTES (32 << 20)
/* A sub-buffer begins with u64 time and the kernel's long: bytes of data and flags. */
#define COMMIT_OFFSET 8u
#define COMMIT_MISSED 0x80u /* in the highest byte of its low 32 bits */

enum cpu_state { CPU_LISTENING, CPU_OPEN, CPU_ENDED };

struct intake_cpu {
	int fd;
	enum cpu_state state;
	int temp;
	struct tfs_chunks *chunks; /* NULL: nothing arrived */
	size_t have;               /* bytes of the next sub-buffer, which are in the chunk's room */
	uint32_t drops;            /* datagrams by the socket's count */
	bool lost;                 /* some since the last sub-buffer */
};

struct tfs_intake {
	struct tfs_intake_opts o;
	struct tfs_dat_head head;
	struct tfs_codec *codec;
	struct intake_cpu *cpus;
	uint16_t *ports;
	unsigned char *buffer;
	int epoll;
	bool connected;
	uint64_t lost, torn, refused;
};

static uint32_t count(const struct tfs_intake *in)
{
	return in->o.init.cpus;
}

static void set_options(int fd)
{
	const int one = 1, bytes = SOCKET_BYTES;

	setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &one, sizeof(one));
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

static int open_sockets(struct tfs_intake *in, struct tfs_err *err)
{
	const bool tcp = in->o.init.tcp;

	for (uint32_t i = 0; i < count(in); i++) {
		struct intake_cpu *cpu = &in->cpus[i];

		cpu->fd = tfs_net_bind(tcp ? SOCK_STREAM : SOCK_DGRAM, in->o.bind, &in->ports[i],
				       err);
		if (cpu->fd < 0)
			return cpu->fd;
		cpu->state = tcp ? CPU_LISTENING : CPU_OPEN;
		if (!tcp)
			set_options(cpu->fd);
	}
	return 0;
}

int tfs_intake_new(const struct tfs_intake_opts *opts, struct tfs_intake **out, struct tfs_err *err)
{
	struct tfs_intake *in = calloc(1, sizeof(*in));
	int rc;

	if (!in)
		return tfs_err_set(err, -ENOMEM, "cannot receive data");
	in->o = *opts;
	in->cpus = calloc(count(in), sizeof(*in->cpus));
	in->ports = calloc(count(in), sizeof(*in->ports));
	in->buffer = malloc(READ_BYTES);
	for (uint32_t i = 0; in->cpus && i < count(in); i++)
		in->cpus[i] = (struct intake_cpu){ .fd = -1, .temp = -1 };
	in->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (in->epoll < 0)
		rc = tfs_err_set(err, -errno, "cannot receive data");
	else if (!in->cpus || !in->ports || !in->buffer)
		rc = tfs_err_set(err, -ENOMEM, "cannot receive data");
	else
		rc = open_sockets(in, err);
	if (rc)
		tfs_intake_free(in);
	else
		*out = in;
	return rc;
}

void tfs_intake_free(struct tfs_intake *in)
{
	if (!in)
		return;
	for (uint32_t i = 0; in->cpus && i < count(in); i++) {
		tfs_close(&in->cpus[i].fd);
		tfs_close(&in->cpus[i].temp);
		tfs_chunks_free(in->cpus[i].chunks);
	}
	tfs_codec_free(in->codec);
	tfs_close(&in->epoll);
	free(in->cpus);
	free(in->ports);
	free(in->buffer);
	free(in);
}

void tfs_intake_unlink(struct tfs_intake *in)
{
	for (uint32_t i = 0; i < count(in); i++)
		if (in->cpus[i].temp >= 0)
			tfs_output_unlink_temp(in->o.output, "", i);
}

const uint16_t *tfs_intake_ports(const struct tfs_intake *in)
{
	return in->ports;
}

int tfs_intake_fd(const struct tfs_intake *in)
{
	return in->epoll;
}

static int watch(struct tfs_intake *in, uint32_t i)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u32 = i };

	return epoll_ctl(in->epoll, EPOLL_CTL_ADD, in->cpus[i].fd, &ev) ? -errno : 0;
}

int tfs_intake_begin(struct tfs_intake *in, const struct tfs_dat_head *head, struct tfs_err *err)
{
	int rc = tfs_codec_new(head->codec, 0, &in->codec, err);

	in->head = *head;
	if (rc)
		return rc;
	for (uint32_t i = 0; i < count(in) && !rc; i++)
		rc = watch(in, i);
	return rc ? tfs_err_set(err, rc, "cannot receive data") : 0;
}

static int begin_file(struct tfs_intake *in, uint32_t i, struct tfs_err *err)
{
	struct intake_cpu *cpu = &in->cpus[i];
	int rc = tfs_output_temp(in->o.output, "", i, &cpu->temp, err);

	if (rc)
		return rc;
	rc = tfs_chunks_new(cpu->temp, in->codec, in->o.init.page_size, &cpu->chunks);
	if (rc)
		return tfs_err_set(err, rc, "cannot receive the data of CPU %u", i);
	if (in->head.swapped)
		tfs_chunks_swap(cpu->chunks);
	return 0;
}

static void mark_loss(const struct tfs_intake *in, unsigned char *page)
{
	const unsigned int low = in->head.big_endian ? in->head.long_size - 4 : 3;

	page[COMMIT_OFFSET + low] |= COMMIT_MISSED;
}

/* A sub-buffer is whole. */
static int commit(struct tfs_intake *in, uint32_t i, struct tfs_err *err)
{
	struct intake_cpu *cpu = &in->cpus[i];
	int rc;

	if (cpu->lost)
		mark_loss(in, tfs_chunks_room(cpu->chunks));
	cpu->lost = false;
	cpu->have = 0;
	rc = tfs_chunks_commit(cpu->chunks);
	return rc ? tfs_err_set(err, rc, "cannot write the data of CPU %u", i) : 0;
}

/* Bytes of a stream: sub-buffers, one after the other */
static int add_stream(struct tfs_intake *in, uint32_t i, const unsigned char *data, size_t size,
		      struct tfs_err *err)
{
	const size_t page = in->o.init.page_size;
	struct intake_cpu *cpu = &in->cpus[i];
	int rc = cpu->chunks ? 0 : begin_file(in, i, err);
	size_t n;

	while (!rc && size) {
		n = page - cpu->have < size ? page - cpu->have : size;
		memcpy((unsigned char *)tfs_chunks_room(cpu->chunks) + cpu->have, data, n);
		cpu->have += n;
		data += n;
		size -= n;
		if (cpu->have == page)
			rc = commit(in, i, err);
	}
	return rc;
}

/* A datagram is a sub-buffer, of which the end may be missing when it has no data. */
static int add_datagram(struct tfs_intake *in, uint32_t i, size_t size, struct tfs_err *err)
{
	const size_t page = in->o.init.page_size;
	struct intake_cpu *cpu = &in->cpus[i];
	unsigned char *room;
	int rc;

	if (size < 2 * COMMIT_OFFSET || size > page) {
		in->torn += size;
		return 0;
	}
	rc = cpu->chunks ? 0 : begin_file(in, i, err);
	if (rc)
		return rc;
	room = tfs_chunks_room(cpu->chunks);
	memcpy(room, in->buffer, size);
	memset(room + size, 0, page - size);
	return commit(in, i, err);
}

static void end_cpu(struct tfs_intake *in, uint32_t i)
{
	struct intake_cpu *cpu = &in->cpus[i];

	tfs_close(&cpu->fd);
	cpu->state = CPU_ENDED;
	in->torn += cpu->have;
	cpu->have = 0;
}

/* The first connection of the client's host is the one; the port is closed for others then. */
static int accept_one(struct tfs_intake *in, uint32_t i, struct tfs_err *err)
{
	struct intake_cpu *cpu = &in->cpus[i];
	struct tfs_net_address from = { .size = sizeof(from.addr) };
	int fd = accept4(cpu->fd, (struct sockaddr *)&from.addr, &from.size,
			 SOCK_CLOEXEC | SOCK_NONBLOCK);
	int rc;

	if (fd < 0)
		return 0;
	tfs_net_address_name(&from);
	if (!tfs_net_address_same_host(&from, in->o.peer)) {
		tfs_close(&fd);
		in->refused++;
		return 0;
	}
	tfs_close(&cpu->fd);
	cpu->fd = fd;
	cpu->state = CPU_OPEN;
	in->connected = true;
	rc = watch(in, i);
	return rc ? tfs_err_set(err, rc, "cannot receive the data of CPU %u", i) : 0;
}

static int take_stream(struct tfs_intake *in, uint32_t i, bool *progress, struct tfs_err *err)
{
	ssize_t n = 1;
	int rc = 0;

	for (int turn = 0; turn < READS_AT_ONCE && n > 0 && !rc; turn++) {
		n = recv(in->cpus[i].fd, in->buffer, READ_BYTES, 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		*progress = true;
		if (n <= 0)
			end_cpu(in, i);
		else
			rc = add_stream(in, i, in->buffer, (size_t)n, err);
	}
	return rc;
}

/* The socket's count of datagrams that it had no room for */
static void count_drops(struct tfs_intake *in, struct intake_cpu *cpu, uint32_t drops)
{
	in->lost += drops - cpu->drops;
	cpu->lost = cpu->lost || drops != cpu->drops;
	cpu->drops = drops;
}

static void see_drops(struct tfs_intake *in, struct intake_cpu *cpu, struct msghdr *m)
{
	uint32_t drops;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_RXQ_OVFL)
			continue;
		memcpy(&drops, CMSG_DATA(c), sizeof(drops));
		count_drops(in, cpu, drops);
	}
}

static int take_datagrams(struct tfs_intake *in, uint32_t i, bool *progress, struct tfs_err *err)
{
	struct intake_cpu *cpu = &in->cpus[i];
	int rc = 0;

	for (int turn = 0; turn < 64 * READS_AT_ONCE && !rc; turn++) {
		struct tfs_net_address from = { .size = sizeof(from.addr) };
		_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(uint32_t))];
		struct iovec v = { .iov_base = in->buffer, .iov_len = READ_BYTES };
		struct msghdr m = {
			.msg_name = &from.addr,
			.msg_namelen = from.size,
			.msg_iov = &v,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		ssize_t n = recvmsg(cpu->fd, &m, 0);

		if (n < 0)
			return 0;
		from.size = m.msg_namelen;
		tfs_net_address_name(&from);
		if (!tfs_net_address_same_host(&from, in->o.peer)) {
			in->refused++;
			continue;
		}
		see_drops(in, cpu, &m);
		*progress = true;
		rc = add_datagram(in, i, (size_t)n, err);
	}
	return rc;
}

int tfs_intake_take(struct tfs_intake *in, bool *progress, struct tfs_err *err)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	int n = epoll_wait(in->epoll, events, EVENTS_AT_ONCE, 0), rc = 0;

	*progress = false;
	for (int k = 0; k < n && !rc; k++) {
		const uint32_t i = events[k].data.u32;

		if (in->cpus[i].state == CPU_LISTENING)
			rc = accept_one(in, i, err);
		else if (!in->o.init.tcp)
			rc = take_datagrams(in, i, progress, err);
		else if (in->cpus[i].state == CPU_OPEN)
			rc = take_stream(in, i, progress, err);
	}
	return rc;
}

bool tfs_intake_connected(const struct tfs_intake *in)
{
	return in->connected || !in->o.init.tcp;
}

enum tfs_intake_state tfs_intake_state(const struct tfs_intake *in)
{
	enum tfs_intake_state state = TFS_INTAKE_ENDED;

	for (uint32_t i = 0; i < count(in); i++) {
		if (in->cpus[i].state == CPU_OPEN)
			return TFS_INTAKE_OPEN;
		if (in->cpus[i].state == CPU_LISTENING)
			state = TFS_INTAKE_UNUSED;
	}
	return state;
}

void tfs_intake_totals(const struct tfs_intake *in, struct tfs_intake_totals *out)
{
	*out = (struct tfs_intake_totals){
		.lost = in->lost,
		.torn = in->torn,
		.refused = in->refused,
	};
	for (uint32_t i = 0; i < count(in); i++) {
		const struct intake_cpu *cpu = &in->cpus[i];

		out->torn += cpu->have;
		if (!cpu->chunks)
			continue;
		out->raw_bytes += tfs_chunks_raw_bytes(cpu->chunks);
		out->file_bytes += tfs_chunks_bytes(cpu->chunks);
		out->cpus++;
	}
}

/* Those after the last datagram */
static void count_last_drops(struct tfs_intake *in)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t size;

	for (uint32_t i = 0; i < count(in) && !in->o.init.tcp; i++) {
		size = sizeof(info);
		if (in->cpus[i].fd >= 0 &&
		    !getsockopt(in->cpus[i].fd, SOL_SOCKET, SO_MEMINFO, info, &size) &&
		    size > SK_MEMINFO_DROPS * sizeof(info[0]))
			count_drops(in, &in->cpus[i], info[SK_MEMINFO_DROPS]);
	}
}

int tfs_intake_finish(struct tfs_intake *in, bool add_cpu_count, uint64_t trace_id,
		      struct tfs_err *err)
{
	struct tfs_dat_append_opts o = {
		.page_size = in->o.init.page_size,
		.n_cpus = count(in),
		.add_cpu_count = add_cpu_count,
		.trace_id = trace_id,
	};
	struct tfs_dat_writer_cpu *cpus = calloc(count(in), sizeof(*cpus));
	int rc = 0;

	if (!cpus)
		return tfs_err_set(err, -ENOMEM, "cannot complete '%s'", in->o.output->path);
	count_last_drops(in);
	for (uint32_t i = 0; i < count(in); i++) {
		struct intake_cpu *cpu = &in->cpus[i];
		int flushed = cpu->chunks ? tfs_chunks_flush(cpu->chunks) : 0;

		/* The data from before a disk was full are as good as ever. */
		if (flushed && !rc)
			rc = tfs_err_set(err, flushed, "cannot write the data of CPU %u", i);
		if (!cpu->chunks || !tfs_chunks_bytes(cpu->chunks))
			continue;
		cpus[o.n_data++] = (struct tfs_dat_writer_cpu){
			.cpu = i,
			.fd = cpu->temp,
			.bytes = tfs_chunks_bytes(cpu->chunks),
			.chunks = tfs_chunks_count(cpu->chunks),
			.consume = true,
		};
	}
	o.cpus = cpus;
	if (rc)
		tfs_dat_append(in->o.output->fd, in->o.output->path, &o, NULL);
	else
		rc = tfs_dat_append(in->o.output->fd, in->o.output->path, &o, err);
	free(cpus);
	return rc;
}
