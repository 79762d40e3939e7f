#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of functions in CPU profiles (tc-record --profile-cpu) of programs that have ended, were deleted,
# or ran in a root of their own, in C, C++, Rust and Go; read where none of them is to be found. nm says
# which address is in which function (profile.py), and the programs how long each took.
#
# needs: root tracefs
# area: profile

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"

cc=${CC:-cc}
cxx=${CXX:-c++}
[ -e "$tracefs/events/sched/sched_waking/enable" ] || skip_all "this kernel has no sched_waking"
[ -e "$tracefs/options/userstacktrace" ] || skip_all "the kernel records no user stacks"
command -v "${cc##* }" >/dev/null || skip_all "there is no compiler ($cc)"
command -v python3 >/dev/null || skip_all "no python3"
# The programs compute for a second of CPU time, two thirds of it in one function and a third in another,
# whose times they print as busy.c does. "unlink": deletes itself first; "base": writes its address.
cat >burn.h <<'END_OF_SOURCE'
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static volatile unsigned long burn_sink;

static inline long long burn_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* About a nanosecond each */
#define BURN(n)                                                                       \
	do {                                                                          \
		unsigned long x = burn_sink;                                          \
		for (long i = 0; i < (n); i++)                                        \
			x = x * 6364136223846793005U + 1442695040888963407U;          \
		burn_sink = x;                                                        \
	} while (0)

static inline long long burn_for(void (*burn)(long), long n)
{
	const long long begin = burn_now(CLOCK_THREAD_CPUTIME_ID);

	burn(n);
	return burn_now(CLOCK_THREAD_CPUTIME_ID) - begin;
}

static inline void burn_all(void (*much)(long), const char *much_name, void (*less)(long), const char *less_name)
{
	long long ns[2] = { 0, 0 };
	struct rusage u;

	while (burn_now(CLOCK_PROCESS_CPUTIME_ID) < 1000000000) {
		ns[0] += burn_for(much, 400000);
		ns[1] += burn_for(less, 200000);
	}
	getrusage(RUSAGE_SELF, &u);
	printf("%s %lld\n%s %lld\ntotal %lld\n", much_name, ns[0], less_name, ns[1],
	       (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000LL +
		       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000LL);
	fflush(stdout);
}
END_OF_SOURCE
cat >prog.c <<'END_OF_SOURCE'
#include <string.h>
#include <unistd.h>
#include "burn.h"
extern const char __ehdr_start[];
__attribute__((noinline)) void burn_much(long n) { BURN(n); }
__attribute__((noinline)) void burn_less(long n) { BURN(n); }
int main(int argc, char **argv)
{
	char go[1];
	FILE *f;

	if (argc > 1 && !strcmp(argv[1], "unlink"))
		unlink(argv[0]);
	if (argc > 1 && !strcmp(argv[1], "base")) {
		f = fopen("base", "w");
		fprintf(f, "%lx\n", (unsigned long)__ehdr_start);
		fclose(f);
	}
	burn_all(burn_much, "burn_much", burn_less, "burn_less");
	/* Descriptor 3, if there is one, says when the recorder has opened this file. */
	(void)!read(3, go, 1);
	return 0;
}
END_OF_SOURCE
flags="-O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id"
# shellcheck disable=SC2086 # words
$cc $flags -static -no-pie -o "prog-$$" prog.c 2>/dev/null || skip_all "there is no static libc"

# A root with tc-report and its libraries
mkdir clean
cp "$report" clean/tc-report
ldd "$report" | grep -o '/[^ ]*' | while read -r lib; do
	mkdir -p "clean/$(dirname "$lib")"
	cp -L "$lib" "clean/$lib"
done
chroot clean /tc-report --version >/dev/null 2>&1 || skip_all "tc-report does not run in another root"

# symbols_of PROGRAM [BASE]: its functions without their parameters, as nm demangles them
symbols_of() {
	nm -C "$1" | sed 's/(.*//' | python3 -c '
import sys
for words in map(str.split, sys.stdin):
    if len(words) == 3:
        print("%x" % (int(words[0], 16) + int(sys.argv[1], 16)), *words[1:])' "${2:-0}"
}

mkfifo go
exec 4<>go

# profile NAME FILE COMMAND...: NAME.dat; what COMMAND prints is NAME.truth. COMMAND runs a copy of ./prog
# called FILE, which is told to end when the recorder has it open; '': another program
profile() {
	profile_name=$1
	profile_file=$2
	shift 2
	if [ -z "$profile_file" ]; then
		"$record" -q --profile-cpu=1997 -o "$profile_name.dat" -- "$@" \
			4>&- >"$profile_name.truth" 2>"$profile_name.err"
		return
	fi
	"$record" -q --profile-cpu=1997 -o "$profile_name.dat" -- "$@" \
		3<>go 4>&- >"$profile_name.truth" 2>"$profile_name.err" &
	profile_pid=$!
	wait_for $profile_pid has_open $profile_pid "$profile_file" && echo >&4
	wait $profile_pid
}

# clean_report NAME OPTION...: in the root that holds nothing but tc-report
clean_report() {
	cp "$1.dat" clean/x.dat
	shift
	chroot clean /tc-report -i x.dat --no-pager "$@"
}

# value KEY
value() {
	awk -v key="$1" '$1 == key { print $2 }' found
}

# named NAME COMM PROGRAM [BASE]: NAME.dat has the names that nm has, for as much time as the program
# says. The program need not be where it was.
named() {
	symbols_of "$3" "${4:-0}" >symbols
	"$report" -i "$1.dat" --json >json
	clean_report "$1" --folded --countname=ns >folded 2>"$1.err"
	nothing "$1: each function of nm has its samples' shares of the run time" \
		"$(python3 "$TC_SRCDIR/tests/live/profile.py" --weights "$2" symbols "$1.truth" folded <json)"
	python3 "$TC_SRCDIR/tests/live/profile.py" "$2" symbols "$1.truth" <json >found
	between "$1: that is what the program says, but for chance (permille)" "$(value wrong)" 0 \
		"$(value chance)"
	echo "# $1: $(value samples) samples, $(value wrong) of $(value chance) permille"
	nothing "$1: no name of the program is missing" "$(grep -F "/$2" "$1.err")"
	clean_report "$1" --flat --csv >flat 2>/dev/null
	nothing "$1: --flat has the sums" "$(awk 'FILENAME == ARGV[1] { if ($1 != "total") sum[$1] = 0; next }
		FILENAME == ARGV[2] {
			k = split(substr($0, 1, length($0) - length($NF) - 1), frame, ";")
			for (i = 2; i <= k; i++)
				if (frame[i] in sum)
					sum[frame[i]] += $NF
			next
		}
		{ split($0, v, ","); total[v[5]] = v[3] }
		END {
			for (f in sum)
				if (sprintf("%.9f", sum[f] / 1e9) != total[f])
					print f, total[f], "wanted", sum[f]
		}' "$1.truth" folded flat)"
}

profile ended "prog-$$" "./prog-$$"
is "a recording succeeds" $? 0
named ended "prog-$$" "prog-$$"

cp "prog-$$" "gone-$$"
profile deleted "gone-$$" "./gone-$$" unlink
[ ! -e "gone-$$" ] || fail "the program deletes itself"
named deleted "gone-$$" "prog-$$"

mkdir inner
cp "prog-$$" "inner/here-$$"
profile chroot "here-$$" chroot inner "/here-$$"
rm -r inner
named chroot "here-$$" "prog-$$"

mkdir mnt
profile mount "there-$$" unshare -m sh -c "mount -t tmpfs none mnt && cp prog-$$ mnt/there-$$ && mnt/there-$$ && exit"
if [ -s mount.truth ]; then
	named mount "there-$$" "prog-$$"
else
	skip "a program in a mount namespace" "$(head -n 1 mount.err)"
fi

# The name is another program's when symbols are looked up.
profile renamed "old-$$" sh -c "cp prog-$$ old-$$ && ./old-$$; mv old-$$ away; cp /bin/true old-$$"
named renamed "old-$$" "prog-$$"

# Another program at its path, where the report is read, makes no difference.
sed 's/burn_much/wrong_much/; s/burn_less/wrong_less/' prog.c >other.c
# shellcheck disable=SC2086 # words
$cc $flags -static -no-pie -o other other.c
mkdir -p "clean$PWD"
cp other "clean$PWD/prog-$$"
cp ended.dat elsewhere.dat
cp ended.truth elsewhere.truth
named elsewhere "prog-$$" "prog-$$"
rm "clean$PWD/prog-$$"

# Overwritten: the file itself is another one, with another build-id.
is "the other program has another build-id" \
	"$(for f in "prog-$$" other; do readelf -n "$f" | grep 'Build ID'; done | sort -u | grep -c .)" 2
cp "prog-$$" "same-$$"
profile overwritten "same-$$" sh -c "./same-$$; cat other >same-$$"
clean_report overwritten --folded >folded 2>/dev/null
clean_report overwritten --user-symbols >/dev/null 2>overwritten.err
is "an overwritten program has samples" "$(grep -c "^same-$$;" folded | awk '{ print ($1 > 0) }')" 1
is "without names" "$(grep "^same-$$;.*\(burn\|wrong\)_" folded)" ""
has "and it is said why" overwritten.err "the file was replaced"

# At an address that is another each time
# shellcheck disable=SC2086 # words
$cc $flags -fPIE -pie -o "pie-$$" prog.c
profile pie "pie-$$" "./pie-$$" base
named pie "pie-$$" "pie-$$" "$(cat base)"

if command -v "${cxx##* }" >/dev/null; then
	cat >cxx.cc <<'END_OF_SOURCE'
#include "burn.h"
namespace geo {
template <typename T> struct Shape {
	__attribute__((noinline)) static void much(T n) { BURN(n); }
	__attribute__((noinline)) static void less(T n) { BURN(n); }
};
}
int main()
{
	burn_all(geo::Shape<long>::much, "geo::Shape<long>::much", geo::Shape<long>::less, "geo::Shape<long>::less");
	return 0;
}
END_OF_SOURCE
	# shellcheck disable=SC2086 # words
	$cxx $flags -no-pie -o "cxx-$$" cxx.cc
	profile cxx '' "./cxx-$$"
	named cxx "cxx-$$" "cxx-$$"
else
	skip "C++" "there is no C++ compiler ($cxx)"
fi

rustc=${RUSTC:-rustc}
cat >r.rs <<'END_OF_SOURCE'
use std::hint::black_box;

#[repr(C)]
struct Timespec { sec: i64, ns: i64 }
extern "C" { fn clock_gettime(clock: i32, ts: *mut Timespec) -> i32; }

fn now(clock: i32) -> i64 {
    let mut ts = Timespec { sec: 0, ns: 0 };
    unsafe { clock_gettime(clock, &mut ts) };
    ts.sec * 1_000_000_000 + ts.ns
}

pub mod shapes {
    use super::black_box;
    #[inline(never)]
    pub fn much(n: u64) {
        let mut x = black_box(1u64);
        for _ in 0..n { x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); }
        black_box(x);
    }
    #[inline(never)]
    pub fn less(n: u64) {
        let mut x = black_box(2u64);
        for _ in 0..n { x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); }
        black_box(x);
    }
}

/* CLOCK_THREAD_CPUTIME_ID is 3, CLOCK_PROCESS_CPUTIME_ID 2. */
fn burn_for(burn: fn(u64), n: u64) -> i64 {
    let begin = now(3);
    burn(n);
    now(3) - begin
}

fn main() {
    let (mut much, mut less) = (0, 0);
    while now(2) < 1_000_000_000 {
        much += burn_for(black_box(shapes::much), 400_000);
        less += burn_for(black_box(shapes::less), 200_000);
    }
    println!("r::shapes::much {}\nr::shapes::less {}\ntotal {}", much, less, now(2));
}
END_OF_SOURCE
if "$rustc" -O -C force-frame-pointers=yes -C relocation-model=static --crate-name r -o "rust-$$" r.rs >/dev/null 2>&1; then
	profile rust '' "./rust-$$"
	named rust "rust-$$" "rust-$$"
else
	skip "Rust" "there is no Rust compiler ($rustc)"
fi

go=${GO:-go}
cat >g.go <<'END_OF_SOURCE'
package main

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

var sink uint64

//go:noinline
func much(n int) {
	x := sink
	for i := 0; i < n; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink = x
}

//go:noinline
func less(n int) {
	x := sink
	for i := 0; i < n; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink = x
}

// CLOCK_THREAD_CPUTIME_ID is 3, CLOCK_PROCESS_CPUTIME_ID 2.
func now(clock uintptr) int64 {
	var ts syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano()
}

func burnFor(burn func(int), n int) int64 {
	begin := now(3)
	burn(n)
	return now(3) - begin
}

func main() {
	var ns [2]int64
	runtime.LockOSThread()
	for now(2) < 1000000000 {
		ns[0] += burnFor(much, 400000)
		ns[1] += burnFor(less, 200000)
	}
	fmt.Printf("main.much %d\nmain.less %d\ntotal %d\n", ns[0], ns[1], now(2))
}
END_OF_SOURCE
if command -v "$go" >/dev/null && "$go" build -o "go-$$" g.go >/dev/null 2>&1; then
	profile go '' "./go-$$"
	named go "go-$$" "go-$$"
else
	skip "Go" "there is no Go compiler ($go)"
fi
nothing_of_mine "profiles of programs that are gone"
finish
