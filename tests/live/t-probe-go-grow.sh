#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A Go function that finds too little stack has it grown and begins again: a probe on the function is
# hit once for each call all the same, and reads what it was called with.
#
# needs: root tracefs uprobes
# area: probe

# shellcheck disable=SC2016 # dollars are the probes'

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

go=${GO:-go}
command -v "$go" >/dev/null || skip_all "there is no Go compiler ($go)"
[ "$(uname -m)" = x86_64 ] || skip_all "it expects registers of x86_64"

mkdir m
cat >m/go.mod <<'END_OF_SOURCE'
module example.com/m

go 1.18
END_OF_SOURCE
# Each in a goroutine of its own, whose stack has 2 KiB at first: large, huge and asmf, whose arguments
# are on the stack, do not fit at their first call, small does not after some more of its calls.
cat >m/main.go <<'END_OF_SOURCE'
package main

import "fmt"

//go:noinline
func small(n int, s string) int {
	if n == 0 {
		return 0
	}
	return small(n-1, s) + 1
}

//go:noinline
func large(n, m int) int {
	var pad [3000]byte
	fmt.Printf("@ large n=%d m=%d\n", n, m)
	fill(pad[:], n)
	return int(pad[m])
}

//go:noinline
func huge(n, m int) int {
	var pad [20000]byte
	fmt.Printf("@ huge n=%d m=%d\n", n, m)
	fill(pad[:], n)
	return int(pad[m])
}

//go:noinline
func fill(p []byte, n int) {
	for i := range p {
		p[i] = byte(n + i)
	}
}

func asmf(n int) int

func alone(f func()) {
	done := make(chan bool)
	go func() {
		f()
		done <- true
	}()
	<-done
}

func main() {
	for i := 200; i >= 0; i-- {
		fmt.Printf("@ small n=%d s=\"%s\" s_len=%d\n", i, "depth", len("depth"))
	}
	alone(func() { small(200, "depth") })
	alone(func() {
		for i := 1; i <= 3; i++ {
			fmt.Printf("@ largeret ret=%d\n", large(i, 2*i))
		}
	})
	alone(func() {
		for i := 1; i <= 3; i++ {
			fmt.Printf("@ hugeret ret=%d\n", huge(i, 2*i))
		}
	})
	alone(func() {
		for i := 5; i <= 7; i++ {
			fmt.Printf("@ asmf n=%d\n", i)
			asmf(i)
		}
	})
}
END_OF_SOURCE
cat >m/asm_amd64.s <<'END_OF_SOURCE'
#include "textflag.h"

TEXT ·asmf(SB), 0, $20000-16
	MOVQ n+0(FP), AX
	MOVQ AX, ret+8(FP)
	RET
END_OF_SOURCE

GOCACHE=${GOCACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tracecraft/go-build}
GOFLAGS=-mod=mod
# a collection would shrink stacks
GOGC=off
export GOCACHE GOFLAGS GOGC
(cd m && "$go" build -o ../prog . && "$go" build -gcflags='-N -l' -o ../prog.n . &&
	"$go" build -buildmode=pie -o ../prog.pie . &&
	"$go" build -ldflags='-s -w' -o ../stripped .) >err 2>&1 ||
	skip_all "$go does not compile" "$(cat err)"

for prog in prog prog.n prog.pie; do
	values "$prog" ./$prog 'small=main.small n s' 'large=main.large n m' 'huge=main.huge n m' \
		'largeret=main.large%return ret=$retval' 'hugeret=main.huge%return ret=$retval' \
		'asmf=main.asmf n=$stack1:s64'
done
values "stripped" ./stripped 'small=main.small n=%ax:s64 s=+0(%bx):char[5] s_len=%cx:s64' \
	'large=main.large n=%ax:s64 m=%bx:s64' 'huge=main.huge n=%ax:s64 m=%bx:s64' \
	'largeret=main.large%return ret=%ax:s64' 'hugeret=main.huge%return ret=%ax:s64' \
	'asmf=main.asmf n=$stack1:s64'

# A line that is the function's first, too. An offset stays where it was typed: there the functions
# begin again, which shows that the program does what this test is about.
lines=$(grep -n '^func \(small\|large\|huge\)(' m/main.go | cut -d: -f1)
for line in $lines; do
	"$probe" -q -x ./prog -a "$group:line$line=main.go:$line"
done
for func in small large huge asmf.abi0; do
	"$probe" -q -x ./prog -a "$group:${func%.abi0}_at=main.$func+0"
	"$probe" -q -x ./prog -a "$group:${func%.abi0}_0=main.$func:0" 2>/dev/null
done
"$record" -q -e "$group" -o t.dat -- ./prog >said 2>/dev/null
is "the program ends well" "$?" 0
"$report" -i t.dat 2>/dev/null | sed -n 's/.* \([a-z]*[0-9_][a-z0-9]*\): .*/\1/p' >got
# shellcheck disable=SC2086 # words
set -- $lines
for func in small large huge; do
	calls=$(grep -c "^@ $func " said)
	is "$func: its line is come to once a call" "$(grep -cx "line$1" got)" "$calls"
	is "$func:0, too" "$(grep -cx "${func}_0" got)" "$calls"
	is "$func+0 more often" "$([ "$(grep -cx "${func}_at" got)" -gt "$calls" ] && echo yes)" yes
	shift
done
is "asmf+0 more often" "$([ "$(grep -cx asmf_at got)" -gt 3 ] && echo yes)" yes
"$probe" -q -d "$group:*"

# The place, by Go's own disassembler: the instruction after the last jump before the frame is made.
for func in small large huge asmf.abi0 fill; do
	"$go" tool objdump -s "^main\\.$func\$" prog | awk '
		$2 ~ /^0x/ && first == "" { first = $2 }
		$2 ~ /^0x/ { if (next_is) { place = $2; next_is = 0 } }
		$4 ~ /^(JBE|JB)$/ { next_is = 1 }
		$4 ~ /^(SUBQ|ADDQ|PUSHQ|RET|CALL)$/ && $NF ~ /^(SP|BP|RET|.*\(SB\))$/ { exit }
		END { print place == "" ? first : place }' >wanted
	printf '0x%x\n' "$(($("$probe" -q -x ./prog -D "main.$func" | sed 's/.*:0x/0x/') + 0x400000))" >got
	same "main.$func: the probe is after the check" got wanted
done
"$probe" -x ./prog -D 'main.*' >out 2>err
is "each check of the program is understood" "$(grep -c 'hit twice' err)" 0
finish
