/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PLUGINS_NET_PRINT_H
#define PLUGINS_NET_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tep_event;
struct tep_handle;
struct trace_seq;

/** net_print_address() - an address of 4 bytes as IPv4, of 16 as IPv6; others as bytes */
void net_print_address(struct trace_seq *s, const uint8_t *bytes, size_t size);

/**
 * net_print_sockaddr() - "127.0.0.1:80", "[::1]:80", or "AF_..." alone for another family
 * @bytes: a struct sockaddr as the recorded machine laid it out
 */
void net_print_sockaddr(struct trace_seq *s, struct tep_handle *tep, const uint8_t *bytes,
			size_t size);

/** net_print_hwaddr() - "00:11:22:33:44:55" */
void net_print_hwaddr(struct trace_seq *s, const uint8_t *bytes, size_t size);

/** net_print_function() - the kernel function at an address, followed by "+0x10"; else in hex */
void net_print_function(struct trace_seq *s, struct tep_handle *tep, uint64_t addr);

/**
 * net_symbolic_name() - what the event's own print format calls a value of a field
 *
 * From its __print_symbolic(REC->field, ...), wherever in the format. The numbers of such tables
 * (drop reasons) change from kernel to kernel: the recording has the right ones.
 * Return: borrowed, as long as the event; NULL if there is none.
 */
const char *net_symbolic_name(const struct tep_event *event, const char *field, uint64_t value);

#endif
