#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sweep.sh DIR - compare tc-report with the texts stored beside recordings
#
# DIR holds NAME.dat or NAME.dat.xz, at any depth, and what trace-cmd 3.1 printed where they were
# made: NAME.report.txt, NAME.raw.txt (-R), NAME.lat.txt (-l), NAME.stat.txt (--stat), each plain,
# .gz or .xz, or all in NAME.txt.tar.xz. A view without a stored text is left out.

set -u
dir=${1:?which directory?}
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin sweep xz

# view DESCRIPTION DAT OPTION: compare with $tmp/want
view() {
	"$TC_BUILDDIR/tc-report" --compat --no-flags --no-pager ${3:+"$3"} -i "$2" \
		>"$tmp/got" 2>"$tmp/err"
	rc=$?
	if [ "$rc" -eq 0 ] && [ ! -s "$tmp/err" ] && same "$tmp/want" "$tmp/got"; then
		pass "$1"
	else
		diff -u "$tmp/want" "$tmp/got" | tail -n +3 | head -n 20 >"$tmp/diff"
		fail "$1" "exit status $rc" "$(head -n 5 "$tmp/err")" \
			"- trace-cmd where it was recorded, + tc-report" "$(cat "$tmp/diff")"
	fi
}

probe_libtraceevent
recordings "$dir" >"$tmp/list"
while read -r file; do
	unpacked "$file"
	if lacks_codec "$dat"; then
		skip "${file#"$dir"/}" "zstd is not built in"
		continue
	fi
	for v in report raw lat stat; do
		stored "$base" "$v" || continue
		if [ "$v" = raw ] && [ -n "$tep_later" ]; then
			skip "${base#"$dir"/}: raw" "$tep_later"
			continue
		fi
		case $v in
		report) option= ;;
		raw) option=-R ;;
		lat) option=-l ;;
		stat) option=--stat=kernel ;;
		esac
		view "${base#"$dir"/}: $v" "$dat" "$option"
	done
done <"$tmp/list"
[ "$tap_count" -gt 0 ] || fail "there are recordings in $dir"
finish
