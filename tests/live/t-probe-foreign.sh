#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs of other machines beside `perf probe -D`, which reads them too: places, registers and
# offsets. Each difference falls under one of the rules below, which are counted.
#
# needs: root
# area: probe

set -u
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"

perf probe --help >/dev/null 2>&1 || skip_all "perf is not installed"
unshare -m true 2>/dev/null || skip_all "needs root"

dir=$(mktemp -d "${TMPDIR:-/tmp}/tc-foreign.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
machines='aarch64 arm i386 ppc64le s390x x86_64'
for m in $machines; do
	for level in O0 O2; do
		xz -dc "$TC_SRCDIR/tests/data/foreign/$m-$level.xz" >"$dir/$m-$level"
	done
done

# perf's output depends on the kernel's README: it gets one with all types, and no probes.
# perf keeps copies of what it reads in HOME.
cat >"$dir/perf.sh" <<'END'
mount -t tmpfs none /sys/kernel/tracing || exit 1
cd /sys/kernel/tracing && : >uprobe_events && : >kprobe_events
printf '%s\n' '  uprobe_events' '	place: <path>:<offset>[%return][(ref_ctr_offset)]' \
	'	-:[<group>/]<event>' '	  args: <name>=fetcharg[:type]' \
	'	  type: s8/16/32/64, u8/16/32/64, x8/16/32/64, string, symbol,' \
	'Create/append/remove/show the userspace dynamic events' >README
cd "$1" || exit 1
while read -r file probe; do
	HOME=$1/home perf probe -x "$1/$file" -D "$probe" 2>/dev/null | sed "s|^|$file |"
done <list >perf.out
END
mkdir "$dir/home"
for m in $machines; do
	for level in O0 O2; do
		# shellcheck disable=SC2016 # $params is not the shell's
		for f in many wide real deep caller; do
			# shellcheck disable=SC2016
			echo "$m-$level $f \$params"
		done
	done
done >"$dir/list"
unshare -m sh "$dir/perf.sh" "$dir"
is "perf answers" "$?" 0
cd "$dir" || exit 1
while read -r file probe; do
	TRACECRAFT_TRACEFS=/nonexistent "$TC_BUILDDIR/tc-probe" -q -x "./$file" -D "$probe" |
		sed "s|^|$file |"
done <list >ours.out

# Each argument of perf's: FILE FUNCTION PLACE NAME FETCH
split() {
	sed "s|$dir/||" "$1" | awk '{
		sub(/^.*\//, "", $2)
		for (i = 4; i <= NF; i++) {
			name = substr($i, 1, index($i, "=") - 1)
			print $1, $2, $3, name, substr($i, index($i, "=") + 1)
		}
	}'
}
split perf.out >perf.args
split ours.out >ours.args
awk '
# The stack pointer is $stack, whatever the register is called.
function normal(file, fetch) {
	sub(/%sp/, "$stack", fetch)
	if (file ~ /^s390x/)
		sub(/%r15/, "$stack", fetch)
	if (file ~ /^ppc64le/)
		sub(/%gpr1\)/, "$stack)", fetch)
	return fetch
}
FNR == NR { ours[$1 " " $2 " " $4] = $5; place[$1 " " $2] = $3; next }
{
	key = $1 " " $2 " " $4
	want = normal($1, $5)
	got = ours[key]
	string = want
	sub(/:x(32|64)$/, "", string)
	if (want == got && $3 == place[$1 " " $2])
		rule["equal"]++
	else if (want == got && $1 ~ /^ppc64le/)
		rule["local entry"]++ # calls within a file pass the global one over
	else if (got == "+0(" string "):string")
		rule["string"]++ # what a char pointer points to
	else if ($1 ~ /^arm-O2/ && $2 == "wide" && $4 == "b" && got == "")
		rule["half"]++ # perf takes one register of two
	else if (got == "" && want ~ /^%f[0-9]+:/)
		rule["floating point"]++ # no register that a kernel of s390x has a name for
	else if ($3 != place[$1 " " $2] && got ~ /\(\$stack\)/)
		rule["entry"]++ # arguments on the stack are there at the entry
	else
		print "# " key ": perf " $3 " " want ", here " place[$1 " " $2] " " got
}
END {
	for (r in rule)
		print "rule", r, rule[r]
}' ours.args perf.args >compared
nothing "perf and tc-probe agree, but for the rules" "$(grep '^#' compared)"
sed -n 's/^rule /# /p' compared
is "enough is compared" \
	"$(awk '$1 == "rule" && $2 == "equal" { print ($3 >= 120) ? "yes" : $3 }' compared)" yes
finish
