# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Shared by the tests of tc-probe, which source it after lib.sh. Their probes are of the group $group,
# or ${group}_ANYTHING, which are theirs alone, and are deleted when they end.

probe=$TC_BUILDDIR/tc-probe
group=probes$$
[ -x "$probe" ] || skip_all "tc-probe is not built in $TC_BUILDDIR"
[ -w "$tracefs/uprobe_events" ] || skip_all "this kernel has no uprobe_events"

# shellcheck disable=SC2317 # the trap calls it
probe_clean() {
	"$probe" -q -d "$group:*" 2>/dev/null
	"$probe" -q -d "${group}_*:*" 2>/dev/null
	tap_clean
}
trap probe_clean EXIT

# defined: how many events the group has. The list of all probes is not a snapshot: others define
# and delete theirs while it is read.
defined() {
	find "$tracefs/events/$group" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | wc -l
}

# forget NAME: all probes of the group are deleted, at once
forget() {
	"$probe" -q -d "$group:*" 2>forget.err
	is "$1: its probes are deleted" "$?-$(defined): $(cat forget.err)" "0-0: "
}

# values NAME PROGRAM PROBE...: each PROBE is EVENT=POINT ARG...; what is recorded is what the program
# prints on lines that begin with "@ ", in the report's words: the event and its values
values() {
	values_name=$1 values_of=$2
	shift 2
	for values_probe in "$@"; do
		shift
		set -- "$@" -a "$group:$values_probe"
	done
	"$probe" -q -x "$values_of" "$@" 2>err
	is "$values_name: probes are defined" "$?" 0
	sed 's/^/# /' err
	"$record" -q -e "$group" -o t.dat -- "$values_of" >said 2>err
	is "$values_name: the program ends well" "$?" 0
	sed -n 's/^@ //p' said >wanted
	"$report" -i t.dat 2>/dev/null |
		sed -n 's/^.*[0-9]: \([a-z][a-z0-9_]*\): *([^)]*) *\(.*\)$/\1 \2/p' | sed 's/ *$//' >got
	same "$values_name: values are the program's" got wanted
	forget "$values_name"
}

# defines NAME PROGRAM PROBE PATTERN: -D prints lines that the extended expression matches, all of
# them
defines() {
	"$probe" -q -x "$2" -D "$3" >out 2>err
	if [ -s out ] && ! grep -Evq -e "$4" out; then
		pass "$1"
	else
		fail "$1" "'$3' gives:" "$(cat out err)" "wanted: $4"
	fi
}

# refuses NAME PROGRAM PROBE TEXT: it is an error, whose words have TEXT in them
refuses() {
	"$probe" -x "$2" -D "$3" >out 2>err
	is "$1" "$?" 1
	has "$1: with the reason" err "$4"
}
