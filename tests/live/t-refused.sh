#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# If recording is not allowed, the message has the file, the errno and what to do; nothing is left behind.
#
# needs: root tracefs
# area: record
# also: vm
# worlds: 6.1
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# A user who is not root, in a directory of his own
[ -x "$bin/setpriv" ] || skip_all "there is no setpriv"
command -v unshare >/dev/null || skip_all "there is no unshare"
mkdir user
chmod 755 .
chown 65534:65534 user
# as_user PROGRAM ARG...: by that user, a copy where he cannot reach it
as_user() {
	program=$TC_BUILDDIR/$1
	shift
	(
		cd user || exit
		if ! "$bin/setpriv" --reuid 65534 --regid 65534 --clear-groups test -x "$program"; then
			cp "$program" . && chmod 755 "${program##*/}"
			program=./${program##*/}
		fi
		exec "$bin/setpriv" --reuid 65534 --regid 65534 --clear-groups "$program" "$@"
	)
}

as_user tc-record -e sched -o t.dat -- touch ran 2>err
is "not root: status" $? 1
has "not root: the file" err "$tracefs"
has "not root: the errno" err "Permission denied"
has "not root: what to do" err "hint: "
is "not root: nothing is left" "$(find user -name 't.dat*')" ""
runs "not root: COMMAND does not run" test ! -e user/ran
as_user tc-record --version >out 2>err
is "not root: --version works" $? 0
"$record" -q -e sched -o r.dat -- ls / >/dev/null
cp r.dat user/ && chmod 644 user/r.dat
"$report" --no-flags -i r.dat >r.txt
as_user tc-report --no-flags -i r.dat >user.txt 2>err
same "not root: a recording can be read" user.txt r.txt

# With tracefs read-only, in a mount namespace of its own
mkdir ro
# shellcheck disable=SC2016 # the inner shell's
read_only='mount --bind "$1" ro && mount -o remount,bind,ro ro && shift &&
	TRACECRAFT_TRACEFS=$PWD/ro exec "$@"'
unshare -m sh -c "$read_only" sh "$tracefs" "$record" -e sched -o ro.dat -- touch ran 2>err
is "read-only tracefs: status" $? 1
has "read-only tracefs: the file" err "$PWD/ro/instances"
has "read-only tracefs: the errno" err "Read-only file system"
has "read-only tracefs: what to do" err "hint: "
has "read-only tracefs: with the command" err "remount"
is "read-only tracefs: no file is made" "$(find . -name 'ro.dat*')" ""
runs "read-only tracefs: COMMAND does not run" test ! -e ran
unshare -m sh -c "$read_only" sh "$tracefs" "$record" --dry-run -e sched -- true >out 2>err
is "read-only tracefs: --dry-run works" $? 0
has "read-only tracefs: --dry-run prints the plan" out "/events/sched/enable"

mkdir empty
TRACECRAFT_TRACEFS=$PWD/empty "$record" -e sched -o e.dat -- true 2>err
is "no tracefs there: status" $? 1
has "no tracefs there: the place" err "$PWD/empty"

# elsewhere DIR COMMAND...: in a mount namespace whose only tracefs is in DIR, or has none with ""
# shellcheck disable=SC2016 # the inner shell's
elsewhere='[ -z "$1" ] || mount -t tracefs tracefs "$1" || exit 99
	while read -r _ dir type _; do
		case $type in
		tracefs | debugfs) [ "$dir" = "$1" ] || umount -l "$dir" ;;
		esac
	done </proc/mounts
	shift
	exec "$@"'
unshare -m sh -c "$elsewhere" sh "" "$record" -e sched -o no.dat -- touch ran 2>err
is "no tracefs: status" $? 1
has "no tracefs: how to mount it" err "mount -t tracefs"
runs "no tracefs: COMMAND does not run" test ! -e ran
is "no tracefs: no file is made" "$(find . -name 'no.dat*')" ""
unshare -m sh -c "$elsewhere" sh "" "$report" --no-flags -i r.dat >no.txt 2>err
same "no tracefs: a recording can be read" no.txt r.txt
mkdir other
unshare -m sh -c "$elsewhere" sh "$PWD/other" "$record" -q -e sched_process_exec -F -o other.dat -- ls / >/dev/null 2>err
is "tracefs mounted elsewhere is found" "$? $(cat err)" "0 "

# More than there is: the kernel looks at what is free before it takes any.
"$record" -e sched -b "$(awk '/^MemTotal:/ { print 4 * $2 }' /proc/meminfo)K" -o big.dat -- touch ran 2>err
is "a buffer larger than memory: status" $? 1
has "a buffer larger than memory: the file" err buffer_size_kb
has "a buffer larger than memory: the errno" err "Cannot allocate memory"
runs "a buffer larger than memory: COMMAND does not run" test ! -e ran

# Sixty thousand reads and as many writes make 20 MB of these.
mkdir disk
if mount -t tmpfs -o size=11M tmpfs disk 2>/dev/null; then
	refuses "a full disk: fails" "$record" -F -e syscalls -e raw_syscalls --compression none -o disk/full.dat -- \
		dd if=/dev/zero of=/dev/null bs=1 count=60000
	printf '%s\n' "$tap_out" >err
	has "a full disk: the errno" err "No space left on device"
	"$report" --no-flags -i disk/full.dat 2>err | head -n 5000 >text
	has "a full disk: the file can be read" text "sys_enter_write:"
	umount disk
else
	skip "a full disk" "cannot mount a tmpfs"
fi

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
