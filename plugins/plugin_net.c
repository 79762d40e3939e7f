/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Network events with their protocols, families, states and addresses by name, in the order of the
 * event's fields: "name=value ...". See tracecraft-plugins(7).
 */
#include "plugin.h"

#include <inttypes.h>

#include "field.h"
#include "net/names.h"
#include "net/print.h"

#define FAMILY_INET 2
#define FAMILY_INET6 10
#define FAMILY_UNKNOWN UINT64_MAX

/** enum net_kind - how a field is printed */
enum net_kind {
	NET_NUMBER,
	NET_HEX,
	NET_ADDRESS,
	NET_ADDRESS_IF_ANY, /* not where it is all zero */
	NET_SOCKADDR,
	NET_HWADDR, /* as many bytes as lladdr_len says */
	NET_ETHERTYPE,
	NET_IPPROTO,
	NET_FAMILY,
	NET_TCP_STATE,
	NET_CONG_STATE,
	NET_CHECKSUM,
	NET_SCOPE,
	NET_ICMP_TYPE,
	NET_ICMP_CODE,
	NET_FUNCTION,
	NET_SYMBOLIC, /* by the event's own print format */
	NET_HIDDEN,
};

/*
 * struct field_rule - @system: the rule is for its events only; NULL for all
 * @size: the rule is for fields of that size only; 0 for any
 * @label: what is printed before the '='; NULL for the field's name
 * @family: print only where the event's family is this; 0 for any
 */
struct field_rule {
	const char *system;
	const char *field;
	int size;
	enum net_kind kind;
	const char *label;
	uint64_t family;
};

/* The first that fits is taken; a field without one is printed by its type. */
static const struct field_rule rules[] = {
	{ "skb", "protocol", 0, NET_ETHERTYPE, NULL, 0 },
	{ "net", "protocol", 0, NET_ETHERTYPE, NULL, 0 },
	{ NULL, "vlan_proto", 0, NET_ETHERTYPE, NULL, 0 },
	{ NULL, "protocol", 0, NET_IPPROTO, NULL, 0 },
	{ NULL, "proto", 0, NET_IPPROTO, NULL, 0 },
	{ NULL, "family", 0, NET_FAMILY, NULL, 0 },
	{ NULL, "saddr", 28, NET_SOCKADDR, "src", 0 },
	{ NULL, "daddr", 28, NET_SOCKADDR, "dest", 0 },
	{ NULL, "saddr", 4, NET_ADDRESS, NULL, FAMILY_INET },
	{ NULL, "daddr", 4, NET_ADDRESS, NULL, FAMILY_INET },
	{ NULL, "saddr_v6", 16, NET_ADDRESS, "saddr", FAMILY_INET6 },
	{ NULL, "daddr_v6", 16, NET_ADDRESS, "daddr", FAMILY_INET6 },
	{ NULL, "primary_key4", 4, NET_ADDRESS, "key", FAMILY_INET },
	{ NULL, "primary_key6", 16, NET_ADDRESS, "key", FAMILY_INET6 },
	{ NULL, "src", 0, NET_ADDRESS, NULL, 0 },
	{ NULL, "dst", 0, NET_ADDRESS, NULL, 0 },
	{ NULL, "gw4", 4, NET_ADDRESS_IF_ANY, "gw", 0 },
	{ NULL, "gw6", 16, NET_ADDRESS_IF_ANY, "gw", 0 },
	{ NULL, "gw", 0, NET_ADDRESS, NULL, 0 },
	{ NULL, "lladdr", 0, NET_HWADDR, NULL, 0 },
	{ NULL, "new_lladdr", 0, NET_HWADDR, NULL, 0 },
	{ NULL, "lladdr_len", 0, NET_HIDDEN, NULL, 0 },
	{ "neigh", "nud_state", 0, NET_SYMBOLIC, NULL, 0 },
	{ "neigh", "new_state", 0, NET_SYMBOLIC, NULL, 0 },
	{ "neigh", "flags", 0, NET_HEX, NULL, 0 },
	{ "neigh", "update_flags", 0, NET_HEX, NULL, 0 },
	{ NULL, "state", 0, NET_TCP_STATE, NULL, 0 },
	{ NULL, "oldstate", 0, NET_TCP_STATE, NULL, 0 },
	{ NULL, "newstate", 0, NET_TCP_STATE, NULL, 0 },
	{ NULL, "cong_state", 0, NET_CONG_STATE, NULL, 0 },
	{ NULL, "reason", 0, NET_SYMBOLIC, NULL, 0 },
	{ NULL, "location", 0, NET_FUNCTION, NULL, 0 },
	{ "sock", "ip", 0, NET_FUNCTION, "func", 0 },
	{ NULL, "ip_summed", 0, NET_CHECKSUM, NULL, 0 },
	{ NULL, "gso_type", 0, NET_HEX, NULL, 0 },
	{ NULL, "hash", 0, NET_HEX, NULL, 0 },
	{ NULL, "vlan_tci", 0, NET_HEX, NULL, 0 },
	{ NULL, "mark", 0, NET_HEX, NULL, 0 },
	{ NULL, "flags", 0, NET_HEX, NULL, 0 },
	{ NULL, "tos", 0, NET_HEX, NULL, 0 },
	{ NULL, "flowlabel", 0, NET_HEX, NULL, 0 },
	{ NULL, "scope", 0, NET_SCOPE, NULL, 0 },
	{ "icmp", "type", 0, NET_ICMP_TYPE, NULL, 0 },
	{ "icmp", "code", 0, NET_ICMP_CODE, NULL, 0 },
	{ NULL, "snd_nxt", 0, NET_HEX, NULL, 0 },
	{ NULL, "snd_una", 0, NET_HEX, NULL, 0 },
	{ NULL, "sock_cookie", 0, NET_HEX, NULL, 0 },
	{ "net", "name", 0, NET_NUMBER, "dev", 0 },
	{ "fib", "name", 0, NET_NUMBER, "dev", 0 },
	{ "fib6", "name", 0, NET_NUMBER, "dev", 0 },
	{ "fib", "tb_id", 0, NET_NUMBER, "table", 0 },
	{ "fib6", "tb_id", 0, NET_NUMBER, "table", 0 },
};

/* Events to which names add something; the others print well as they are. */
struct net_event {
	const char *system;
	const char *name;
};

static const struct net_event events[] = {
	{ "net", "napi_gro_frags_entry" },
	{ "net", "napi_gro_receive_entry" },
	{ "net", "net_dev_start_xmit" },
	{ "net", "netif_receive_skb_entry" },
	{ "net", "netif_receive_skb_list_entry" },
	{ "net", "netif_rx_entry" },
	{ "net", "netif_rx_ni_entry" },
	{ "skb", "kfree_skb" },
	{ "sock", "inet_sk_error_report" },
	{ "sock", "inet_sock_set_state" },
	{ "sock", "sk_data_ready" },
	{ "sock", "sock_recv_length" },
	{ "sock", "sock_send_length" },
	{ "tcp", "tcp_ao_handshake_failure" },
	{ "tcp", "tcp_ao_rnext_request" },
	{ "tcp", "tcp_ao_wrong_maclen" },
	{ "tcp", "tcp_ao_mismatch" },
	{ "tcp", "tcp_ao_key_not_found" },
	{ "tcp", "tcp_bad_csum" },
	{ "tcp", "tcp_cong_state_set" },
	{ "tcp", "tcp_destroy_sock" },
	{ "tcp", "tcp_hash_ao_required" },
	{ "tcp", "tcp_hash_bad_header" },
	{ "tcp", "tcp_hash_md5_mismatch" },
	{ "tcp", "tcp_hash_md5_required" },
	{ "tcp", "tcp_hash_md5_unexpected" },
	{ "tcp", "tcp_probe" },
	{ "tcp", "tcp_rcv_space_adjust" },
	{ "tcp", "tcp_rcvbuf_grow" },
	{ "tcp", "tcp_receive_reset" },
	{ "tcp", "tcp_retransmit_skb" },
	{ "tcp", "tcp_retransmit_synack" },
	{ "tcp", "tcp_send_reset" },
	{ "udp", "udp_fail_queue_rcv_skb" },
	{ "fib", "fib_table_lookup" },
	{ "fib6", "fib6_table_lookup" },
	{ "icmp", "icmp_send" },
	{ "neigh", "neigh_cleanup_and_release" },
	{ "neigh", "neigh_create" },
	{ "neigh", "neigh_event_send_dead" },
	{ "neigh", "neigh_event_send_done" },
	{ "neigh", "neigh_timer_handler" },
	{ "neigh", "neigh_update" },
	{ "neigh", "neigh_update_done" },
};

/* struct net_record - one record while it is printed */
struct net_record {
	struct trace_seq *s;
	const struct tep_record *record;
	struct tep_event *event;
	uint64_t family;
};

static const struct field_rule *find_rule(const struct tep_event *event,
					  const struct tep_format_field *field)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct field_rule *rule = &rules[i];

		if ((!rule->size || rule->size == field->size) &&
		    (!rule->system || strcmp(rule->system, event->system) == 0) &&
		    strcmp(rule->field, field->name) == 0)
			return rule;
	}
	return NULL;
}

static void print_text(struct trace_seq *s, const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size && text[i]; i++)
		trace_seq_putc(s, text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?');
}

/* An IP protocol is one of IP sockets only: what AF_NETLINK calls protocol is its own. */
static const char *ipproto_name(const struct net_record *r, uint64_t value)
{
	return r->family == FAMILY_INET || r->family == FAMILY_INET6 ||
			       r->family == FAMILY_UNKNOWN ?
		       net_ipproto_name(value) :
		       NULL;
}

static const char *icmp_code_name(const struct net_record *r, uint64_t value)
{
	uint64_t type;

	return field_find_number(r->event, "type", r->record, &type) ?
		       net_icmp_code_name(type, value) :
		       NULL;
}

static const char *name_of(const struct net_record *r, const struct tep_format_field *field,
			   enum net_kind kind, uint64_t value)
{
	switch (kind) {
	case NET_ETHERTYPE:
		return net_ethertype_name(value);
	case NET_IPPROTO:
		return ipproto_name(r, value);
	case NET_FAMILY:
		return net_family_name(value);
	case NET_TCP_STATE:
		return net_tcp_state_name(value);
	case NET_CONG_STATE:
		return net_cong_state_name(value);
	case NET_CHECKSUM:
		return net_checksum_name(value);
	case NET_SCOPE:
		return net_scope_name(value);
	case NET_ICMP_TYPE:
		return net_icmp_type_name(value);
	case NET_ICMP_CODE:
		return icmp_code_name(r, value);
	case NET_SYMBOLIC:
		return net_symbolic_name(r->event, field->name, value);
	default:
		return NULL;
	}
}

/* Kinds that are a number. */
static void print_number(struct net_record *r, const struct tep_format_field *field,
			 enum net_kind kind, uint64_t value)
{
	const char *name = name_of(r, field, kind, value);

	if (name)
		trace_seq_puts(r->s, name);
	else if (kind == NET_FUNCTION)
		net_print_function(r->s, r->event->tep, value);
	else if (kind == NET_ETHERTYPE)
		trace_seq_printf(r->s, "0x%04" PRIx64, value);
	else if (kind == NET_HEX)
		trace_seq_printf(r->s, "0x%" PRIx64, value);
	else
		trace_seq_printf(r->s, "%" PRId64, (int64_t)value);
}

/* A field that no rule is for, or NET_NUMBER: by its type. */
static bool print_by_type(struct net_record *r, const struct tep_format_field *field)
{
	const void *bytes;
	uint64_t value;
	size_t size, i;

	if (field->flags & TEP_FIELD_IS_STRING) {
		bytes = field->flags & TEP_FIELD_IS_DYNAMIC ?
				field_dynamic(field, r->record, &size) :
				field_bytes(field, r->record, &size);
		if (bytes)
			print_text(r->s, bytes, size);
		return bytes != NULL;
	}
	for (i = 0; i < field_count(field); i++) {
		if (!field_number(field, r->record, i, &value))
			return false;
		if (i)
			trace_seq_putc(r->s, ',');
		if (field->flags & TEP_FIELD_IS_POINTER)
			trace_seq_printf(r->s, "0x%" PRIx64, value);
		else if (field->flags & TEP_FIELD_IS_SIGNED)
			trace_seq_printf(r->s, "%" PRId64, (int64_t)value);
		else
			trace_seq_printf(r->s, "%" PRIu64, value);
	}
	return true;
}

static bool print_bytes(struct net_record *r, const struct tep_format_field *field,
			enum net_kind kind)
{
	const uint8_t *bytes;
	uint64_t length;
	size_t size;

	bytes = field_bytes(field, r->record, &size);
	if (!bytes)
		return false;
	if (kind == NET_SOCKADDR) {
		net_print_sockaddr(r->s, r->event->tep, bytes, size);
	} else if (kind == NET_HWADDR) {
		if (field_find_number(r->event, "lladdr_len", r->record, &length) && length < size)
			size = (size_t)length;
		net_print_hwaddr(r->s, bytes, size);
	} else {
		net_print_address(r->s, bytes, size);
	}
	return true;
}

static bool print_value(struct net_record *r, const struct tep_format_field *field,
			enum net_kind kind)
{
	uint64_t value;

	switch (kind) {
	case NET_NUMBER:
		return print_by_type(r, field);
	case NET_ADDRESS:
	case NET_ADDRESS_IF_ANY:
	case NET_SOCKADDR:
	case NET_HWADDR:
		return print_bytes(r, field, kind);
	default:
		if (!field_number(field, r->record, 0, &value))
			return false;
		print_number(r, field, kind, value);
		return true;
	}
}

static bool is_zero(const struct tep_format_field *field, const struct tep_record *record)
{
	const uint8_t *bytes;
	size_t size, i;

	bytes = field_bytes(field, record, &size);
	for (i = 0; bytes && i < size; i++)
		if (bytes[i])
			return false;
	return bytes != NULL;
}

static bool is_hidden(const struct net_record *r, const struct tep_format_field *field,
		      const struct field_rule *rule)
{
	if (!rule)
		return false;
	/* A socket has room for both addresses; the family says which of them counts. */
	if (rule->family && r->family != FAMILY_UNKNOWN && r->family != rule->family)
		return true;
	return rule->kind == NET_HIDDEN ||
	       (rule->kind == NET_ADDRESS_IF_ANY && is_zero(field, r->record));
}

static int net_handler(struct trace_seq *s, struct tep_record *record, struct tep_event *event,
		       void *context)
{
	struct net_record r = { .s = s, .record = record, .event = event };
	const struct tep_format_field *field;
	const char *blank = "";

	(void)context;
	if (!field_find_number(event, "family", record, &r.family))
		r.family = FAMILY_UNKNOWN;
	for (field = event->format.fields; field; field = field->next) {
		const struct field_rule *rule = find_rule(event, field);

		if (is_hidden(&r, field, rule))
			continue;
		trace_seq_printf(s, "%s%s=", blank,
				 rule && rule->label ? rule->label : field->name);
		if (!print_value(&r, field, rule ? rule->kind : NET_NUMBER))
			trace_seq_putc(s, '?');
		blank = " ";
	}
	return 0;
}

int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		tep_register_event_handler(tep, -1, events[i].system, events[i].name, net_handler,
					   NULL);
	return 0;
}

int TEP_PLUGIN_UNLOADER(struct tep_handle *tep)
{
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		tep_unregister_event_handler(tep, -1, events[i].system, events[i].name, net_handler,
					     NULL);
	return 0;
}
