#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# If recording is not allowed, the message has the file, the errno and what to do; nothing is left behind.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# A user who is not root, in a directory of his own
command -v setpriv >/dev/null || skip_all "there is no setpriv"
mkdir user
chmod 755 .
chown 65534:65534 user
if [ ! -x "$record" ] || ! setpriv --reuid 65534 --regid 65534 --clear-groups \
	test -x "$record"; then
	cp "$record" user/tc-record
	chmod 755 user/tc-record
	as_user="$tap_dir/user/tc-record"
else
	as_user=$record
fi
(cd user && setpriv --reuid 65534 --regid 65534 --clear-groups \
	"$as_user" -e sched -o t.dat -- true) 2>err
is "not root: status" $? 1
has "not root: the file" err "$tracefs"
has "not root: the errno" err "Permission denied"
has "not root: what to do" err "hint: "
is "not root: nothing is left" "$(find user -name 't.dat*')" ""
(cd user && setpriv --reuid 65534 --regid 65534 --clear-groups "$as_user" --version) >out 2>err
is "not root: --version works" $? 0

# read_only COMMAND...: with tracefs read-only, in a mount namespace of its own
command -v unshare >/dev/null || skip_all "there is no unshare"
mkdir ro
# shellcheck disable=SC2016 # the inner shell's
read_only='mount --bind "$1" ro && mount -o remount,bind,ro ro && shift &&
	TRACECRAFT_TRACEFS=$PWD/ro exec "$@"'
unshare -m sh -c "$read_only" sh "$tracefs" "$record" -e sched -o ro.dat -- true 2>err
is "read-only tracefs: status" $? 1
has "read-only tracefs: the errno" err "Read-only file system"
has "read-only tracefs: what to do" err "hint: "
is "read-only tracefs: no file is made" "$(find . -name 'ro.dat*')" ""
unshare -m sh -c "$read_only" sh "$tracefs" "$record" --dry-run -e sched -- true >out 2>err
is "read-only tracefs: --dry-run works" $? 0
has "read-only tracefs: --dry-run prints the plan" out "/events/sched/enable"

mkdir empty
TRACECRAFT_TRACEFS=$PWD/empty "$record" -e sched -o e.dat -- true 2>err
is "no tracefs there: status" $? 1
has "no tracefs there: the place" err "$PWD/empty"

# What --dry-run prints, a shell can do: with the recorder left out, and taken back
"$record" --dry-run -e sched_switch -f 'prev_pid == 0' -b 64K -C mono --duration 10ms \
	-- true >plan.sh
sh -e plan.sh >out 2>err
is "the plan can be run by a shell" "$? $(cat err)" "0 "
instance=$(sed -n 's|.*/\(tc-record\.[0-9]*\)/tracing_on.*|\1|p' plan.sh | head -n 1)
runs "it has an instance" test -n "$instance"
runs "which is gone" test ! -e "$tracefs/instances/$instance"
nothing_of_mine "after the plan"
finish
