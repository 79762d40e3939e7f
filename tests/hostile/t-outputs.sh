#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Links that somebody else has put where an output is to be: no program follows them in a directory that
# others may write to, and what they lead to keeps its text and its mode.
#
# area: gate report

# shellcheck source=tests/hostile/lib.sh
. "${TC_SRCDIR:-$(dirname "$0")/../..}/tests/hostile/lib.sh"

command -v xz >/dev/null || skip_all "xz is not installed"
xz -dc "$TC_SRCDIR/tests/data/recordings/x86_64/stack.dat.xz" >in.dat
mkdir -m 1777 common
chmod 1777 common

names="out out.html out.1"
# refuses NAME COMMAND...: writes to common/out, which is a link
refuses() {
	what=$1
	shift
	rm -f common/out* precious
	echo precious >precious
	chmod 600 precious
	for name in $names; do
		ln -s ../precious "common/$name"
	done
	bounded "$@"
	status=$?
	if [ $status = 0 ] || ! grep -q 'there is a symbolic link' err; then
		fail "$what: refused" "status $status" "$(head -n 5 err)"
	else
		is "$what: refused, and the target is as it was" \
			"$(cat precious) $(stat -c %a precious) $(readlink common/out)" "precious 600 ../precious"
	fi
}

for option in html heatmap flame folded perfetto chrome speedscope perf-script; do
	set -- --$option=common/out.html
	case $option in
	heatmap) set -- "$@" --of=sched:wakeup ;;
	esac
	refuses "tc-report --$option" "$TC_BUILDDIR/tc-report" "$@" in.dat
done
# A folder of tables, of which a link on the way leads elsewhere
mkdir elsewhere
ln -s ../elsewhere common/dir
refuses "tc-report --arrow=DIR" "$TC_BUILDDIR/tc-report" --arrow=common/dir/out in.dat
is "tc-report --arrow=DIR: nothing appears elsewhere" "$(ls elsewhere)" ""
runs "tc-report --arrow=DIR writes where nobody else can" "$TC_BUILDDIR/tc-report" --arrow=tables/ in.dat
is "and has tables there" "$(find tables -name "*.arrows" | grep -c .)" "$(find tables -type f | grep -c .)"
refuses "tc-report --arrow" "$TC_BUILDDIR/tc-report" --arrow -o common/out in.dat
refuses "tc-file convert" "$TC_BUILDDIR/tc-file" convert -i in.dat -o common/out
refuses "tc-file scrub" "$TC_BUILDDIR/tc-file" scrub -i in.dat -o common/out
refuses "tc-file split" "$TC_BUILDDIR/tc-file" split --count 10 -i in.dat -o common/out
"$TC_BUILDDIR/tc-file" split -q --count 20 -i in.dat -o piece
refuses "tc-file merge" "$TC_BUILDDIR/tc-file" merge -o common/out piece.1 piece.2
refuses "tc-trace -o" "$TC_BUILDDIR/tc-trace" -i in.dat -o common/out
refuses "tc-trace -A" "$TC_BUILDDIR/tc-trace" -i in.dat -A -o common/out
mkdir threads
xz -dc "$TC_SRCDIR/tests/data/recordings/x86_64/inst.dat.xz" >calls.dat
"$TC_BUILDDIR/tc-trace" -i calls.dat -ff -o threads/out
names="$names $(ls threads)"
refuses "tc-trace -ff" "$TC_BUILDDIR/tc-trace" -i calls.dat -ff -o common/out
refuses "tc-listen --log" "$TC_BUILDDIR/tc-listen" -p 0 --log common/out
"$cc" -g -O0 -x c -o prog - <<'END'
int main(int argc, char **argv) { return argc > 3 ? *argv[0] : 0; }
END
refuses "tc-probe --plan" "$probe" -x ./prog --plan=common/out 'main argc'

finish
