# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# What run.sh, sweep.sh and rows.sh share. Needs TC_SRCDIR, TC_BUILDDIR and $tmp.
#
# The stored texts are those of libtraceevent 1.7. Later releases name task states in sched_switch
# by the recording's own format ("I" for what was "W"), and -R adds addresses to function names.
# With them, state letters are left out of comparisons and so are texts of -R.

# shellcheck disable=SC2154 # $tmp is the includer's

# probe_libtraceevent: sets $tep_later to what differs, "" for 1.7
probe_libtraceevent() {
	xz -dc "$TC_SRCDIR/tests/data/made/switch-le32.dat.xz" >"$tmp/probe.dat"
	tep_later=
	"$TC_BUILDDIR/tc-report" --no-flags --no-pager "$tmp/probe.dat" >"$tmp/probe" 2>/dev/null
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
