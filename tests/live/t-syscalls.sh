#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-report --syscalls beside strace -c -f of the same commands: as many calls and errors of each kind.
#
# Inherent differences: strace counts time on the CPU where --syscalls has wall-clock time; it begins with
# the exec of COMMAND, so the report does too (--after). The number of SIGCHLDs that one handler is
# called for, and so of rt_sigreturn, depends on the time at which children end; restarts of calls
# (ERESTARTSYS) do as well. The commands here do not have several children at a time.
#
# needs: root tracefs
# area: tools
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

command -v strace >/dev/null || skip_all "strace is not installed"
strace -o /dev/null true 2>/dev/null || skip_all "strace may not trace here"

# The kinds of calls that strace saw: name, calls, errors. Calls of 32 bits have a table of their own.
count_strace() {
	awk 'NF >= 5 && $4 ~ /^[0-9]+$/ && $NF != "total" { calls[$NF] += $4; errors[$NF] += NF == 6 ? $5 : 0 }
		END { for (name in calls) print name, calls[name], errors[name] }' "$1" | sort
}

# table OPTION...
table() {
	"$report" --no-pager -q -i calls.dat --after sched_process_exec --syscalls "$@"
}

# beside NAME COMMAND...
beside() {
	beside_name=$1
	shift
	strace -c -f -o calls.txt "$@" >/dev/null 2>&1
	beside_status=$?
	"$record" -q -F -c -e raw_syscalls -e sched:sched_process_exec -e sched:sched_switch \
		-o calls.dat -- "$@" >/dev/null 2>said
	is "$beside_name: ends as under strace" "$? $(grep '^tc-record:' said)" "$beside_status "
	count_strace calls.txt >theirs
	table --csv | awk -F, 'NR > 1 && $5 > 0 { print $1, $5, $6 }' | sort >ours
	same "$beside_name: calls and errors are those of strace" ours theirs
	# The errors by name, from the lines of strace
	strace -f -o lines.txt "$@" >/dev/null 2>&1
	sed -n 's/^[0-9]* *//; s/^<\.\.\. //; s/^\([a-z0-9_]*\)[ (].* = -1 \(E[A-Z0-9]*\) .*/\1 \2/p' \
		lines.txt | sort | uniq -c | awk '{ print $2, $3, $1 }' >theirs
	table --csv | awk -F, 'NR > 1 && $7 != "" {
		n = split($7, error, " ")
		for (i = 1; i <= n; i++) {
			split(error[i], of, ":")
			print $1, of[1], of[2]
		}
	}' | sort >ours
	if [ -s theirs ]; then
		same "$beside_name: errors by name are those of strace" ours theirs
	else
		nothing "$beside_name: no errors by name" "$(cat ours)"
	fi
}

cat >children.sh <<'END'
i=0
while [ $i -lt 5 ]; do
	/bin/ls /nonexistent tree
	/bin/cat /etc/passwd
	i=$((i + 1))
done
END
mkdir tree
for i in a b c d e; do
	mkdir "tree/$i"
	touch "tree/$i/a1" "tree/$i/b1" "tree/$i/a2"
done
beside "one process" find tree /nonexistent -name 'a*'
beside "a shell and its children" sh children.sh
is "every process ends in a call that does not return" \
	"$(table | sed -n 's/.*did not return:.* exit_group \([0-9]*\).*/\1/p')" 11
beside "a call that fails" cat /nonexistent

# Numbers of 32-bit programs are others: getpid is 20, which is writev for those of 64 bits. The program creates
# a process, and executes one of 64 bits in the end.
cat >calls32.c <<'END'
static long call(long nr, long a, long b, long c)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(nr), "b"(a), "c"(b), "d"(c) : "memory");
	return ret;
}
void _start(void)
{
	char *argv[] = { "true", 0 };
	long child;

	for (int i = 0; i < 20; i++)
		call(20, 0, 0, 0); /* getpid */
	child = call(2, 0, 0, 0); /* fork */
	for (int i = 0; !child && i < 7; i++)
		call(64, 0, 0, 0); /* getppid */
	if (!child)
		call(1, 0, 0, 0); /* exit */
	call(114, -1, 0, 0); /* wait4 */
	call(5, (long)"/nonexistent", 0, 0); /* open */
	call(11, (long)"/bin/true", (long)argv, 0); /* execve */
	call(1, 1, 0, 0);
}
END
cc=${CC:-cc}
# shellcheck disable=SC2086 # compiler and options
if [ "$(uname -m)" = x86_64 ] && $cc -m32 -nostdlib -static -fno-pie -no-pie -o calls32 calls32.c 2>err && ./calls32; then
	beside "programs of 32 and of 64 bits" sh -c './calls32; ./calls32; exit 3'
	"$TC_BUILDDIR/tc-trace" -q -i calls.dat >calls.lines 2>err
	for call in getpid getppid fork open wait4 writev; do
		is "tc-trace -i has as many lines of $call as strace" "$(grep -c "^[^\"]*\\b$call(" calls.lines)" \
			"$(grep -c "^[^\"]*\\b$call(" lines.txt)"
	done
else
	skip "programs of 32 bits" "cannot compile or run one: $(head -n 1 err)"
fi
nothing_of_mine "recordings of system calls"
finish
