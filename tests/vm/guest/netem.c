/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netem INTERFACE DELAY JITTER - delay what an interface sends by so many microseconds
 *
 * As "tc qdisc replace dev INTERFACE root netem delay DELAY JITTER" does, which busybox cannot.
 */
#include <errno.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
	struct nlmsghdr head;
	struct tcmsg tc;
	char attributes[512];
};

static void *add(struct request *r, int type, const void *data, size_t size)
{
	struct rtattr *a = (void *)((char *)r + NLMSG_ALIGN(r->head.nlmsg_len));

	a->rta_type = (unsigned short)type;
	a->rta_len = (unsigned short)RTA_LENGTH(size);
	memcpy(RTA_DATA(a), data, size);
	r->head.nlmsg_len = NLMSG_ALIGN(r->head.nlmsg_len) + (uint32_t)RTA_ALIGN(a->rta_len);
	return a;
}

int main(int argc, char **argv)
{
	const struct tc_netem_qopt options = { .limit = 10000 };
	struct request r = {
		.head = { .nlmsg_len = NLMSG_LENGTH(sizeof(r.tc)),
			  .nlmsg_type = RTM_NEWQDISC,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE },
		.tc = { .tcm_parent = TC_H_ROOT },
	};
	int64_t delay, jitter;
	struct rtattr *outer;
	struct nlmsgerr *answer;
	char buf[1024];
	int fd;

	if (argc != 4)
		return 2;
	delay = strtoll(argv[2], NULL, 10) * 1000;
	jitter = strtoll(argv[3], NULL, 10) * 1000;
	r.tc.tcm_ifindex = (int)if_nametoindex(argv[1]);
	add(&r, TCA_KIND, "netem", sizeof("netem"));
	outer = add(&r, TCA_OPTIONS, &options, sizeof(options));
	add(&r, TCA_NETEM_LATENCY64, &delay, sizeof(delay));
	add(&r, TCA_NETEM_JITTER64, &jitter, sizeof(jitter));
	outer->rta_len = (unsigned short)((char *)&r + r.head.nlmsg_len - (char *)outer);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (fd < 0 || send(fd, &r, r.head.nlmsg_len, 0) < 0 ||
	    recv(fd, buf, sizeof(buf), 0) < (ssize_t)NLMSG_LENGTH(sizeof(*answer))) {
		perror("netem");
		return 1;
	}
	answer = NLMSG_DATA((struct nlmsghdr *)buf);
	if (answer->error)
		fprintf(stderr, "netem: %s: %s\n", argv[1], strerror(-answer->error));
	close(fd);
	return answer->error ? 1 : 0;
}
