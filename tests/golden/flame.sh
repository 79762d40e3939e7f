#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# flame.sh - pictures and pages of --flame hold what --folded prints
#
# area: gate report profile

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin flame xz python3
recordings=$TC_SRCDIR/tests/data/recordings

report() {
	"$TC_BUILDDIR/tc-report" --no-pager -q "$@"
}

model() {
	python3 "$TC_SRCDIR/tests/golden/flame.py" "$@"
}

# same NAME WANT GOT: equal, and not empty
same() {
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		pass "$1"
	else
		fail "$1" "$(diff "$2" "$3" | head -n 10)"
	fi
}

# draws NAME OPTION...: as a picture and as a page, beside --folded
draws() {
	draws_name=$1
	shift
	report "$@" --folded --countname=ns | model plain >"$tmp/want"
	for draws_as in svg html; do
		report "$@" --flame "$tmp/flame.$draws_as" >"$tmp/said" &&
			model $draws_as "$tmp/flame.$draws_as" >"$tmp/got"
		same "$draws_name, $draws_as: as folded" "$tmp/want" "$tmp/got"
	done
}

unpacked "$recordings/x86_64/stack.dat.xz"
lacks_codec "$dat" && skip_all "zstd is not built in"
cp "$dat" "$tmp/stack.dat"
stack=$tmp/stack.dat
draws "stacks" "$stack"
is "-q: nothing is printed" "$(report "$stack" --flame "$tmp/flame.svg")" ""
is "says how much was drawn" "$("$TC_BUILDDIR/tc-report" --no-pager "$stack" --flame "$tmp/flame.svg" 2>/dev/null)" \
	"$tmp/flame.svg: $(report "$stack" --folded | awk '{ n += $NF } END { print n }') samples in $(grep -c '<g>' "$tmp/flame.svg" |
		awk '{ print $1 - 1 }') frames"
draws "selected events" "$stack" -F 'sched_switch: prev_state != 0'
draws "several recordings" -i "$stack" -i "$stack"
draws "a weight" "$stack" --weight prev_prio

# Names that are markup
report -f "$stack" | awk '{ print $1, "T", $2 }' >"$tmp/names"
sed -e 's|T rcu_gp_fqs_loop$|T </script><script>alert(1)</script>|' \
	-e 's|T schedule_timeout$|T <img/src=x/onerror=alert(2)>|' \
	-e 's|T do_wait$|T "]]>\&#x3c;--|' "$tmp/names" >"$tmp/hostile"
draws "hostile names" "$stack" --kallsyms "$tmp/hostile"
report "$stack" --kallsyms "$tmp/hostile" --flame "$tmp/flame.html" --title '</title><script>alert(3)</script>' >"$tmp/said"
is "a page's names end no element" "$(grep -c 'alert' "$tmp/flame.html")" "2"
is "but for the title, as text" "$(grep -o '.\{9\}script>alert(3)' "$tmp/flame.html" | sort -u | tr '\n' ' ')" \
	'itle>&lt;script>alert(3) le>\u003cscript>alert(3) '

# Two recordings: what each has
unpacked "$TC_SRCDIR/tests/data/made/stacks.dat.xz"
for options in '' '--off-cpu=all'; do
	for file in "$stack" "$dat"; do
		# shellcheck disable=SC2086 # several options, or none
		report "$file" $options --folded --countname=ns | model plain >"$tmp/folded.${file##*/}"
	done
	model diff "$tmp/folded.${stack##*/}" "$tmp/folded.${dat##*/}" >"$tmp/want"
	# shellcheck disable=SC2086
	report "$stack" $options --flame "$tmp/flame.html" --diff "$dat" >"$tmp/said"
	model html "$tmp/flame.html" >"$tmp/got"
	same "--diff $options: what each has" "$tmp/want" "$tmp/got"
	# shellcheck disable=SC2086
	report "$stack" $options --folded --countname=ns --no-annotate --diff "$dat" | sort >"$tmp/got"
	same "--folded --diff $options: what each has" "$tmp/want" "$tmp/got"
done

report "$stack" --folded --diff "$dat" | awk '{ a += $(NF - 1); b += $NF } END { print a, b }' >"$tmp/want"
"$TC_BUILDDIR/tc-report" --no-pager "$stack" --flame "$tmp/flame.html" --diff "$dat" 2>/dev/null |
	sed 's/.*: \([0-9]*\) before and \([0-9]*\) .*/\1 \2/' >"$tmp/got"
same "totals of a difference add up" "$tmp/want" "$tmp/got"
report "$stack" --folded --diff "$dat" --normalize | awk '{ a += $(NF - 1); b += $NF; n++ }
	END { print a - b < n / 2 && b - a < n / 2 ? "equal" : a " " b }' >"$tmp/got"
is "--normalize gives both the same total" "$(cat "$tmp/got")" equal

if report "$stack" --flame "$tmp/flame.png" 2>"$tmp/err"; then
	fail "a name that says nothing is refused"
else
	is "a name that says nothing is refused" "$(head -n 1 "$tmp/err")" \
		"tc-report: '$tmp/flame.png' does not say what to draw: a page or a picture"
fi
unpacked "$recordings/x86_64/ev-v6.dat.xz"
report "$dat" --flame "$tmp/none.svg" 2>"$tmp/err"
is "without stacks there is no file" "$(head -n 1 "$tmp/err"; ls "$tmp/none.svg" 2>/dev/null)" \
	"tc-report: no stacks were found: there is nothing to draw in '$tmp/none.svg'"
finish
