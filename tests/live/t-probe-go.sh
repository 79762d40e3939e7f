#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Go: values in registers and in parts, strings and slices, what comes after nine arguments, returns
# that do not end the program, names with paths.
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

mkdir -p m/git.com/pkg
cat >m/go.mod <<'END_OF_SOURCE'
module example.com/m

go 1.18
END_OF_SOURCE
cat >m/git.com/pkg/p.go <<'END_OF_SOURCE'
package pkg

import "fmt"

type T struct {
	A int32
	B string
}

//go:noinline
func (t *T) Method(k int) int {
	fmt.Printf("@ method A=%d B=\"%s\" B_len=%d k=%d\n", t.A, t.B, len(t.B), k)
	return int(t.A) + k
}

//go:noinline
func (t T) Value(k int) int {
	fmt.Printf("@ value A=%d B=\"%s\" B_len=%d k=%d\n", t.A, t.B, len(t.B), k)
	return int(t.A) * k
}

//go:noinline
func Generic[V int | int64](v V, n int) V {
	fmt.Printf("@ generic v=%d n=%d\n", v, n)
	return v + V(n)
}
END_OF_SOURCE
cat >m/main.go <<'END_OF_SOURCE'
package main

import (
	"fmt"

	"example.com/m/git.com/pkg"
)

//go:noinline
func add(a, b int) int {
	fmt.Printf("@ add a=%d b=%d\n", a, b)
	return a + b
}

//go:noinline
func strfn(s string, n int) (string, error) {
	fmt.Printf("@ strfn s=\"%s\" s_len=%d n=%d\n", s, len(s), n)
	if n > 3 {
		return s + "!", nil
	}
	return s, nil
}

//go:noinline
func slicefn(v []uint16, f float64) []uint16 {
	fmt.Printf("@ slicefn v={0x%x,0x%x,0x%x} v_len=%d v_2=0x%x\n", v[0], v[1], v[2], len(v), v[1])
	return v[1:]
}

//go:noinline
func many(a, b, c, d, e, f, g, h, i, j, k int64, s string) int64 {
	fmt.Printf("@ many a=%d i=%d j=%d k=%d s=\"%s\" s_len=%d\n", a, i, j, k, s, len(s))
	return a + k
}

//go:noinline
func deep(n int) int {
	var pad [256]byte
	if n == 0 {
		return 0
	}
	pad[n%256] = byte(n)
	return deep(n-1) + int(pad[n%256])&1
}

func main() {
	fmt.Printf("@ addret ret=%d\n", add(3, 4))
	s, _ := strfn("hello", 5)
	fmt.Printf("@ strret r0=\"%s\" r0_len=%d\n", s, len(s))
	s, _ = strfn("world", 2)
	fmt.Printf("@ strret r0=\"%s\" r0_len=%d\n", s, len(s))
	r := slicefn([]uint16{10, 20, 0x1234}, 0.5)
	fmt.Printf("@ sliceret ret={0x%x,0x%x} ret_len=%d\n", r[0], r[1], len(r))
	fmt.Printf("@ manyret ret=%d\n", many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "tail"))
	t := &pkg.T{A: 42, B: "bee"}
	t.Method(8)
	t.Value(2)
	pkg.Generic[int](7, 8)
	fmt.Println("deep", deep(3000))
}
END_OF_SOURCE

GOCACHE=${GOCACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tracecraft/go-build}
GOFLAGS=-mod=mod
export GOCACHE GOFLAGS
(cd m && "$go" build -o ../prog . && "$go" build -gcflags='-N -l' -o ../prog.n . &&
	"$go" build -ldflags='-s -w' -o ../stripped . &&
	"$go" build -gcflags='-N -l' -ldflags='-s -w' -o ../stripped.n . &&
	"$go" build -buildmode=pie -o ../prog.pie . &&
	"$go" build -buildmode=pie -ldflags='-s -w' -o ../stripped.pie .) >err 2>&1 ||
	skip_all "$go does not compile" "$(cat err)"

for prog in prog prog.n; do
	values "$prog" ./$prog \
		'add=main.add a b' 'addret=main.add%return $retval' \
		'strfn=main.strfn s n' 'strret=main.strfn%return ~r0' \
		'slicefn=main.slicefn v v[1]' 'sliceret=main.slicefn%return ret' \
		'many=main.many a i j k s' 'manyret=main.many%return $retval' \
		'method=git.com/pkg.(*T).Method t->A t->B k' \
		'value=example.com/m/git.com/pkg.T.Value t.A t.B k' \
		'generic=pkg.Generic[go.shape.int_0] v n'
	# a stack that grows is moved while probes wait on its returns
	"$probe" -q -x ./$prog -a "$group:deepret=main.deep%return \$retval"
	"$record" -q -e "$group" -o t.dat -- ./$prog >said 2>/dev/null
	is "$prog: a moving stack: the program succeeds" "$?" 0
	"$report" -i t.dat --select "$group:deepret" 2>/dev/null |
		sed -n 's/.*ret=//p' >got
	is "$prog: each of the returns is recorded" "$(wc -l <got)" 3001
	is "$prog: with the result" "deep $(tail -n 1 got)" "$(grep ^deep said)"
	"$probe" -q -d "$group:*"
done

at='[^ ]*/prog:0x[0-9a-f]+'
defines "a return of a Go function is not a return probe" ./prog 'main.strfn%return $retval' \
	"^p:probe_prog/main_strfn__return $at "
defines "nor by address" ./prog "0x$(nm prog | sed -n 's/ T main\.add$//p')%return" \
	"^p:probe_prog/abs_[0-9a-f]+__return $at\$"
defines "strings are in two registers" ./prog 'main.strfn $params' \
	"^p:probe_prog/main_strfn $at s=\+0\(%ax\):char\[64\] s_len=%bx:s64 n=%cx:s64\$"
defines "a pattern" ./prog 'main.*' "^p:probe_prog/main_[a-z]+ $at\$"
defines "a line of a file" ./prog 'main.go:11' "^p:probe_prog/main_add $at\$"
defines "a line of a function" ./prog 'main.add:1' "^p:probe_prog/main_add_L1 $at\$"
refuses "a result in a floating-point register" ./prog 'main.slicefn f' 'floating-point'

defines "a stripped program, by Go's own table" ./stripped 'main.add' \
	'^p:probe_stripped/main_add [^ ]*/stripped:0x[0-9a-f]+$'
defines "with paths" ./stripped 'git.com/pkg.(*T).Method' \
	'^p:probe_stripped/pkg_T_Method [^ ]*/stripped:0x[0-9a-f]+$'
"$probe" -x ./stripped -F 'main.*' >funcs
has "its functions are listed" funcs "main.slicefn"
for name in main.add main.deep 'example.com/m/git.com/pkg.(*T).Method'; do
	"$probe" -x ./prog -D "$name" | sed 's/.*:0x//' >wanted
	"$probe" -x ./stripped -D "$name" | sed 's/.*:0x//' >got
	is "$name: a location is found" "$(wc -l <got)" 1
	"$probe" -x ./stripped -q -a "$group:s=$name" && "$probe" -q -d "$group:s"
done
"$probe" -x ./stripped -q -a "$group:s=main.add" -a "$group:sret=main.add%return v=%ax:s64"
"$record" -q -e "$group" -o t.dat -- ./stripped >said 2>/dev/null
is "the stripped program ends well" "$?" 0
is "its function is hit once" "$("$report" -i t.dat --select "$group:s" 2>/dev/null | grep -c ' s: ')" 1
is "and returns what it says" \
	"$("$report" -i t.dat --select "$group:sret" 2>/dev/null | sed -n 's/.*v=//p')" \
	"$(sed -n 's/^@ addret ret=//p' said)"

# globals, pointers to arrays, slices of non-numbers, interfaces, generic functions by name
mkdir -p m/more
cat >m/git.com/pkg/q.go <<'END_OF_SOURCE'
package pkg

var Level int32 = -4
END_OF_SOURCE
cat >m/more/more.go <<'END_OF_SOURCE'
package main

import (
	"errors"
	"fmt"

	"example.com/m/git.com/pkg"
)

var Counter int = 41
var title = "a title"

type shape interface{ area() int }
type square struct{ side int }

func (s *square) area() int { return s.side * s.side }

//go:noinline
func count(n int) int {
	fmt.Printf("@ count Counter=%d title=\"%s\" title_len=%d Level=%d n=%d\n", Counter, title, len(title), pkg.Level, n)
	Counter += n
	pkg.Level--
	return Counter
}

//go:noinline
func second(p *[2]int16) int16 {
	fmt.Printf("@ second p=%d q=%d\n", p[0], p[1])
	return p[1]
}

//go:noinline
func lists(v []string, e error, s *square) int {
	fmt.Println(len(v), e)
	return s.area()
}

//go:noinline
func holds(s shape) int {
	return s.area()
}

//go:noinline
func sum[T int | int64](n T, m T) T {
	fmt.Printf("@ sum n=%d m=%d\n", n, m)
	return n + m
}

func main() {
	count(2)
	count(3)
	second(&[2]int16{70, 300})
	lists([]string{"x", "second"}, errors.New("no"), &square{4})
	lists([]string{"x", "third", "z"}, nil, &square{4})
	holds(&square{11})
	sum(1, 2)
	sum(int64(3), 4)
}
END_OF_SOURCE
(cd m && "$go" build -o ../more ./more && "$go" build -gcflags='-N -l' -o ../more.n ./more &&
	"$go" build -ldflags='-s -w' -o ../more.s ./more) >err 2>&1
for prog in more more.n; do
	values "$prog" ./$prog 'count=main.count Counter main.title pkg.Level n' \
		'second=main.second p[0] q=p[1]' 'sum=main.sum n m'
done
defines "a slice of strings is an address and a length" ./more 'main.lists v' \
	' v=%ax:x64 v_len=%bx:s64$'
defines "an interface is what it holds, and its type" ./more 'main.lists e' \
	' e=%si:x64 e_type=%di:x64$'
"$probe" -x ./more -D 'main.second p[2]' >out 2>err
is "an index beyond the array is refused" "$?" 1
"$probe" -x ./more -V main.count --externs | sed -n 's/.*\t\(main\.[A-Za-z]*\)$/\1/p' >names
"$probe" -q -x ./more -D "main.count $(tr '\n' ' ' <names)" >out 2>err
is "globals that -V lists can be probed" "$?" 0
"$probe" -q -x ./more -D 'main.sum[...]' | wc -l >got
is "sum[...] is both of its instances" "$(cat got)" 2
"$probe" -q -x ./more -D 'main.sum' | sed 's/.*://' >wanted
"$probe" -q -x ./more.s -D 'main.sum' | sed 's/.*://' >got
is "sum of a stripped program is both" "$(wc -l <got)" 2

# lines of a stripped program: the places are those of the debug information of the same program, and
# each is an instruction that Go's own tools say is of that line
addr2line()
{
	printf '0x%x\n' "$(($1 + 0x400000))" | "$go" tool addr2line prog | sed -n '2s/.*\///p'
}
for pair in "prog stripped main.go" "prog.n stripped.n main.go" "prog.pie stripped.pie main.go"; do
	# shellcheck disable=SC2086 # words
	set -- $pair
	"$probe" -q -x "./$1" -L "$3" | sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p' >lines
	"$probe" -q -x "./$2" -L "$3" | sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p' >got
	is "$2: the lines that have code" "$(tr '\n' ' ' <got)" "$(tr '\n' ' ' <lines)"
	while read -r line; do
		printf '%s:' "$line"
		"$probe" -q -x "./$1" -D "$3:$line" | sed 's/.*://' | tr '\n' ' '
		echo
	done <lines >wanted
	while read -r line; do
		printf '%s:' "$line"
		"$probe" -q -x "./$2" -D "$3:$line" | sed 's/.*://' | tr '\n' ' '
		echo
	done <lines >got
	is "$2: each line of $3 begins where the debug information says" "$(cat got)" "$(cat wanted)"
done
is "30 lines and more were compared" "$([ "$(wc -l <got)" -ge 30 ] && echo yes)" yes
for line in 11 26 42; do
	for at in $("$probe" -q -x ./stripped -D "main.go:$line" | sed 's/.*:0x/0x/'); do
		is "Go's tools: $at is of line $line" "$(addr2line "$at")" "main.go:$line"
	done
done
defines "a line of a function of a stripped program" ./stripped 'main.deep:3' \
	'^p:probe_stripped/main_deep_L3 [^ ]*/stripped:0x[0-9a-f]+$'
"$probe" -x ./stripped -D 'main.go:15' >out 2>err
has "a line without code: which has" err 'the next line that has code is 16'
"$probe" -x ./stripped -D 'nosuch.go:15' >out 2>err
has "a file that is not there" err "no code of a file 'nosuch.go'"
"$probe" -x ./stripped -L main.deep >out 2>err
has "the lines of a function" out "6  	return deep(n-1)"
"$probe" -x ./stripped -D 'main.go:11 a' >out 2>err
is "variables need debug information" "$?" 1

# hits: in optimised code each line is come to as often as the program says; what the table says about
# a loop's line is once for its beginning and once after each turn
mkdir -p m/lines
cat >m/lines/lines.go <<'END_OF_SOURCE'
package main

import "os"

type node struct {
	next *node
	n    int
}

//go:noinline
func walk(l *node, limit int) (sum int) {
	for p := l; p != nil; p = p.next {
		switch p.n {
		case 1:
			sum += 100
		case 3:
			sum -= 7 * limit
		default:
			sum++
		}
		if sum > limit {
			return sum
		}
	}
	sum *= 2
	return
}

//go:noinline
func first(v []int, i int) int {
	return v[i] + v[i+1]
}

func main() {
	var l *node
	for i := 9; i > 0; i-- {
		l = &node{l, i}
	}
	r := walk(l, 1000) + walk(l, 1000)
	for k := 0; k < 4; k++ {
		r += first([]int{k, 1, 2, k}, k/2)
	}
	if r == 0 {
		os.Exit(1)
	}
}
END_OF_SOURCE
(cd m && "$go" build -ldflags='-s -w' -o ../lines.s ./lines) >err 2>&1
# line, and how often: two walks over nine nodes each; 9 turns, 4 turns
cat >wanted <<'END_OF_COUNTS'
L12 20
L15 2
L17 2
L21 18
L25 2
L31 4
L36 10
L37 9
L40 5
L41 4
END_OF_COUNTS
while read -r line count; do
	"$probe" -q -x ./lines.s -a "$group:$line=lines.go:${line#L}" || echo "$line: $count"
done <wanted
"$record" -q -e "$group" -o t.dat -- ./lines.s 2>/dev/null
"$report" -i t.dat 2>/dev/null | sed -n 's/.* \(L[0-9]*\): .*/\1/p' | sort | uniq -c |
	awk '{ print $2, $1 }' >got
"$probe" -q -d "$group:*"
is "lines are hit as often as they are executed" "$(cat got)" "$(cat wanted)"
finish
