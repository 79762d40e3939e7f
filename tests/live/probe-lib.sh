# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2154
#
# Shared by the tests with programs in languages other than C; t-probe-*.sh source it after lib.sh. A
# program prints what a probe has to record, in the report's words, on lines that begin with "@ ":
# the event and its values.

probe=$TC_BUILDDIR/tc-probe
group=lang$$
[ -x "$probe" ] || skip_all "tc-probe is not built in $TC_BUILDDIR"
[ -w "$tracefs/uprobe_events" ] || skip_all "this kernel has no uprobe_events"

# shellcheck disable=SC2317 # the trap calls it
probe_clean() {
	"$probe" -q -d "$group:*" 2>/dev/null
	tap_clean
}
trap probe_clean EXIT

# probes_gone: for until_true; the kernel may still be about to let go of what was recorded
probes_gone() {
	"$probe" -q -d "$group:*" 2>err
	! grep -q ":$group/" "$tracefs/uprobe_events"
}

# values NAME PROGRAM PROBE...: each PROBE is EVENT=POINT ARG...; what is recorded is what was said
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
	until_true 20 probes_gone || :
	is "$values_name: probes are gone" "$(grep -c ":$group/" "$tracefs/uprobe_events")" 0
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
