/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "net/names.h"

#include <stddef.h>

/* struct net_name - the name of a number; tables end with a NULL name */
struct net_name {
	uint32_t value;
	const char *name;
};

static const char *find(const struct net_name *table, uint64_t value)
{
	for (; table->name; table++)
		if (table->value == value)
			return table->name;
	return NULL;
}

static const struct net_name ethertypes[] = {
	{ 0x0001, "802.3" },   { 0x0004, "802.2" },    { 0x0800, "IPv4" },
	{ 0x0806, "ARP" },     { 0x0842, "WoL" },      { 0x22f0, "TSN" },
	{ 0x6558, "TEB" },     { 0x8035, "RARP" },     { 0x809b, "AppleTalk" },
	{ 0x80f3, "AARP" },    { 0x8100, "802.1Q" },   { 0x8137, "IPX" },
	{ 0x86dd, "IPv6" },    { 0x8808, "Pause" },    { 0x8809, "Slow" },
	{ 0x8847, "MPLS" },    { 0x8848, "MPLS-MC" },  { 0x8863, "PPPoE-Disc" },
	{ 0x8864, "PPPoE" },   { 0x888e, "EAPOL" },    { 0x88a2, "AoE" },
	{ 0x88a8, "802.1AD" }, { 0x88ca, "TIPC" },     { 0x88cc, "LLDP" },
	{ 0x88e5, "MACsec" },  { 0x88f7, "PTP" },      { 0x8902, "CFM" },
	{ 0x8906, "FCoE" },    { 0x893a, "IEEE1905" }, { 0x894f, "NSH" },
	{ 0, NULL },
};

static const struct net_name ipprotos[] = {
	{ 0, "IPPROTO_IP" },
	{ 1, "IPPROTO_ICMP" },
	{ 2, "IPPROTO_IGMP" },
	{ 4, "IPPROTO_IPIP" },
	{ 6, "IPPROTO_TCP" },
	{ 8, "IPPROTO_EGP" },
	{ 12, "IPPROTO_PUP" },
	{ 17, "IPPROTO_UDP" },
	{ 22, "IPPROTO_IDP" },
	{ 29, "IPPROTO_TP" },
	{ 33, "IPPROTO_DCCP" },
	{ 41, "IPPROTO_IPV6" },
	{ 46, "IPPROTO_RSVP" },
	{ 47, "IPPROTO_GRE" },
	{ 50, "IPPROTO_ESP" },
	{ 51, "IPPROTO_AH" },
	{ 58, "IPPROTO_ICMPV6" },
	{ 92, "IPPROTO_MTP" },
	{ 94, "IPPROTO_BEETPH" },
	{ 98, "IPPROTO_ENCAP" },
	{ 103, "IPPROTO_PIM" },
	{ 108, "IPPROTO_COMP" },
	{ 115, "IPPROTO_L2TP" },
	{ 132, "IPPROTO_SCTP" },
	{ 136, "IPPROTO_UDPLITE" },
	{ 137, "IPPROTO_MPLS" },
	{ 143, "IPPROTO_ETHERNET" },
	{ 255, "IPPROTO_RAW" },
	{ 256, "IPPROTO_SMC" },
	{ 262, "IPPROTO_MPTCP" },
	{ 0, NULL },
};

static const struct net_name families[] = {
	{ 0, "AF_UNSPEC" },      { 1, "AF_UNIX" },      { 2, "AF_INET" },     { 3, "AF_AX25" },
	{ 4, "AF_IPX" },         { 5, "AF_APPLETALK" }, { 7, "AF_BRIDGE" },   { 8, "AF_ATMPVC" },
	{ 9, "AF_X25" },         { 10, "AF_INET6" },    { 15, "AF_KEY" },     { 16, "AF_NETLINK" },
	{ 17, "AF_PACKET" },     { 21, "AF_RDS" },      { 24, "AF_PPPOX" },   { 26, "AF_LLC" },
	{ 27, "AF_IB" },         { 28, "AF_MPLS" },     { 29, "AF_CAN" },     { 30, "AF_TIPC" },
	{ 31, "AF_BLUETOOTH" },  { 32, "AF_IUCV" },     { 33, "AF_RXRPC" },   { 35, "AF_PHONET" },
	{ 36, "AF_IEEE802154" }, { 37, "AF_CAIF" },     { 38, "AF_ALG" },     { 39, "AF_NFC" },
	{ 40, "AF_VSOCK" },      { 41, "AF_KCM" },      { 42, "AF_QIPCRTR" }, { 43, "AF_SMC" },
	{ 44, "AF_XDP" },        { 45, "AF_MCTP" },     { 0, NULL },
};

static const struct net_name tcp_states[] = {
	{ 1, "TCP_ESTABLISHED" },
	{ 2, "TCP_SYN_SENT" },
	{ 3, "TCP_SYN_RECV" },
	{ 4, "TCP_FIN_WAIT1" },
	{ 5, "TCP_FIN_WAIT2" },
	{ 6, "TCP_TIME_WAIT" },
	{ 7, "TCP_CLOSE" },
	{ 8, "TCP_CLOSE_WAIT" },
	{ 9, "TCP_LAST_ACK" },
	{ 10, "TCP_LISTEN" },
	{ 11, "TCP_CLOSING" },
	{ 12, "TCP_NEW_SYN_RECV" },
	{ 0, NULL },
};

static const struct net_name cong_states[] = {
	{ 0, "TCP_CA_Open" },     { 1, "TCP_CA_Disorder" }, { 2, "TCP_CA_CWR" },
	{ 3, "TCP_CA_Recovery" }, { 4, "TCP_CA_Loss" },     { 0, NULL },
};

static const struct net_name checksums[] = {
	{ 0, "CHECKSUM_NONE" },
	{ 1, "CHECKSUM_UNNECESSARY" },
	{ 2, "CHECKSUM_COMPLETE" },
	{ 3, "CHECKSUM_PARTIAL" },
	{ 0, NULL },
};

static const struct net_name scopes[] = {
	{ 0, "RT_SCOPE_UNIVERSE" }, { 200, "RT_SCOPE_SITE" },    { 253, "RT_SCOPE_LINK" },
	{ 254, "RT_SCOPE_HOST" },   { 255, "RT_SCOPE_NOWHERE" }, { 0, NULL },
};

static const struct net_name icmp_types[] = {
	{ 0, "ICMP_ECHOREPLY" },
	{ 3, "ICMP_DEST_UNREACH" },
	{ 4, "ICMP_SOURCE_QUENCH" },
	{ 5, "ICMP_REDIRECT" },
	{ 8, "ICMP_ECHO" },
	{ 11, "ICMP_TIME_EXCEEDED" },
	{ 12, "ICMP_PARAMETERPROB" },
	{ 13, "ICMP_TIMESTAMP" },
	{ 14, "ICMP_TIMESTAMPREPLY" },
	{ 15, "ICMP_INFO_REQUEST" },
	{ 16, "ICMP_INFO_REPLY" },
	{ 17, "ICMP_ADDRESS" },
	{ 18, "ICMP_ADDRESSREPLY" },
	{ 0, NULL },
};

static const struct net_name unreach_codes[] = {
	{ 0, "ICMP_NET_UNREACH" },
	{ 1, "ICMP_HOST_UNREACH" },
	{ 2, "ICMP_PROT_UNREACH" },
	{ 3, "ICMP_PORT_UNREACH" },
	{ 4, "ICMP_FRAG_NEEDED" },
	{ 5, "ICMP_SR_FAILED" },
	{ 6, "ICMP_NET_UNKNOWN" },
	{ 7, "ICMP_HOST_UNKNOWN" },
	{ 8, "ICMP_HOST_ISOLATED" },
	{ 9, "ICMP_NET_ANO" },
	{ 10, "ICMP_HOST_ANO" },
	{ 11, "ICMP_NET_UNR_TOS" },
	{ 12, "ICMP_HOST_UNR_TOS" },
	{ 13, "ICMP_PKT_FILTERED" },
	{ 14, "ICMP_PREC_VIOLATION" },
	{ 15, "ICMP_PREC_CUTOFF" },
	{ 0, NULL },
};

static const struct net_name redirect_codes[] = {
	{ 0, "ICMP_REDIR_NET" },
	{ 1, "ICMP_REDIR_HOST" },
	{ 2, "ICMP_REDIR_NETTOS" },
	{ 3, "ICMP_REDIR_HOSTTOS" },
	{ 0, NULL },
};

static const struct net_name time_codes[] = {
	{ 0, "ICMP_EXC_TTL" },
	{ 1, "ICMP_EXC_FRAGTIME" },
	{ 0, NULL },
};

const char *net_ethertype_name(uint64_t value)
{
	return find(ethertypes, value);
}

const char *net_ipproto_name(uint64_t value)
{
	return find(ipprotos, value);
}

const char *net_family_name(uint64_t value)
{
	return find(families, value);
}

const char *net_tcp_state_name(uint64_t value)
{
	return find(tcp_states, value);
}

const char *net_cong_state_name(uint64_t value)
{
	return find(cong_states, value);
}

const char *net_checksum_name(uint64_t value)
{
	return find(checksums, value);
}

const char *net_scope_name(uint64_t value)
{
	return find(scopes, value);
}

const char *net_icmp_type_name(uint64_t value)
{
	return find(icmp_types, value);
}

const char *net_icmp_code_name(uint64_t type, uint64_t value)
{
	switch (type) {
	case 3:
		return find(unreach_codes, value);
	case 5:
		return find(redirect_codes, value);
	case 11:
		return find(time_codes, value);
	default:
		return NULL;
	}
}
