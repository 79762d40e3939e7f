/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugin_net on records built here, by the formats of a Linux 6.18 kernel in formats/: what puts a
 * value into the record puts what it must print as into the expected line.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <linux/icmp.h>
#include <linux/if_ether.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "net/names.h"
#include "plugin.h"
#include "tests/unit/plugins/record.h"

#define TEXT_MAX 4096
#define PATH_SIZE 4096

/* struct line - a record and the line it must print as */
struct line {
	struct test_record record;
	char want[TEXT_MAX];
};

static void formats_path(char *path, const char *system, const char *event)
{
	const char *src = getenv("TC_SRCDIR");

	snprintf(path, PATH_SIZE, "%s/tests/unit/plugins/formats/%s%s%s", src ? src : ".", system,
		 event ? "/" : "", event ? event : "");
}

static void machine_up(struct test_machine *m, bool big_endian)
{
	test_machine_init(m, big_endian, 8);
	assert_int_equal(TEP_PLUGIN_LOADER(m->tep), 0);
}

static void machine_down(struct test_machine *m)
{
	assert_int_equal(TEP_PLUGIN_UNLOADER(m->tep), 0);
	test_machine_release(m);
}

static void line_begin(struct line *l, struct test_machine *m, const char *system,
		       const char *event)
{
	char path[PATH_SIZE];

	if (!tep_find_event_by_name(m->tep, system, event)) {
		formats_path(path, system, event);
		test_add_format_file(m, system, path);
	}
	test_begin(&l->record, m, system, event);
	l->want[0] = '\0';
}

static void line_want(struct line *l, const char *label, const char *text)
{
	const size_t used = strlen(l->want);

	snprintf(l->want + used, sizeof(l->want) - used, "%s%s=%s", used ? " " : "", label, text);
}

static void line_named(struct line *l, const char *field, uint64_t value, const char *text)
{
	test_put(&l->record, field, 0, value);
	line_want(l, field, text);
}

#define line_macro(l, field, macro) line_named(l, field, (uint64_t)(macro), #macro)

static void line_number(struct line *l, const char *field, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	line_named(l, field, (uint64_t)value, text);
}

static void line_pointer(struct line *l, const char *field, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	line_named(l, field, value, text);
}

static void line_address(struct line *l, const char *field, const char *label, int family,
			 const char *text)
{
	unsigned char bytes[16];

	assert_int_equal(inet_pton(family, text, bytes), 1);
	test_put_bytes(&l->record, field, bytes, family == AF_INET ? 4 : 16);
	line_want(l, label, text);
}

/* A struct sockaddr_in or sockaddr_in6, its family in the byte order of the machine. */
static void line_sockaddr(struct line *l, const char *field, const char *label, int family,
			  const char *address, uint16_t port)
{
	unsigned char bytes[28] = { 0 };
	char text[128];

	bytes[l->record.machine->big_endian ? 1 : 0] = (unsigned char)family;
	bytes[2] = (unsigned char)(port >> 8);
	bytes[3] = (unsigned char)port;
	assert_int_equal(inet_pton(family, address, bytes + (family == AF_INET ? 4 : 8)), 1);
	test_put_bytes(&l->record, field, bytes, sizeof(bytes));
	snprintf(text, sizeof(text), family == AF_INET ? "%s:%u" : "[%s]:%u", address, port);
	line_want(l, label, text);
}

static void line_check(const struct line *l)
{
	char got[TEXT_MAX];

	assert_string_equal(test_print(&l->record, got, sizeof(got)), l->want);
}

static void begin_state(struct line *l, struct test_machine *m)
{
	line_begin(l, m, "sock", "inet_sock_set_state");
	line_pointer(l, "skaddr", 0xffff888104f09280);
	line_macro(l, "oldstate", TCP_SYN_SENT);
	line_macro(l, "newstate", TCP_ESTABLISHED);
	line_number(l, "sport", 43210);
	line_number(l, "dport", 443);
}

static void only_the_address_of_the_sockets_family_prints(void **state)
{
	struct test_machine m;
	struct line l;
	int big_endian;

	(void)state;
	for (big_endian = 0; big_endian < 2; big_endian++) {
		machine_up(&m, big_endian);
		begin_state(&l, &m);
		line_macro(&l, "family", AF_INET);
		line_macro(&l, "protocol", IPPROTO_TCP);
		line_address(&l, "saddr", "saddr", AF_INET, "192.0.2.1");
		line_address(&l, "daddr", "daddr", AF_INET, "198.51.100.255");
		line_check(&l);

		begin_state(&l, &m);
		line_macro(&l, "family", AF_INET6);
		line_macro(&l, "protocol", IPPROTO_MPTCP);
		/* RFC 5952: the longest run of zeros is the one left out */
		line_address(&l, "saddr_v6", "saddr", AF_INET6, "2001:db8:0:1::1");
		line_address(&l, "daddr_v6", "daddr", AF_INET6, "fe80::1");
		line_check(&l);
		machine_down(&m);
	}
}

static void socket_addresses_print_with_their_port(void **state)
{
	struct test_machine m;
	struct line l;
	int big_endian;

	(void)state;
	for (big_endian = 0; big_endian < 2; big_endian++) {
		machine_up(&m, big_endian);
		line_begin(&l, &m, "udp", "udp_fail_queue_rcv_skb");
		line_number(&l, "rc", -12);
		line_number(&l, "sport", 53);
		line_number(&l, "dport", 5353);
		line_macro(&l, "family", AF_INET);
		line_sockaddr(&l, "saddr", "src", AF_INET, "127.0.0.1", 53);
		line_sockaddr(&l, "daddr", "dest", AF_INET, "10.0.0.7", 5353);
		line_check(&l);

		line_begin(&l, &m, "tcp", "tcp_bad_csum");
		line_pointer(&l, "skbaddr", 0x10);
		line_sockaddr(&l, "saddr", "src", AF_INET6, "::1", 80);
		line_sockaddr(&l, "daddr", "dest", AF_INET6, "2001:db8::2", 65535);
		line_check(&l);
		machine_down(&m);
	}
}

static void drop_reasons_are_those_of_the_recorded_kernel(void **state)
{
	struct test_machine m;
	struct line l;

	(void)state;
	machine_up(&m, false);
	tep_register_function(m.tep, (char *)"tcp_v4_rcv", 0xffffffff81000000, NULL);
	tep_register_function(m.tep, (char *)"tcp_v4_next", 0xffffffff81001000, NULL);
	line_begin(&l, &m, "skb", "kfree_skb");
	line_pointer(&l, "skbaddr", 0xffff888000000000);
	line_named(&l, "location", 0xffffffff81000010, "tcp_v4_rcv+0x10");
	line_pointer(&l, "rx_sk", 0);
	line_named(&l, "protocol", ETH_P_IPV6, "IPv6");
	/* { 3, "NO_SOCKET" } in the format */
	line_named(&l, "reason", 3, "NO_SOCKET");
	line_check(&l);
	line_begin(&l, &m, "skb", "kfree_skb");
	line_pointer(&l, "skbaddr", 0xffff888000000000);
	line_named(&l, "location", 0xffffffff81000000, "tcp_v4_rcv");
	line_pointer(&l, "rx_sk", 0);
	line_named(&l, "protocol", 0x1234, "0x1234");
	line_number(&l, "reason", 60000);
	line_check(&l);
	machine_down(&m);
}

static void icmp_codes_are_those_of_the_type(void **state)
{
	struct test_machine m;
	struct line l;

	(void)state;
	machine_up(&m, false);
	line_begin(&l, &m, "icmp", "icmp_send");
	line_pointer(&l, "skbaddr", 0x10);
	line_macro(&l, "type", ICMP_DEST_UNREACH);
	line_macro(&l, "code", ICMP_PORT_UNREACH);
	line_address(&l, "saddr", "saddr", AF_INET, "127.0.0.1");
	line_address(&l, "daddr", "daddr", AF_INET, "127.0.0.2");
	line_number(&l, "sport", 1);
	line_number(&l, "dport", 2);
	line_number(&l, "ulen", 10);
	line_check(&l);
	line_begin(&l, &m, "icmp", "icmp_send");
	line_pointer(&l, "skbaddr", 0x10);
	line_macro(&l, "type", ICMP_TIME_EXCEEDED);
	line_macro(&l, "code", ICMP_EXC_FRAGTIME);
	line_address(&l, "saddr", "saddr", AF_INET, "127.0.0.1");
	line_address(&l, "daddr", "daddr", AF_INET, "127.0.0.2");
	line_number(&l, "sport", 0);
	line_number(&l, "dport", 0);
	line_number(&l, "ulen", 0);
	line_check(&l);
	machine_down(&m);
}

static void neighbours_print_their_hardware_address(void **state)
{
	static const unsigned char mac[] = { 0x02, 0x42, 0xac, 0x11, 0x00, 0x02 };
	struct test_machine m;
	struct line l;

	(void)state;
	machine_up(&m, false);
	line_begin(&l, &m, "neigh", "neigh_event_send_done");
	line_macro(&l, "family", AF_INET);
	test_put_string(&l.record, "dev", "eth0");
	line_want(&l, "dev", "eth0");
	test_put_bytes(&l.record, "lladdr", mac, sizeof(mac));
	test_put(&l.record, "lladdr_len", 0, sizeof(mac));
	line_want(&l, "lladdr", "02:42:ac:11:00:02");
	line_named(&l, "flags", 0x80, "0x80");
	/* { 0x02, "reachable" } in the format */
	line_named(&l, "nud_state", 2, "reachable");
	line_number(&l, "type", 1);
	line_number(&l, "dead", 0);
	line_number(&l, "refcnt", 3);
	line_address(&l, "primary_key4", "key", AF_INET, "172.17.0.2");
	line_number(&l, "confirmed", 1);
	line_number(&l, "updated", 2);
	line_number(&l, "used", 3);
	line_number(&l, "err", 0);
	line_check(&l);
	machine_down(&m);
}

static void a_protocol_is_an_ip_protocol_only_for_ip(void **state)
{
	struct test_machine m;
	struct line l;

	(void)state;
	machine_up(&m, false);
	line_begin(&l, &m, "sock", "sk_data_ready");
	line_pointer(&l, "skaddr", 0x10);
	line_macro(&l, "family", AF_NETLINK);
	line_number(&l, "protocol", 6); /* NETLINK_XFRM, not TCP */
	test_put(&l.record, "ip", 0, 0x20);
	line_want(&l, "func", "0x20");
	line_check(&l);
	machine_down(&m);
}

static void a_short_record_prints_the_fields_it_has(void **state)
{
	char got[TEXT_MAX];
	struct test_machine m;
	struct line l;

	(void)state;
	machine_up(&m, false);
	line_begin(&l, &m, "udp", "udp_fail_queue_rcv_skb");
	line_number(&l, "rc", -12);
	line_number(&l, "sport", 53);
	line_number(&l, "dport", 5353);
	line_macro(&l, "family", AF_INET);
	line_want(&l, "src", "?");
	line_want(&l, "dest", "?");
	assert_string_equal(test_print_cut(&l.record, 30, got, sizeof(got)), l.want);
	assert_string_equal(test_print_cut(&l.record, 0, got, sizeof(got)),
			    "rc=? sport=? dport=? family=? src=? dest=?");
	machine_down(&m);
}

static void check_name(const char *got, const char *want)
{
	assert_non_null(got);
	assert_string_equal(got, want);
}

#define NAME(table, macro) check_name(net_##table##_name((uint64_t)(macro)), #macro)

static void names_are_those_of_the_headers(void **state)
{
	(void)state;
	NAME(ipproto, IPPROTO_ICMP);
	NAME(ipproto, IPPROTO_IGMP);
	NAME(ipproto, IPPROTO_UDP);
	NAME(ipproto, IPPROTO_DCCP);
	NAME(ipproto, IPPROTO_GRE);
	NAME(ipproto, IPPROTO_ESP);
	NAME(ipproto, IPPROTO_AH);
	NAME(ipproto, IPPROTO_ICMPV6);
	NAME(ipproto, IPPROTO_PIM);
	NAME(ipproto, IPPROTO_SCTP);
	NAME(ipproto, IPPROTO_UDPLITE);
	NAME(ipproto, IPPROTO_MPLS);
	NAME(ipproto, IPPROTO_RAW);
	NAME(family, AF_UNIX);
	NAME(family, AF_BRIDGE);
	NAME(family, AF_PACKET);
	NAME(family, AF_CAN);
	NAME(family, AF_TIPC);
	NAME(family, AF_BLUETOOTH);
	NAME(family, AF_VSOCK);
	NAME(family, AF_XDP);
	NAME(tcp_state, TCP_SYN_RECV);
	NAME(tcp_state, TCP_FIN_WAIT1);
	NAME(tcp_state, TCP_FIN_WAIT2);
	NAME(tcp_state, TCP_TIME_WAIT);
	NAME(tcp_state, TCP_CLOSE);
	NAME(tcp_state, TCP_CLOSE_WAIT);
	NAME(tcp_state, TCP_LAST_ACK);
	NAME(tcp_state, TCP_LISTEN);
	NAME(tcp_state, TCP_CLOSING);
	NAME(cong_state, TCP_CA_Disorder);
	NAME(cong_state, TCP_CA_CWR);
	NAME(cong_state, TCP_CA_Recovery);
	NAME(cong_state, TCP_CA_Loss);
	NAME(scope, RT_SCOPE_UNIVERSE);
	NAME(scope, RT_SCOPE_LINK);
	NAME(scope, RT_SCOPE_HOST);
	NAME(scope, RT_SCOPE_NOWHERE);
	NAME(icmp_type, ICMP_ECHOREPLY);
	NAME(icmp_type, ICMP_ECHO);
	NAME(icmp_type, ICMP_REDIRECT);
	check_name(net_ethertype_name(ETH_P_IP), "IPv4");
	check_name(net_ethertype_name(ETH_P_ARP), "ARP");
	check_name(net_ethertype_name(ETH_P_8021Q), "802.1Q");
	check_name(net_ethertype_name(ETH_P_8021AD), "802.1AD");
	check_name(net_ethertype_name(ETH_P_LLDP), "LLDP");
	check_name(net_ethertype_name(ETH_P_PPP_SES), "PPPoE");
	check_name(net_ethertype_name(ETH_P_MACSEC), "MACsec");
	assert_null(net_ethertype_name(0x10800));
	assert_null(net_family_name(UINT64_MAX));
}

/* xorshift64: the same bytes in every run */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void print_random(struct test_machine *m, const char *system, const char *event,
			 uint64_t *seed)
{
	char got[TEXT_MAX];
	struct line l;
	size_t i, n;

	for (n = 0; n < 300; n++) {
		line_begin(&l, m, system, event);
		l.record.used += 16; /* room for what a __data_loc points to */
		for (i = 0; i < l.record.used; i++)
			l.record.data[i] = (unsigned char)next_random(seed);
		test_print_cut(&l.record, next_random(seed) % (l.record.used + 1), got,
			       sizeof(got));
		test_print(&l.record, got, sizeof(got));
		assert_true(strlen(got) < sizeof(got) - 1);
	}
}

static void random_records_print_something(void **state)
{
	static const char *const systems[] = { "fib", "fib6", "icmp", "neigh", "net",
					       "skb", "sock", "tcp",  "udp" };
	unsigned int n_events = 0;
	uint64_t seed = 0x5eed;
	struct test_machine m;
	struct dirent *entry;
	char path[PATH_SIZE];
	size_t i;
	DIR *dir;

	(void)state;
	machine_up(&m, false);
	for (i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		formats_path(path, systems[i], NULL);
		dir = opendir(path);
		assert_non_null(dir);
		while ((entry = readdir(dir))) {
			if (entry->d_name[0] == '.')
				continue;
			print_random(&m, systems[i], entry->d_name, &seed);
			assert_non_null(
				tep_find_event_by_name(m.tep, systems[i], entry->d_name)->handler);
			n_events++;
		}
		closedir(dir);
	}
	assert_true(n_events >= 39);
	machine_down(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_address_of_the_sockets_family_prints),
		cmocka_unit_test(socket_addresses_print_with_their_port),
		cmocka_unit_test(drop_reasons_are_those_of_the_recorded_kernel),
		cmocka_unit_test(icmp_codes_are_those_of_the_type),
		cmocka_unit_test(neighbours_print_their_hardware_address),
		cmocka_unit_test(a_protocol_is_an_ip_protocol_only_for_ip),
		cmocka_unit_test(a_short_record_prints_the_fields_it_has),
		cmocka_unit_test(names_are_those_of_the_headers),
		cmocka_unit_test(random_records_print_something),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
