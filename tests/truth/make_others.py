# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs in Rust and Go of make_program.py"""

import random

RUST_START = r"""
#![allow(dead_code, unused)]
use std::fmt::Write;
use std::hint::black_box;

static mut SAID: String = String::new();
#[no_mangle]
static mut SINK: i64 = 0;
static mut COUNT: i32 = -7;

#[derive(Clone, Copy)]
pub struct Point { x: i32, y: i32 }
#[derive(Clone, Copy)]
pub struct Bytes { a: i8, b: u8, c: i16 }
#[derive(Clone)]
pub struct Large { a: [i64; 3], z: i32, at: Point, name: String, tiny: i8 }
#[derive(Clone, Copy)]
#[repr(i32)]
pub enum Sign { Minus = -3, None = 0, Plus = 5 }

#[inline(never)]
fn say(text: &str) { unsafe { SAID.push_str(text); } }
#[inline(never)]
fn say_i(name: &str, v: i128) { say(&format!("\t{}=i:{}", name, v)); }
#[inline(never)]
fn say_s(name: &str, v: &str) { say(&format!("\t{}=s:{}", name, v)); }
#[inline(never)]
fn say_a(name: &str, v: &[i32]) {
    let all: Vec<String> = v.iter().map(|x| x.to_string()).collect();
    say(&format!("\t{}=a:{}", name, all.join(",")));
}
#[inline(never)]
fn sink(v: i64) { unsafe { SINK = SINK.wrapping_add(v) & 0xfff; } }
fn large(n: i32) -> Large {
    Large { a: [n as i64, -7, n as i64 * -1000000007], z: -n, at: Point { x: n, y: -n },
            name: format!("name {}", n), tiny: -3 }
}
"""
# type, what is said (expression, kind, value), an argument of n
RUST = [
    ("i8", [("{}", "i", "{}")], "(n as i8).wrapping_sub(5)"),
    ("u8", [("{}", "i", "{}")], "(n as u8).wrapping_add(200)"),
    ("i16", [("{}", "i", "{}")], "(n as i16) - 300"),
    ("u16", [("{}", "i", "{}")], "60000 + n as u16"),
    ("i32", [("{}", "i", "{}")], "n - 70000"),
    ("u32", [("{}", "i", "{}")], "4000000000 + n as u32"),
    ("i64", [("{}", "i", "{}")], "n as i64 * -1000000007"),
    ("u64", [("{}", "i", "{}")], "u64::MAX - n as u64"),
    ("usize", [("{}", "i", "{}")], "n as usize + 3"),
    ("bool", [("{}", "i", "{}")], "n & 1 == 1"),
    ("Sign", [("{}", "i", "{} as i32")], "if n & 1 == 1 { Sign::Minus } else { Sign::Plus }"),
    ("f64", [], "n as f64"),
    ("&str", [("{}", "s", "{}")], '["short", "a rather longer text", "x"][n as usize % 3]'),
    ("&[i32]", [("{}", "a", "{}")], "[&[1, -2, 3][..], &[-5][..], &[7, 8, 9, -10][..]][n as usize % 3]"),
    ("&i32", [("{}", "i", "*{}"), ("*{}", "i", "*{}")], "&(n * -3)"),
    ("Point", [("{}.x", "i", "{}.x"), ("{}.y", "i", "{}.y")], "Point { x: n, y: -n }"),
    ("Bytes", [("{}.a", "i", "{}.a"), ("{}.b", "i", "{}.b"), ("{}.c", "i", "{}.c")],
     "Bytes { a: -n as i8, b: 200, c: n as i16 * -100 }"),
    ("&Large", [("{}.z", "i", "{}.z"), ("{}->a[2]", "i", "{}.a[2]"), ("{}->at.y", "i", "{}.at.y"),
                ("{}->name", "s", "{}.name"), ("{}->tiny", "i", "{}.tiny")], "&large(n)"),
    ("Large", [("{}.z", "i", "{}.z"), ("{}.at.y", "i", "{}.at.y"), ("{}.name", "s", "{}.name")], "large(n * 5)"),
    ("&mut Large", [("{}->z", "i", "{}.z")], "&mut large(n - 9)"),
    ("Box<Large>", [("{}->z", "i", "{}.z")], "Box::new(large(n))"),
    ("String", [("{}", "s", "{}")], 'format!("text {}", n * 77)'),
    ("&String", [("{}", "s", "{}")], '&format!("text {}", n * 78)'),
    ("Vec<i32>", [("{}", "a", "{}")], "vec![n, -n, 3 * n]"),
    ("&Vec<i32>", [("{}", "a", "{}")], "&vec![-n, n]"),
    ("[i32; 3]", [("{}", "a", "{}"), ("{}[1]", "i", "{}[1]")], "[n, -n, 5]"),
    ("(i32, i64)", [("{}.__0", "i", "{}.0"), ("{}.__1", "i", "{}.1")], "(-n, n as i64 * -5000000000)"),
]  # fmt: skip


def rust_say(name, kind, value):
    if kind == "i":
        return f'say_i("{name}", ({value}) as i128);'
    return f'say_{kind}("{name}", &{value});'


def rust(rng, functions, file):
    out, calls = [RUST_START], []
    for f in range(functions):
        params = [(f"a{i}", *rng.choice(RUST)) for i in range(rng.randint(1, 6))]
        attr = rng.choice(["#[inline(never)]\n", "#[inline(never)]\n", "#[inline(never)]\npub ", "", "#[inline(always)]\n"])
        out.append(f"{attr}fn f{f}({', '.join(f'{n}: {t}' for n, t, _, _ in params)}) -> i64 {{")
        out.append(f'    say("prog::f{f}");')
        for n, _, says, _ in params:
            out += ["    " + rust_say(e.format(n), k, v.format(n)) for e, k, v in says]
        out.append('    say("\\n");')
        if rng.random() < 0.7:
            t, says, value = rng.choice([r for r in RUST if "&" not in r[0] and "f64" not in r[0]])
            out.append(f"    let n = black_box({rng.randint(3, 90)});\n    let local: {t} = {value};")
            words = " ".join(rust_say(e.format("local"), k, v.format("local")) for e, k, v in says)
            out.append(f'    say(concat!("{file}:", line!())); {words} say("\\n"); unsafe {{ SINK += 1; }} black_box(&local);')
            out[-1] = out[-1].replace('concat!("%s:", line!())' % file, f'&format!("{file}:{{}}", line!() + 1)', 1)
            out[-1] = out[-1].replace(" unsafe { SINK += 1; }", "\n    unsafe { SINK += 1; }\n   ", 1)
        out.append("    " + " ".join(f"black_box(&{n});" for n, _, _, _ in params))
        out.append(f"    sink({f});\n    unsafe {{ SINK * 3 }}\n}}\n")
        calls.append(f"f{f}({', '.join(v for _, _, _, v in params)});")
    out.append("fn main() {\n    for i in 0..3 {\n        let n: i32 = black_box(i + 2);")
    for c in calls:
        if rng.random() < 0.5:
            f = c.split("(")[0]
            out.append(f'        {{ let r = {c} say("prog::{f}%return"); say_i("ret", r as i128); say("\\n"); }}')
        else:
            out.append("        " + c)
    out.append('    }\n    unsafe { print!("{}", SAID); }\n}')
    return "\n".join(out) + "\n"


GO_START = r"""package main

import (
	"fmt"
	"os"
	"strings"
)

type Point struct{ X, Y int32 }
type Bytes struct {
	A int8
	B uint8
	C int16
}
type Large struct {
	A    [3]int64
	Z    int32
	At   Point
	Name string
	Next *Large
	Row  []int32
	Tiny int8
}
type Sign int8

var said strings.Builder
var sink int64
var Count int32 = -9
var Title = "title"

//go:noinline
func say(text string) { said.WriteString(text) }

//go:noinline
func sayI(name string, v interface{}) { fmt.Fprintf(&said, "\t%s=i:%d", name, v) }

//go:noinline
func sayB(name string, v bool) {
	n := 0
	if v {
		n = 1
	}
	fmt.Fprintf(&said, "\t%s=i:%d", name, n)
}

//go:noinline
func sayS(name string, v string) { fmt.Fprintf(&said, "\t%s=s:%s", name, v) }

//go:noinline
func sayA(name string, v []int32) {
	all := []string{}
	for _, x := range v {
		all = append(all, fmt.Sprint(x))
	}
	fmt.Fprintf(&said, "\t%s=a:%s", name, strings.Join(all, ","))
}

//go:noinline
func large(n int) *Large {
	l := &Large{[3]int64{int64(n), -7, int64(n) * -1000000007}, int32(-n), Point{int32(n), int32(-n)}, fmt.Sprint("name ", n), nil, []int32{int32(n), -5}, -3}
	l.Next = l
	return l
}
"""
GO = [
    ("int8", [("{}", "I", "{}")], "int8(n - 50)"),
    ("uint8", [("{}", "I", "{}")], "uint8(n + 200)"),
    ("int16", [("{}", "I", "{}")], "int16(n - 300)"),
    ("uint16", [("{}", "I", "{}")], "uint16(n + 60000)"),
    ("int32", [("{}", "I", "{}")], "int32(n - 70000)"),
    ("uint32", [("{}", "I", "{}")], "uint32(n) + 4000000000"),
    ("int", [("{}", "I", "{}")], "n * -1000000"),
    ("int64", [("{}", "I", "{}")], "int64(n) * -1000000007"),
    ("uint64", [("{}", "I", "{}")], "uint64(n) * 1000000007"),
    ("Sign", [("{}", "I", "{}")], "Sign(-n)"),
    ("bool", [("{}", "B", "{}")], "n&1 == 1"),
    ("float64", [], "float64(n)"),
    ("string", [("{}", "S", "{}")], 'fmt.Sprint("text ", n*77)'),
    ("[]int32", [("{}", "A", "{}"), ("{}[1]", "I", "{}[1]")], "[]int32{int32(n), int32(-n), 5}"),
    ("*Large", [("{}->Z", "I", "{}.Z"), ("{}->A[2]", "I", "{}.A[2]"), ("{}->At.Y", "I", "{}.At.Y"),
                ("{}->Name", "S", "{}.Name"), ("{}->Next->Z", "I", "{}.Next.Z"), ("{}->Tiny", "I", "{}.Tiny"),
                ("{}->Row[1]", "I", "{}.Row[1]")], "large(n)"),
    ("Large", [("{}.Z", "I", "{}.Z"), ("{}.Name", "S", "{}.Name"), ("{}.At.X", "I", "{}.At.X")], "*large(n * 5)"),
    ("Point", [("{}.X", "I", "{}.X"), ("{}.Y", "I", "{}.Y")], "Point{int32(n), int32(-n)}"),
    ("Bytes", [("{}.A", "I", "{}.A"), ("{}.B", "I", "{}.B"), ("{}.C", "I", "{}.C")], "Bytes{int8(-n), 200, int16(-100 * n)}"),
    ("*int32", [("*{}", "I", "*{}")], "&large(n).Z"),
    ("[3]int32", [("{}[1]", "I", "{}[1]")], "[3]int32{int32(n), int32(-n), 5}"),
    ("*[2]int16", [("{}[1]", "I", "{}[1]")], "&[2]int16{1, int16(-n)}"),
]  # fmt: skip


def go(rng, functions, file):
    out, calls = [GO_START], []
    for f in range(functions):
        params = [(f"a{i}", *rng.choice(GO)) for i in range(rng.randint(1, 7))]
        out.append(rng.choice(["//go:noinline\n", "//go:noinline\n", ""]) +
                   f"func f{f}({', '.join(f'{n} {t}' for n, t, _, _ in params)}) int64 {{")
        out.append(f'\tsay("main.f{f}")')
        for n, _, says, _ in params:
            out += [f'\tsay{k}("{e.format(n)}", {v.format(n)})' for e, k, v in says]
        if rng.random() < 0.4:
            out.append('\tsayI("Count", Count)\n\tsayS("main.Title", Title)')
        out.append('\tsay("\\n")')
        out.append(f"\tsink += {f}\n\treturn sink * 3\n}}\n")
        calls.append((f, f"f{f}({', '.join(v for _, _, _, v in params)})"))
    # methods, a generic function, a small one that is inlined
    out.append("//go:noinline\nfunc (l *Large) Method(k int) int {\n\tsay(\"main.(*Large).Method\")\n\tsayI(\"l->Z\", l.Z)\n"
               "\tsayI(\"k\", k)\n\tsay(\"\\n\")\n\treturn k + int(l.Z)\n}\n")
    out.append("func main() {\n\tfor n := len(os.Args) + 1; n < 5; n++ {\n\t\tlarge(n).Method(n * 3)")
    for f, c in calls:
        if rng.random() < 0.5:
            out.append(f'\t\tfunc() {{ r := {c}; say("main.f{f}%return"); sayI("ret", r); say("\\n") }}()')
        else:
            out.append(f"\t\t{c}")
        out.append("\t\tCount--")
    out.append("\t}\n\tfmt.Print(said.String())\n}")
    return "\n".join(out) + "\n"


def program(language, seed, functions, file):
    make = rust if language == "rust" else go
    return make(random.Random(seed), functions, file)
