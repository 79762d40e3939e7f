/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_TIME_H
#define TFS_BASE_TIME_H

/* Signed, so that they can be used with time_t and with differences; uint64_t works as well. */
#define NS_PER_USEC 1000LL
#define NS_PER_MSEC 1000000LL
#define NS_PER_SEC 1000000000LL
#define USEC_PER_SEC 1000000LL

#endif
