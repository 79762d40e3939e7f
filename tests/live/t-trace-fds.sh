#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace -y: the file of a descriptor is the one that the program had open at that moment, or none is
# shown; never another one.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
cc=${CC:-cc}
$cc -O1 -pthread -o open-files "$TC_SRCDIR/tests/live/open-files.c" || skip_all "cannot compile"
remember_state
echo text >file
mkdir churn

# Descriptors that stay open for a while; the program says by /proc/self/fd what they are.
"$trace" -y -qq -e trace=lseek,write,read,shutdown,dup2 -o lines ./open-files steps file >said
is "exit status" $? 0
nothing "the program's own names are those shown" "$(while read -r call fd; do
	sed 's/^[0-9]* *//' lines | grep -qF "$call($fd" || echo "$call($fd"
done <said)"
is "it said so many" "$(wc -l <said)" 6
has "a copy has the name of its original" lines "dup2(3<$PWD/file>, 40) = 40<$PWD/file>"
is "a child has its parent's descriptors, also after exec" \
	"$(grep -c "lseek(40<$PWD/file>, 10[234], SEEK_SET)" lines)" 3

"$trace" -yy -qq -e trace=shutdown -o lines ./open-files steps file >said
is "-yy: protocols of sockets" \
	"$(sed 's/^[0-9]* *//; s/ *= .*//' lines)" "shutdown($(sed -n 's/^shutdown //; s/<socket:/<UNIX-STREAM:/p' said), SHUT_RD)"
"$trace" --decode-fds=path -qq -e trace=lseek -o lines ./open-files steps file >/dev/null
has "--decode-fds=path is -y" lines "lseek(40<$PWD/file>, 102, SEEK_SET)"
"$trace" -y --decode-fds=none -qq -e trace=lseek -o lines ./open-files steps file >/dev/null
has "--decode-fds=none takes it back" lines "lseek(40, 102, SEEK_SET)"
"$trace" -P file -qq -o lines ./open-files steps file >/dev/null
is "-P: only calls with descriptors of the file" "$(grep -c 'lseek(' lines) $(grep -c 'write(\|shutdown(' lines)" "4 0"
has "-P: copies, too" lines "close(3)"

# A process that has it open already
mkfifo end
./open-files wait file <end >ready &
pid=$!
exec 8>end
until [ -s ready ]; do sleep .02; done
"$trace" -y -qq -e trace=lseek -p $pid -o lines 8>&- &
tracer=$!
until_true 60 traces tc-trace.$tracer
sleep .2
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
between "there are such calls" "$n" 4000 6000
nothing "none is shown with the file of another" "$(cat wrong 2>/dev/null)"
between "some are shown with their file" "$known" 1 "$n"
same_state "afterwards"
finish
