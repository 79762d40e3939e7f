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
