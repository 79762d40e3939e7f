/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_GUESTS_H
#define TFS_DECODE_GUESTS_H

struct tfs_event_type;
struct tfs_guests;
struct tfs_trace;

/**
 * tfs_guests_add() - let events of @host name functions of @guest
 *
 * libtraceevent's plugin kvm asks the program for the function at an address of a guest
 * (tep_plugin_kvm_get_func()). The program must export that symbol to it (guests.list). Where
 * @host does not name @guest (tracedat/dat-guest.h) nothing changes. Before anything is printed;
 *	both
 * are shown together (tfs_trace_take_turns()), and @guest lives as long as @host is in use.
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_guests_add(struct tfs_trace *host, struct tfs_trace *guest);
void tfs_guests_free(struct tfs_guests *guests);

/**
 * tfs_guests_event() - @type, which a plugin prints, may show addresses of a guest
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_guests_event(struct tfs_trace *trace, struct tfs_event_type *type);

#endif
