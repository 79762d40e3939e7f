#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Without root, as README describes it: a group that may look at tracefs. It is a setting of the whole tracefs.
#
# needs: root tracefs exclusive
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

command -v setpriv >/dev/null || skip_all "setpriv is not installed"
group=65533 nobody=65534
options=$(awk -v dir="$tracefs" '$2 == dir && $3 == "tracefs" { print $4 }' /proc/self/mounts | tail -n 1)
case $options in
'') skip_all "$tracefs is not a mount of tracefs" ;;
*gid=* | *mode=*) skip_all "tracefs is mounted with $options already" ;;
esac
# Programs where another user finds them
chmod 755 .
mkdir -m 755 bin
mkdir -m 777 files
cp "$record" "$report" "$TC_BUILDDIR/tc-list" "$TC_BUILDDIR/tc-session" bin/

remount() {
	mount -o "remount,$1" "$tracefs"
}

# shellcheck disable=SC2317 # by the trap
cleanup() {
	remount mode=700,gid=0
	tap_clean
}

# as GROUP COMMAND...: without any capability
as() {
	as_group=$1
	shift
	setpriv --reuid=$nobody --regid="$as_group" --clear-groups --inh-caps=-all --bounding-set=-all \
		--no-new-privs "$@"
}

trap cleanup EXIT
as $group bin/tc-list -e sched_switch >out 2>err
is "before: a user may not look" "$?:$(cat out)" 1:
has "and a hint names what would help" err "hint:"
remount mode=750,gid=$group
is "group: events are listed" "$(as $group bin/tc-list -e sched_switch 2>&1 | grep -c sched_switch)" 1
is "group: the state of tracing is shown" "$(as $group bin/tc-session status >out 2>&1; echo $?)" 0
as $group bin/tc-record -q -e sched_switch -o files/group.dat -- true 2>err
is "group: recording is refused" $? 1
has "group: with the reason" err "ermission denied"
is "group: without a file" "$(ls files)" ""
as $nobody bin/tc-list -e sched_switch >out 2>&1
is "another group may not look" $? 1
remount mode=700,gid=0
trap tap_clean EXIT
is "the mount is as it was" "$(awk -v dir="$tracefs" '$2 == dir && $3 == "tracefs" { print $4 }' \
	/proc/self/mounts | tail -n 1)" "$options"

nothing_of_mine "at the end"
finish
