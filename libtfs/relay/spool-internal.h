/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_SPOOL_INTERNAL_H
#define TFS_RELAY_SPOOL_INTERNAL_H

#include <stdatomic.h>
#include <stdint.h>

#define RELAY_CONTROL_MAGIC 0x74737063u
#define RELAY_LOG "log"
#define RELAY_CONTROL "control"
#define RELAY_LOCK "lock"
#define RELAY_RESERVE "reserve"

/* Bytes of the lock file that are locked (fcntl) by the recorder, and by who takes the stream. */
#define RELAY_LOCK_RECORDER 0
#define RELAY_LOCK_READER 1

/*
 * struct relay_control - what both sides of a spool share, in a mapped file
 * @end: of the whole records in the log
 * @head_end: of the HEAD records
 * @last_seq: of the last record
 * @acked_seq: of the last record that the receiver has
 * @acked_end: where the record after it begins
 * @floor: events before this place were dropped; HEAD records stay
 */
struct relay_control {
	uint32_t magic;
	uint32_t version;
	_Atomic uint32_t state;
	uint32_t spare;
	_Atomic uint64_t end;
	_Atomic uint64_t head_end;
	_Atomic uint64_t last_seq;
	_Atomic uint64_t acked_seq;
	_Atomic uint64_t acked_end;
	_Atomic uint64_t floor;
	_Atomic uint64_t events;
	_Atomic uint64_t lost;
	_Atomic uint64_t refused;
	uint64_t quota;
};

#endif
