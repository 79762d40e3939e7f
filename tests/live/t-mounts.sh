#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tracefs is found where it is mounted, and never mounted by us. In mount namespaces of their own.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

command -v unshare >/dev/null || skip_all "there is no unshare"
unshare -m true 2>/dev/null || skip_all "mount namespaces are not allowed"
[ "$tracefs" = /sys/kernel/tracing ] || skip_all "another tracefs is named"

# without_tracefs COMMAND...: in a namespace where it is mounted nowhere; debugfs goes too, which
# mounts it by itself
# shellcheck disable=SC2016 # expanded by the inner shell
without_tracefs() {
	unshare -m sh -c '
		awk "\$3 == \"tracefs\" || \$3 == \"debugfs\" { print \$2 }" /proc/self/mounts |
			sort -r | while read -r dir; do
				umount -l "$(printf %b "$dir")"
			done
		exec "$@"' sh "$@"
}

# shellcheck disable=SC2016
without_tracefs sh -c 'mkdir "else where" && mount -t tracefs nodev "else where" && exec "$@"' sh \
	"$record" --dry-run -e sched -- true >out 2>err
is "mounted elsewhere: status" $? 0
has "mounted elsewhere: the plan uses that path" out "$PWD/else where/instances"

# shellcheck disable=SC2016
without_tracefs sh -c '"$@"; echo $? >status; grep -c tracefs /proc/self/mounts >mounts' sh \
	"$record" -e sched -o t.dat -- true 2>err
is "mounted nowhere: status" "$(cat status)" 1
has "mounted nowhere: the message says so" err "no tracefs is mounted"
has "mounted nowhere: what to do" err "mount -t tracefs nodev /sys/kernel/tracing"
is "mounted nowhere: tracefs stays unmounted" "$(cat mounts)" 0
is "mounted nowhere: no file is made" "$(find . -name 't.dat*')" ""
finish
