#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of user addresses: of programs that have ended, were deleted, ran in a root of their own, or
# make their code themselves; read where none of them is to be found. nm says which are right.
#
# needs: root tracefs uprobes
# area: report

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"

cc=${CC:-cc}
cxx=${CXX:-c++}
[ "$(uname -m)" = x86_64 ] || skip_all "its programs have system calls of x86_64"
command -v "${cc##* }" >/dev/null || skip_all "there is no compiler ($cc)"
[ -e "$tracefs/options/userstacktrace" ] || skip_all "the kernel records no user stacks"

# Calls getppid with frames that the kernel can follow. "unlink": deletes itself first.
cat >calls.h <<'END_OF_SOURCE'
#include <unistd.h>

static inline __attribute__((always_inline)) long leaf(void)
{
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "a"(110) : "rcx", "r11", "memory");
	return r;
}

/* Descriptor 3, if there is one, says when to end. */
static inline void wait_to_end(void)
{
	char byte;

	if (read(3, &byte, 1) < 0)
		return;
}
END_OF_SOURCE
cat >prog.c <<'END_OF_SOURCE'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "calls.h"
__attribute__((noinline)) long deep(long k) { long r = leaf(); __asm__ volatile("" ::"r"(&k)); return r + k; }
__attribute__((noinline)) long middle(long k) { return deep(k + 1) * 3; }
__attribute__((noinline)) long top(long k) { return middle(k) * 2; }
int main(int argc, char **argv)
{
	long t = 0;

	if (argc > 1 && !strcmp(argv[1], "unlink"))
		unlink(argv[0]);
	for (int i = 0; i < 20; i++)
		t += top(i);
	wait_to_end();
	return t == 1;
}
END_OF_SOURCE
flags="-O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id"
# shellcheck disable=SC2086 # words
$cc $flags -static -no-pie -o prog prog.c 2>/dev/null || skip_all "there is no static libc"

mkfifo go
exec 4<>go

# stacks NAME FILES COMMAND...: record user stacks of getppid into NAME.dat, and show them in a root
# that holds nothing but tc-report. The programs FILES, which COMMAND runs, each end when the
# recorder has opened them and the test says so: it knows nothing of a program that was quicker.
stacks() {
	stacks_name=$1
	stacks_files=$2
	shift 2
	"$record" -q -e syscalls:sys_enter_getppid -O userstacktrace -F -c -o "$stacks_name.dat" -- "$@" \
		3<>go 4>&- >"$stacks_name.out" 2>"$stacks_name.err" &
	stacks_pid=$!
	for stacks_file in $stacks_files; do
		wait_for $stacks_pid has_open $stacks_pid "$stacks_file" && echo >&4
	done
	wait $stacks_pid
	cp "$stacks_name.dat" clean/x.dat
	chroot clean /tc-report -i x.dat --user-symbols >"$stacks_name.txt" 2>>"$stacks_name.err"
}

# A root with tc-report and its libraries
mkdir clean
cp "$report" clean/tc-report
ldd "$report" | grep -o '/[^ ]*' | while read -r lib; do
	mkdir -p "clean/$(dirname "$lib")"
	cp -L "$lib" "clean/$lib"
done
chroot clean /tc-report --version >/dev/null 2>&1 || skip_all "tc-report does not run in another root"

# frames FILE NAME: the functions of a program in its stacks, each once
frames() {
	sed -n "s/.*=> \([^ ]*\)+0x[0-9a-f]* (.*\/$2)/\1/p" "$1" | sort -u
}

# by_nm PROGRAM FILE: the same from the addresses, for a program at a fixed place
by_nm() {
	nm -n "$1" | awk '$2 ~ /[tTwW]/ { print $1, $3 }' >nm.txt
	"$report" -i "$2" | sed -n 's/.*=> 0x\([0-9a-f]*\)$/\1/p' | awk '
		function value(s,   i, v) {
			v = 0
			for (i = 1; i <= length(s); i++)
				v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
			return v
		}
		FNR == NR { at[++n] = value($1); name[n] = $2; next }
		{
			v = value($1)
			for (i = n; i > 0 && at[i] > v; i--)
				;
			if (i)
				print name[i]
		}' nm.txt - | sort -u
}

stacks ended prog ./prog
frames ended.txt prog >ended.frames
by_nm prog ended.dat >ended.nm
has "a program that has ended has names" ended.txt "=> deep+0x"
same "and they are those of nm" ended.frames ended.nm
has "its path is shown" ended.txt "($PWD/prog)"
is "and nothing is missing" "$(cat ended.err)" ""
"$report" -i ended.dat --user-symbols >here.txt 2>/dev/null
same "the programs of this machine make no difference" here.txt ended.txt

cp prog gone
stacks deleted gone ./gone unlink
[ ! -e gone ] || fail "the program deletes itself"
frames deleted.txt gone >deleted.frames
same "a deleted program has the same names" deleted.frames ended.frames

mkdir inner
cp prog inner/only-here
stacks chroot only-here chroot inner /only-here
rm -r inner
has "a program in a root of its own has names" chroot.txt "=> top+0x"
has "and its path there" chroot.txt "(/only-here)"

mkdir mnt
stacks mount in-there unshare -m sh -c 'mount -t tmpfs none mnt && cp prog mnt/in-there && mnt/in-there && exit'
if grep -q sys_enter_getppid mount.txt; then
	has "a program in a mount namespace has names" mount.txt "=> middle+0x"
else
	skip "a program in a mount namespace has names" "$(head -n 1 mount.err)"
fi

# The name is another program's when symbols are looked up.
stacks replaced old sh -c 'cp prog old && ./old; mv old away; cp /bin/true old'
frames replaced.txt old >replaced.frames
same "a program replaced by another file keeps its names" replaced.frames ended.frames

# Overwritten: the file itself is another one.
sed 's/deep/wrong/; s/middle/false_one/' prog.c >other.c
# shellcheck disable=SC2086 # words
$cc $flags -static -no-pie -o other other.c
cp prog same-inode
stacks overwritten same-inode sh -c './same-inode; cat other >same-inode'
has "an overwritten program is shown" overwritten.txt "same-inode)"
is "without names" "$(grep "=> [a-z_]*+0x.*same-inode)" overwritten.txt)" ""
has "and it is said why" overwritten.err "the file was replaced"

# A library, at an address that is another each time
cat >lib.c <<'END_OF_SOURCE'
#include "calls.h"
__attribute__((noinline)) long in_library(long k) { long r = leaf(); __asm__ volatile("" ::"r"(&k)); return r + k; }
END_OF_SOURCE
cat >uses.c <<'END_OF_SOURCE'
#include "calls.h"
long in_library(long);
__attribute__((noinline)) long uses(long k) { return in_library(k) + 1; }
int main(void) { long r = uses(1); wait_to_end(); return r == 12345; }
END_OF_SOURCE
# shellcheck disable=SC2086 # words
$cc $flags -shared -fPIC -o libnames.so lib.c &&
	$cc $flags -fPIE -pie -o uses uses.c -L. -lnames -Wl,-rpath,"$PWD"
stacks library uses ./uses
has "a function of a library" library.txt "=> in_library+0x"
has "in the library" library.txt "($PWD/libnames.so)"
has "called by one of a program at any place" library.txt "=> uses+0x"

# Another program in the same process: the addresses of both are the same.
cat >twice.sh <<'END_OF_SOURCE'
./prog
exec ./other
END_OF_SOURCE
stacks exec 'prog other' sh twice.sh
has "before exec the one" exec.txt "=> deep+0x"
has "after exec the other" exec.txt "=> wrong+0x"
sed -n 's/.*=> deep.*(\(.*\))/\1/p' exec.txt | sort -u >exec.deep
is "each in its own file" "$(cat exec.deep)" "$PWD/prog"

# Code that the program makes
cat >jit.c <<'END_OF_SOURCE'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	/* push %rbp; mov %rsp,%rbp; mov $110,%eax; syscall; pop %rbp; ret */
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, 110, 0, 0, 0, 0x0f, 0x05, 0x5d, 0xc3 };
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *f;

	memcpy(p, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	fprintf(f, "%lx %lx made::by <program>\n", (unsigned long)p, sizeof(code));
	fclose(f);
	((long (*)(void))p)();
	printf("%s\n", path);
	return 0;
}
END_OF_SOURCE
# shellcheck disable=SC2086 # words
$cc $flags -o jit jit.c
"$record" -q -e syscalls:sys_enter_getppid -O userstacktrace -F -o jit.dat -- ./jit >jit.path
rm -f "$(cat jit.path)"
"$report" -i jit.dat --user-symbols >jit.txt 2>jit.err
has "code that a program made has the name it gave" jit.txt "=> made::by <program>+0xb"

if command -v "${cxx##* }" >/dev/null; then
	cat >cxx.cc <<'END_OF_SOURCE'
#include "calls.h"
namespace geo {
template <typename T> struct Shape { T n; __attribute__((noinline)) T area(T k); };
template <typename T> T Shape<T>::area(T k) { T r = leaf(); __asm__ volatile("" ::"r"(&k)); return r * k + n; }
}
int main() { geo::Shape<long> s{3}; long r = s.area(2); wait_to_end(); return r == 12345; }
END_OF_SOURCE
	# shellcheck disable=SC2086 # words
	$cxx $flags -o cxx cxx.cc
	stacks cxx cxx ./cxx
	has "a method of C++" cxx.txt "=> $(nm -C cxx | sed -n 's/.* \([^ ]*Shape<long>::area\)(.*/\1/p')+0x"
else
	skip "a method of C++" "there is no C++ compiler ($cxx)"
fi

rustc=${RUSTC:-rustc}
cat >r.rs <<'END_OF_SOURCE'
use std::arch::asm;
use std::io::Read;
pub mod shapes {
    #[inline(never)]
    pub fn call_it(k: u64) -> u64 {
        let r: u64;
        unsafe { super::asm!("syscall", inlateout("rax") 110u64 => r, out("rcx") _, out("r11") _); }
        r + k
    }
}
fn main() {
    let r = shapes::call_it(3);
    std::fs::File::open("/proc/self/fd/3").unwrap().read(&mut [0u8; 1]).unwrap();
    std::process::exit((r == 12345) as i32)
}
END_OF_SOURCE
if "$rustc" -O -C force-frame-pointers=yes -o rust r.rs >/dev/null 2>&1; then
	stacks rust rust ./rust
	has "a function of Rust" rust.txt "=> r::shapes::call_it+0x"
else
	skip "a function of Rust" "there is no Rust compiler ($rustc)"
fi

go=${GO:-go}
cat >g.go <<'END_OF_SOURCE'
package main

import "syscall"

//go:noinline
func callIt() int { return syscall.Getppid() }

func main() {
	callIt()
	syscall.Read(3, make([]byte, 1))
}
END_OF_SOURCE
if command -v "$go" >/dev/null && "$go" build -o goprog g.go >/dev/null 2>&1; then
	stacks go goprog ./goprog
	has "a function of Go" go.txt "=> syscall."
else
	skip "a function of Go" "there is no Go compiler ($go)"
fi

# uprobes
"$record" -q -p "uprobe:$PWD/prog:middle" -o probe.dat -- ./prog 2>probe.err
cp probe.dat clean/x.dat
chroot clean /tc-report -i x.dat --user-symbols >probe.txt 2>>probe.err
has "a uprobe's address" probe.txt "(middle+0x0 ($PWD/prog))"
is "each call has it" "$(grep -c 'middle+0x0' probe.txt)" 20
"$record" -q -p "uretprobe:$PWD/prog:middle" -o ret.dat -- ./prog 2>ret.err
"$report" -i ret.dat --user-symbols >ret.txt 2>>ret.err
has "a return, to its caller" ret.txt "(top+0x"
has "from the function" ret.txt " <- middle+0x0 ("

# While the recorder is stopped, others fill the room that the kernel has for what programs map.
"$record" -q -e syscalls:sys_enter_getppid -O userstacktrace -o unread.dat 2>unread.err &
unread_pid=$!
wait_for $unread_pid recording $unread_pid || fail "a recording begins"
kill -STOP $unread_pid
wait_for $unread_pid is_stopped $unread_pid || fail "the recorder stops"
# shellcheck disable=SC2016 # the inner shell's
$on_one sh -c 'i=0; while [ $i -lt 2000 ]; do /bin/true; i=$((i + 1)); done; ./prog' 3<&- 4>&-
kill -CONT $unread_pid
kill -INT $unread_pid
wait $unread_pid
has "maps that were lost are said" unread.err "reports on what programs map were lost"

# Others read the file as before.
if command -v trace-cmd >/dev/null; then
	trace-cmd report -i ended.dat >theirs.txt 2>/dev/null
	is "trace-cmd reads it" "$(grep -c sys_enter_getppid theirs.txt)" "$(grep -c sys_enter_getppid ended.txt)"
else
	skip "trace-cmd reads it" "there is no trace-cmd"
fi
"$record" -q -e sched:sched_switch -o plain.dat -- ./prog
"$report" -i plain.dat >plain.txt
"$report" -i plain.dat --user-symbols >plain-names.txt 2>plain.err
same "a recording without user addresses is shown as without the option" plain-names.txt plain.txt
is "and nothing is said" "$(cat plain.err)" ""
nothing_of_mine "recordings with user stacks"
finish
