#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs whose path the kernel does not take: a blank, or a '#', in it.
#
# needs: root tracefs uprobes
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

links=/run/tracecraft/paths
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "no C compiler"

cat >prog.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int use(int v)
{
	printf("%d\n", v);
	return v;
}
int main(void)
{
	return use(41) + use(-7) == 34 ? 0 : 1;
}
END

# listed GROUP: the file "path" has the path that a probe of it is in. Read while others delete theirs,
# the list may lack any line.
# shellcheck disable=SC2317 # wait_for runs it
listed() {
	sed -n "s|^p:$1/[^ ]* \(.*\):0x.*|\1|p" "$tracefs/uprobe_events" | head -n 1 >path
	[ -s path ]
}

for name in 'my prog' 'my#prog'; do
	mkdir -p "a $name"
	file="$tap_dir/a $name/$name"
	"$cc" -g -O0 -o "$file" prog.c 2>/dev/null || skip_all "$cc does not compile"
	find "$links" -type l 2>/dev/null | sort >before
	"$probe" -q -x "$file" -a "$group:one=use v" 2>err
	is "'$name': a probe is defined" "$?" 0
	"$probe" -q -x "$file" -a "$group:two=use%return" 2>err
	is "'$name': a second one too" "$?" 0
	wait_for $$ listed "$group"
	link=$(cat path)
	is "'$name': the kernel was given a link to it" "$(readlink "$link")" "$file"
	is "'$name': in a directory that only root can use" "$(stat -c '%a %u' "$links")" "700 0"
	"$probe" -l "$group:*" >list
	has "'$name': it is listed with its own path" list "in $file with v"
	"$record" -q -e "$group:one" -o t.dat -- "$file" >said 2>/dev/null
	"$report" -i t.dat 2>/dev/null | sed -n 's/.*) v=//p' >got
	same "'$name': values are the program's" got said
	"$probe" -q -d "$group:one"
	is "'$name': the link stays with the second probe" "$(readlink "$link")" "$file"
	"$probe" -n -d "$group:two" >dry
	has "'$name': -n shows that the link would be removed" dry "rm $link"
	"$probe" -q -d "$group:two"
	find "$links" -type l 2>/dev/null | sort >after
	is "'$name': the link is removed with the last probe" "$(cat after)" "$(cat before)"
	"$probe" -x "$file" -D "$group:one=use v" >out 2>err
	has "'$name': -D says that it prints a link" err "$file"
	find "$links" -type l 2>/dev/null | sort >after
	is "'$name': and makes none" "$(cat after)" "$(cat before)"
	"$probe" -x "$file" -n -a "$group:one=use v" >dry 2>err
	has "'$name': -n shows how the link is made" dry "ln -sfn '$file' $link"
	sh -e dry && "$probe" -l "$group:one" >list
	has "'$name': the commands of -n work" list "in $file with v"
	"$probe" -q -d "$group:one"
	# the first is resolved, the second is nothing
	"$probe" -x "$file" -a "$group:one=use v" -a 'nothing_is_called_this' >/dev/null 2>&1
	find "$links" -type l 2>/dev/null | sort >after
	is "'$name': a failure leaves nothing" "$(cat after)" "$(cat before)"
done

# A recording's own probes: the link goes with the last that uses it, whoever made it.
file="$tap_dir/a my prog/my prog"
find "$links" -type l 2>/dev/null | sort >before
mkfifo go
"$record" -q -p "uprobe:$file:use v" -o r.dat -- cat go 2>err &
pid=$!
wait_for $pid recording $pid || fail "a recording with a probe begins" "$(cat err)"
wait_for $pid listed "tc_record_$pid"
link=$(cat path)
is "a recording: the kernel was given a link" "$(readlink "$link")" "$file"
"$probe" -q -x "$file" -a "$group:one=use v"
kill -INT $pid
wait $pid
is "the recording ends: the link stays with another's probe" "$(readlink "$link")" "$file"
"$probe" -q -d "$group:one"
is "and is removed with it" "$(readlink "$link")" ""
"$record" -q -p "uprobe:$file:use v" -o r.dat -- cat go 2>err &
pid=$!
wait_for $pid recording $pid || fail "a second recording begins" "$(cat err)"
read -r child <"/proc/$pid/task/$pid/children"
kill -KILL $pid
wait $pid 2>/dev/null
kill "$child"
is "a killed recording leaves its link" "$(readlink "$link")" "$file"
"$record" -q -e sched_switch -o s.dat -- true 2>err
is "the next one takes it away" "$(readlink "$link")" ""
find "$links" -type l 2>/dev/null | sort >after
is "no other link is left" "$(cat after)" "$(cat before)"
nothing_of_mine "a killed recording with a probe"
finish
