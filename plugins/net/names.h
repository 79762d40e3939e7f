/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGINS_NET_NAMES_H
#define PLUGINS_NET_NAMES_H

#include <stdint.h>

/*
 * Names of the numbers of the network stack, as the kernel's user-space headers spell them. All
 * return a constant, NULL for a number without a name.
 */

/** net_ethertype_name() - of a frame's protocol, in host order: 0x0800 is "IPv4" (if_ether.h) */
const char *net_ethertype_name(uint64_t value);

/** net_ipproto_name() - "IPPROTO_TCP" (in.h) */
const char *net_ipproto_name(uint64_t value);

/** net_family_name() - "AF_INET" (include/linux/socket.h) */
const char *net_family_name(uint64_t value);

/** net_tcp_state_name() - "TCP_ESTABLISHED" (include/net/tcp_states.h) */
const char *net_tcp_state_name(uint64_t value);

/** net_cong_state_name() - "TCP_CA_Open" (tcp.h) */
const char *net_cong_state_name(uint64_t value);

/** net_checksum_name() - "CHECKSUM_PARTIAL" (include/linux/skbuff.h) */
const char *net_checksum_name(uint64_t value);

/** net_scope_name() - of a route: "RT_SCOPE_LINK" (rtnetlink.h) */
const char *net_scope_name(uint64_t value);

/** net_icmp_type_name() - "ICMP_DEST_UNREACH" (icmp.h) */
const char *net_icmp_type_name(uint64_t value);

/** net_icmp_code_name() - "ICMP_PORT_UNREACH" of that type */
const char *net_icmp_code_name(uint64_t type, uint64_t value);

#endif
