/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "net/print.h"

#include <arpa/inet.h>
#include <event-parse.h>
#include <inttypes.h>
#include <stdlib.h>
#include <trace-seq.h>

#include "net/names.h"

#define IPV4_SIZE 4
#define IPV6_SIZE 16
/* struct sockaddr_in and sockaddr_in6: family, port (big-endian), then... */
#define SOCKADDR_PORT 2
#define SOCKADDR_IN_ADDR 4
#define SOCKADDR_IN6_ADDR 8
#define FAMILY_INET 2
#define FAMILY_INET6 10
/* Depth of nested expressions: a deep tree costs stack. */
#define MAX_DEPTH 32

static void put_bytes(struct trace_seq *s, const uint8_t *bytes, size_t size, const char *between)
{
	size_t i;

	for (i = 0; i < size; i++)
		trace_seq_printf(s, "%s%02x", i ? between : "", bytes[i]);
}

void net_print_address(struct trace_seq *s, const uint8_t *bytes, size_t size)
{
	char text[INET6_ADDRSTRLEN];
	int family = size == IPV4_SIZE ? AF_INET : AF_INET6;

	if ((size == IPV4_SIZE || size == IPV6_SIZE) &&
	    inet_ntop(family, bytes, text, sizeof(text)))
		trace_seq_puts(s, text);
	else
		put_bytes(s, bytes, size, "");
}

static unsigned int port_of(const uint8_t *bytes)
{
	return (unsigned int)bytes[SOCKADDR_PORT] << 8 | bytes[SOCKADDR_PORT + 1];
}

void net_print_sockaddr(struct trace_seq *s, struct tep_handle *tep, const uint8_t *bytes,
			size_t size)
{
	const char *name;
	uint64_t family;

	if (size < sizeof(uint16_t)) {
		put_bytes(s, bytes, size, "");
		return;
	}
	family = tep_read_number(tep, bytes, sizeof(uint16_t));
	if (family == FAMILY_INET && size >= SOCKADDR_IN_ADDR + IPV4_SIZE) {
		net_print_address(s, bytes + SOCKADDR_IN_ADDR, IPV4_SIZE);
		trace_seq_printf(s, ":%u", port_of(bytes));
	} else if (family == FAMILY_INET6 && size >= SOCKADDR_IN6_ADDR + IPV6_SIZE) {
		trace_seq_putc(s, '[');
		net_print_address(s, bytes + SOCKADDR_IN6_ADDR, IPV6_SIZE);
		trace_seq_printf(s, "]:%u", port_of(bytes));
	} else {
		name = net_family_name(family);
		if (name)
			trace_seq_puts(s, name);
		else
			put_bytes(s, bytes, size, "");
	}
}

void net_print_hwaddr(struct trace_seq *s, const uint8_t *bytes, size_t size)
{
	put_bytes(s, bytes, size, ":");
}

void net_print_function(struct trace_seq *s, struct tep_handle *tep, uint64_t addr)
{
	const char *name = tep_find_function(tep, addr);
	const uint64_t start = name ? tep_find_function_address(tep, addr) : addr;

	if (!name)
		trace_seq_printf(s, "0x%" PRIx64, addr);
	else if (start == addr)
		trace_seq_puts(s, name);
	else
		trace_seq_printf(s, "%s+0x%" PRIx64, name, addr - start);
}

/* Whether an argument is REC->field, with casts around it or not. */
static bool is_field(const struct tep_print_arg *arg, const char *field)
{
	unsigned int depth;

	for (depth = 0; arg && arg->type == TEP_PRINT_TYPE && depth < MAX_DEPTH; depth++)
		arg = arg->typecast.item;
	return arg && arg->type == TEP_PRINT_FIELD && strcmp(arg->field.name, field) == 0;
}

static const char *find_symbol(const struct tep_print_flag_sym *sym, uint64_t value)
{
	uint64_t number;
	char *end;

	for (; sym; sym = sym->next) {
		number = strtoull(sym->value, &end, 0);
		/* Anything but a number is an enumerator that the kernel did not resolve. */
		if (end != sym->value && !*end && number == value)
			return sym->str;
	}
	return NULL;
}

static const struct tep_print_flag_sym *find_table(const struct tep_print_arg *arg,
						   const char *field, unsigned int depth)
{
	const struct tep_print_flag_sym *found = NULL;

	if (!arg || depth > MAX_DEPTH)
		return NULL;
	switch (arg->type) {
	case TEP_PRINT_SYMBOL:
		return is_field(arg->symbol.field, field) ? arg->symbol.symbols : NULL;
	case TEP_PRINT_TYPE:
		return find_table(arg->typecast.item, field, depth + 1);
	case TEP_PRINT_OP:
		found = find_table(arg->op.left, field, depth + 1);
		return found ? found : find_table(arg->op.right, field, depth + 1);
	default:
		return NULL;
	}
}

const char *net_symbolic_name(const struct tep_event *event, const char *field, uint64_t value)
{
	const struct tep_print_flag_sym *table;
	const struct tep_print_arg *arg;

	for (arg = event->print_fmt.args; arg; arg = arg->next) {
		table = find_table(arg, field, 0);
		if (table)
			return find_symbol(table, value);
	}
	return NULL;
}
