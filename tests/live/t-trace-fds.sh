#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace -y: the file of a descriptor is the one that the program had open at that moment, or none is
# shown; never another one.
#
# needs: root tracefs
# area: tools
# shellcheck disable=SC2317 # by wait_for
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
helper open-files
echo text >file
mkdir churn
mkfifo cues end || exit 1
exec 9<>cues

# shown CALL: there is a line of it. The program is to make one more.
shown() {
	grep -q "$1" lines && return
	printf a >&9
	return 1
}

# steps OPTION...: of a program that goes on when what is known of its descriptors is in a line
steps() {
	rm -f lines
	"$trace" -qq "$@" -o lines ./open-files steps file <cues >said &
	tracer=$!
	for step in 9001 9002; do
		wait_for $tracer shown "lseek(.*, $step, SEEK_SET)"
		echo >&9
	done
	wait $tracer
}

# Descriptors that stay open for a while; the program says by /proc/self/fd what they are.
steps -y -e trace=lseek,write,read,shutdown,dup2
is "exit status" $? 0
nothing "the program's own names are those shown" "$(while read -r call fd; do
	sed 's/^[0-9]* *//' lines | grep -qF "$call($fd" || echo "$call($fd"
done <said)"
is "it said so many" "$(wc -l <said)" 6
has "a copy has the name of its original" lines "dup2(3<$PWD/file>, 40) = 40<$PWD/file>"
is "a child has its parent's descriptors, also after exec" \
	"$(grep -c "lseek(40<$PWD/file>, 10[234], SEEK_SET)" lines)" 3

steps -yy -e trace=lseek,shutdown
is "-yy: protocols of sockets" \
	"$(sed -n 's/^[0-9]* *//; s/ *= .*//; /^shutdown/p' lines)" "shutdown($(sed -n 's/^shutdown //; s/<socket:/<UNIX-STREAM:/p' said), SHUT_RD)"
steps --decode-fds=path -e trace=lseek
has "--decode-fds=path is -y" lines "lseek(40<$PWD/file>, 102, SEEK_SET)"
steps -y --decode-fds=none -e trace=lseek
has "--decode-fds=none takes it back" lines "lseek(40, 102, SEEK_SET)"
steps -P file
is "-P: only calls with descriptors of the file" "$(grep -c 'lseek(.*, 10' lines) $(grep -c 'write(\|shutdown(' lines)" "4 0"
has "-P: copies, too" lines "close(3)"

# wanted FILE: "CALL = FD<FILE>" of the program's calls from lseek(-1, 9000) to lseek(FD, 9001)
wanted() {
	awk '/lseek\(-1, 9000/ { pid = $1 }
		pid && /lseek\(.*, 9001/ { exit }
		$1 == pid' "$1" | sed -n 's/^[0-9]* *\(<[.]* \)*\([a-z0-9]*\)[( ].*) *= \([0-9]*<.*\)$/\2 = \3/p'
}

# results NAME OPTION...: of calls that return a descriptor; strace -y shows the same run
results() {
	results_name=$1
	shift
	rm -f lines beside
	"$trace" -q -y "$@" -o lines strace -f -q -y -o beside ./open-files results file <end >ready &
	tracer=$!
	exec 8>end
	wait_for $tracer grep -q "lseek(.*, 9001, SEEK_SET)" lines
	is "$results_name: shown while the program waits" "$(wanted lines)" "$(wanted beside)"
	exec 8>&-
	wait $tracer
	is "$results_name: strace shows so many" "$(wanted beside | wc -l)" 16
}

# named FILE: the results that have a file
named() {
	sed -n "s/^[0-9]* .* = \([0-9]*<.*\)\$/\1/p" "$1" | sort
}
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	results "-y: results that are descriptors"
	results "-y --record: the same" --record run.dat
	"$trace" -q -y -i run.dat -o lines
	is "-y -i: the same" "$(wanted lines)" "$(wanted beside)"
	"$trace" -q -y -z -i run.dat -o whole
	is "-y -z -i: lines that are shown when the call has ended" "$(named whole)" "$(named lines)"
	"$trace" -q -y --json -i run.dat -o json
	is "-y --json -i: the same results" \
		"$(sed -n 's/.*"result":"\([0-9]*<[^"]*\)".*/\1/p' json | sort)" "$(named lines)"
	rm -f each.*
	"$trace" -q -y -ff -i run.dat -o each
	is "-y -ff -i: each in the file of its thread" \
		"$(cat each.* | sed -n 's/.* = \([0-9]*<.*\)$/\1/p' | sort)" "$(named lines)"
	nothing "no mark is left" "$(cat lines json each.* | tr -dc '\001'; grep u0001 json)"
else
	skip "-y: results beside strace" "strace may not trace here"
fi

# A process that has it open already
./open-files wait file <end >ready &
pid=$!
exec 8>end
wait_for $pid test -s ready
rm -f lines
"$trace" -y -qq -e trace=lseek -p $pid -o lines 8>&- &
tracer=$!
wait_for $tracer traces tc-trace.$tracer
echo >&8
wait_for $tracer grep -q "lseek(.*, 9001, SEEK_SET)" lines
exec 8>&-
wait $pid
is "-p: the process found its file" $? 0
wait $tracer
has "-p: a file that was open before" lines "lseek(3<$PWD/file>, 105, SEEK_SET)"

# Descriptors that are reused all the time, by threads: only what is certain is shown.
"$trace" -y -qq -e trace=lseek -o lines ./open-files churn "$PWD/churn"
is "files that come and go: exit status" $? 0
awk -v want="$PWD/churn/f" '
	!match($0, /lseek\([0-9]+/) { next }
	{ n++ }
	!match($0, /lseek\([0-9]+<[^>]*>/) { next }
	{
		file = substr($0, RSTART, RLENGTH - 1)
		sub(/.*</, "", file)
		number = substr($0, RSTART + RLENGTH + 2) + 0 - 1000
		known++
		if (file != want number)
			print > "wrong"
	}
	END { print n, known + 0 >"counts" }' lines
read -r n known <counts
# 2 to 3 of each of 2000 files
between "there are such calls" "$n" 4000 6000
nothing "none is shown with the file of another" "$(cat wrong 2>/dev/null)"
between "some are shown with their file" "$known" 1 "$n"
nothing_of_mine "afterwards"
finish
