#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Rust: strings and slices with their lengths, references, methods, generics, both manglings.
#
# needs: root tracefs uprobes
# area: probe

# shellcheck disable=SC2016 # dollars are the probes'

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

rustc=${RUSTC:-rustc}
command -v "$rustc" >/dev/null || skip_all "there is no Rust compiler ($rustc)"

cat >r.rs <<'END_OF_SOURCE'
use std::hint::black_box;
pub struct Pt { x: i32, y: i64 }
pub enum Shape { Circle(u32), Rect { w: u32, h: u64 } }
impl Pt {
    #[inline(never)]
    pub fn method(&self, k: i32) -> i64 {
        println!("@ method x={} y={} k={}", self.x, self.y, k);
        self.y + k as i64
    }
}
#[inline(never)]
pub fn takes_str(s: &str, n: i32) -> usize {
    println!("@ str s=\"{}\" s_len={} n={}", s, s.len(), n);
    s.len() + n as usize
}
#[inline(never)]
pub fn takes_string(s: &String, n: i8) -> i32 {
    println!("@ string s=\"{}\" s_len={} n={}", s, s.len(), n);
    n as i32
}
#[inline(never)]
pub fn by_value(s: String, b: bool, c: char) -> i32 {
    println!("@ byval s=\"{}\" s_len={} b={} c=0x{:x}", s, s.len(), b as u8, c as u32);
    s.len() as i32
}
#[inline(never)]
pub fn takes_slice(v: &[u16], n: i32) -> i32 {
    println!("@ slice v={{{:#x},{:#x},{:#x}}} v_len={} n={}", v[0], v[1], v[2], v.len(), n);
    n
}
#[inline(never)]
pub fn generic<T: std::fmt::Display>(t: T, n: i64) -> i64 {
    println!("@ {} t={} n={}", if std::mem::size_of::<T>() == 4 { "genint" } else { "genlong" }, t, n);
    n
}
#[inline(never)]
pub fn shape(s: &Shape) -> u32 {
    match s { Shape::Circle(r) => *r, Shape::Rect { w, h } => *w + *h as u32 }
}
#[inline(never)]
pub fn refer(r: &mut i32, n: i64) -> i64 {
    println!("@ refer r={} n={}", r, n);
    *r += 1;
    n
}
mod inner { pub mod deep {
    #[inline(never)]
    pub fn nested(a: i32, g: i32, h: i64) -> i64 {
        println!("@ nested a={} g={} h={}", a, g, h);
        (a + g) as i64 + h
    }
} }
fn main() {
    let p = black_box(Pt { x: -3, y: 1 << 40 });
    p.method(black_box(9));
    takes_str(black_box("hello, world"), black_box(7));
    takes_str(black_box(&"hello, world"[7..10]), black_box(-8));
    takes_string(&black_box(String::from("a string")), black_box(5));
    by_value(black_box(String::from("moved")), black_box(true), black_box('\u{e9}'));
    takes_slice(&black_box(vec![1u16, 2, 0x1234]), black_box(6));
    generic(black_box(5i32), black_box(55));
    generic(black_box(6i64), black_box(66));
    let s = black_box(Shape::Circle(11));
    let t = black_box(Shape::Rect { w: 5, h: 6 });
    black_box(shape(&s) + shape(&t));
    let mut m = black_box(77);
    refer(&mut m, black_box(-1));
    inner::deep::nested(black_box(1), black_box(7), black_box(8));
}
END_OF_SOURCE

# Not every compiler has a stable option for the scheme that is not its default.
build() {
	"$rustc" -g -C opt-level="$1" -C symbol-mangling-version="$2" -o prog r.rs 2>err ||
		RUSTC_BOOTSTRAP=1 "$rustc" -g -Z unstable-options -C opt-level="$1" \
			-C symbol-mangling-version="$2" -o prog r.rs 2>err
}

for scheme in v0 legacy; do
	for level in 0 3; do
		name="-C opt-level=$level $scheme"
		if ! build $level $scheme; then
			skip "$name" "$rustc does not do that"
			continue
		fi
		values "$name" ./prog \
			'method=r::Pt::method self.x self->y k' \
			'str=r::takes_str s n' 'string=takes_string s n' 'slice=r::takes_slice v n' \
			'byval=by_value s b=b:u c' \
			'genint=r::generic<i32> t n' 'genlong=r::generic<i64> t n' \
			'refer=refer r n' 'nested=deep::nested a g h'
	done
done

build 0 v0 || build 0 legacy
defines "return values" ./prog 'r::takes_str%return $retval ret' \
	'^r:probe_prog/r_takes_str__return [^ ]*/prog:0x[0-9a-f]+ \$retval ret=\$retval:[sxu]64$'
defines "a member of a tuple struct's reference" ./prog 'r::Pt::method self->y' \
	'^p:probe_prog/r_Pt_method [^ ]*/prog:0x[0-9a-f]+ y='
refuses "the variant of an enum is not guessed" ./prog 'r::shape s->Rect' 'only when the program runs'
"$probe" -x ./prog -F 'r::*' >funcs
has "functions are listed by their names in the source" funcs "r::inner::deep::nested"
strip -o stripped --strip-debug prog
defines "without debug information, by name" ./stripped 'r::takes_str' \
	'^p:probe_stripped/r_takes_str [^ ]*/stripped:0x[0-9a-f]+$'
defines "without debug information, a method" ./stripped 'Pt::method' \
	'^p:probe_stripped/Pt_method [^ ]*/stripped:0x[0-9a-f]+$'

# a crate is in several units, and statics of another one are seen
cat >units.rs <<'END_OF_SOURCE'
mod util {
    static mut HITS: u32 = 3;
    #[inline(never)]
    pub fn bump(n: u32) -> u32 {
        unsafe { HITS += n; HITS }
    }
    pub fn hits() -> u32 {
        unsafe { HITS }
    }
}
static mut OTHER: u32 = 90;
#[inline(never)]
fn show(n: u32) -> u32 {
    let other = unsafe { OTHER };
    println!("@ show HITS=0x{:x} OTHER=0x{:x} n={}", util::hits(), other, n);
    unsafe { OTHER += 1; }
    n
}
fn main() {
    for i in 5..8 {
        show(i);
        util::bump(i);
    }
}
END_OF_SOURCE
for level in 0 2; do
	"$rustc" -A warnings -g -C opt-level=$level -C codegen-units=16 -o units units.rs 2>err ||
		skip_all "$rustc does not compile"
	values "statics of other units, opt-level=$level" ./units \
		'show=units::show HITS=util::HITS OTHER n=n:u'
done
finish
