#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# make static: the programs need no file besides themselves; what one records in an empty root, tc-report
# reads.
#
#   TC_LIVE_WRAPPER  put before the commands that trace
#
# needs: root net
if [ "${TC_UNSHARED:-}" != yes ] && [ "$(id -u)" = 0 ]; then
	TC_UNSHARED=yes exec unshare --mount --propagation private "$0" "$@"
fi
# shellcheck source=tests/package/lib.sh
. "$(dirname "$0")/lib.sh"
needs readelf

TC_BUILDDIR=$(cd "$TC_BUILDDIR" && pwd)
runs "make static" build_all -C "$TC_BUILDDIR" static
is "there are seven programs" "$(find "$TC_BUILDDIR/static" -name 'tc-*' | wc -l)" 7
nothing "none needs a loader or a library" "$(for p in "$TC_BUILDDIR"/static/tc-*; do
	readelf -lW "$p" | grep -q INTERP && echo "$p has a loader"
	readelf -dW "$p" | grep NEEDED
done)"
[ "$(id -u)" = 0 ] || { skip "they run in an empty root" "chroot needs root"; finish; }

mkdir -p root/proc root/sys root/dev
cp "$TC_BUILDDIR"/static/tc-* root/
nothing "they run in an empty root" "$(for p in root/tc-*; do
	chroot root "/${p##*/}" --version >/dev/null 2>err || cat err
done)"
mount -t proc proc root/proc
mount -t sysfs sysfs root/sys
if ! mount -t tracefs tracefs root/sys/kernel/tracing 2>err; then
	skip "tc-record records in an empty root" "$(cat err)"
	finish
fi
# shellcheck disable=SC2086 # a command with its options
runs "tc-record records in an empty root" ${TC_LIVE_WRAPPER:-} chroot root /tc-record -q \
	-e sched:sched_switch -o /t.dat --duration 1
"$TC_BUILDDIR/tc-report" -i root/t.dat >text 2>err
is "tc-report reads it" "$(grep -c 'sched_switch: ' text | awk '{ print ($1 > 10) }')" 1
is "without a complaint" "$(cat err)" ""
umount root/sys/kernel/tracing root/sys root/proc
finish
