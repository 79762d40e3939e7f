/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_TRIAL_H
#define TFS_PRINTFMT_TRIAL_H

#include "printfmt/env.h"

/*
 * What versions of libtraceevent print differently, found out by letting this one print.
 */

/** tfs_trial_arrays() - __print_array(); not while another thread is in libtraceevent */
enum tfs_array_style tfs_trial_arrays(void);

#endif
