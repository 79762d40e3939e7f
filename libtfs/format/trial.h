/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FORMAT_TRIAL_H
#define TFS_FORMAT_TRIAL_H

#include "format/env.h"

/*
 * What versions of libtraceevent print differently, found out by letting this one print.
 */

/** tfs_trial_arrays() - __print_array(); not while another thread is in libtraceevent */
enum tfs_array_style tfs_trial_arrays(void);

#endif
