# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shared by run.sh, sweep.sh, export.sh and beside.sh, which source it first: finds TC_SRCDIR and
# TC_BUILDDIR where they are not set, and makes them absolute.
#
# The stored texts are those of libtraceevent 1.7. Later releases name task states in sched_switch
# by the recording's own format ("I" for what was "W"), and -R adds addresses to function names.
# With them, state letters are left out of comparisons and so are texts of -R.

TC_BUILDDIR=$(cd "${TC_BUILDDIR:-.}" && pwd)
TC_SRCDIR=$(cd "${TC_SRCDIR:-$(dirname "$0")/../..}" && pwd)
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"

# begin NAME TOOL...: make a directory $tmp for this test, skip it without these tools, and unset the
# variables that change the output
begin() {
	begin_name=$1
	shift
	for begin_tool; do
		command -v "$begin_tool" >/dev/null || skip_all "$begin_tool is not installed"
	done
	LC_ALL=C
	export LC_ALL
	unset TC_PAGER PAGER TRACEEVENT_PLUGIN_DIR
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-$begin_name.XXXXXX") || exit 1
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT HUP TERM
}

# recordings DIR|FILE...: those in DIR at any depth, and FILE, sorted
recordings() {
	for recordings_of; do
		if [ -d "$recordings_of" ]; then
			find "$recordings_of" -name '*.dat' -o -name '*.dat.xz'
		else
			echo "$recordings_of"
		fi
	done | sort
}

# unpacked FILE: sets $dat to FILE, or to what is in it if it is compressed, until the next one, and
# $base to its name without .dat
unpacked() {
	dat=$1
	base=${1%.xz}
	base=${base%.dat}
	case $1 in
	*.xz)
		dat=$tmp/input.dat
		xz -dc "$1" >"$dat"
		;;
	esac
}

# lacks_codec FILE: is it compressed with zstd, and tc-report built without zstd?
lacks_codec() {
	grep -q '^#define HAVE_ZSTD 0' "$TC_BUILDDIR/config.h" && head -c 32768 "$1" | grep -aq zstd
}

# probe_libtraceevent: sets $tep_later to what differs, "" for 1.7
probe_libtraceevent() {
	xz -dc "$TC_SRCDIR/tests/data/made/switch-le32.dat.xz" >"$tmp/probe.dat"
	tep_later=
	"$TC_BUILDDIR/tc-report" --compat --no-flags --no-pager "$tmp/probe.dat" >"$tmp/probe" 2>/dev/null
	grep -q 'rcu_preempt:[0-9]* \[[0-9]*\] W ==>' "$tmp/probe" ||
		tep_later="another libtraceevent than 1.7"
}

# same WANT GOT: are the files equal, but for what another libtraceevent prints?
same() {
	cmp -s "$1" "$2" && return 0
	[ -n "$tep_later" ] || return 1
	for same_file in "$1" "$2"; do
		sed 's/\(sched_switch: .*\] \)[A-Z|+]* ==>/\1? ==>/' "$same_file" \
			>"$tmp/normal.${same_file##*/}"
	done
	cmp -s "$tmp/normal.${1##*/}" "$tmp/normal.${2##*/}"
}

# stored BASE VIEW: the text in $tmp/want; fails when there is none
stored() {
	if [ -f "$1.$2.txt" ]; then
		cp "$1.$2.txt" "$tmp/want"
	elif [ -f "$1.$2.txt.gz" ]; then
		gzip -dc "$1.$2.txt.gz" >"$tmp/want"
	elif [ -f "$1.$2.txt.xz" ]; then
		xz -dc "$1.$2.txt.xz" >"$tmp/want"
	elif [ -f "$1.txt.tar.xz" ]; then
		xz -dc "$1.txt.tar.xz" | tar -xOf - "${1##*/}.$2.txt" >"$tmp/want" 2>/dev/null
	else
		return 1
	fi
}
