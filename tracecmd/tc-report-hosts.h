/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_HOSTS_H
#define TC_REPORT_HOSTS_H

struct report_request;
struct report_run;
struct report_sources;
struct tfs_err;

/*
 * Several recordings, perhaps of several hosts, in one report. These are called in this order.
 */

/** report_hosts_keep() - learn the host of the source opened last; close it if --host says so */
int report_hosts_keep(const struct report_request *req, struct report_sources *s,
		      struct tfs_err *err);
/**
 * report_hosts_name() - what each source is called
 * @status: of the program on failure
 */
int report_hosts_name(const struct report_request *req, struct report_sources *s, int *status,
		      struct tfs_err *err);
/** report_hosts_clocks() - put the sources on the time line of the first one, as far as can be */
int report_hosts_clocks(const struct report_request *req, struct report_sources *s,
			struct tfs_err *err);
/** report_hosts_order() - prepare to look at the order of events, once offsets are known */
int report_hosts_order(const struct report_request *req, struct report_sources *s, int *status,
		       struct tfs_err *err);
/** report_hosts_heading() - before the events: how the clocks were brought together */
int report_hosts_heading(const struct report_run *run, struct tfs_err *err);
/** report_hosts_notice() - after the events: how much of their order is known */
void report_hosts_notice(const struct report_request *req, const struct report_sources *s);

#endif
