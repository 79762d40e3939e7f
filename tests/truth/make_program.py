#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_program.py LANGUAGE SEED FUNCTIONS FILE - write a program that says what its variables are

LANGUAGE is c, c++, rust or go. A run prints a line for each point that a probe can be put on:
POINT<tab>EXPRESSION=KIND:VALUE..., what tc-probe is asked for and what has to be recorded. KIND is i (a
number), s (text), a (an array of numbers).
"""

import random
import sys

C_START = r"""
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noinline))
#define COPY static inline __attribute__((always_inline))
#define USE(v) __asm__ volatile("" ::"g"(v) : "memory")
#define HOLD(v) __asm__ volatile("" ::"r"(&(v)) : "memory")

static char said[1 << 22];
static size_t used;
static volatile long sink;

static OWN void say(const char *text)
{
	size_t n = strlen(text);

	if (used + n < sizeof(said)) {
		memcpy(said + used, text, n);
		used += n;
	}
}
static OWN void say_line(int line)
{
	char text[32];

	snprintf(text, sizeof(text), "@FILE@:%d", line);
	say(text);
}
static OWN void say_i(const char *name, long long v)
{
	char text[128];

	snprintf(text, sizeof(text), "\t%s=i:%lld", name, v);
	say(text);
}
static OWN void say_u(const char *name, unsigned long long v)
{
	char text[128];

	snprintf(text, sizeof(text), "\t%s=i:%llu", name, v);
	say(text);
}
static OWN void say_p(const char *name, const void *v)
{
	say_u(name, (uintptr_t)v);
}
static OWN void say_s(const char *name, const char *v)
{
	say("\t"), say(name), say("=s:"), say(v);
}
static OWN void say_a(const char *name, const int *v)
{
	char text[128];

	snprintf(text, sizeof(text), "\t%s=a:%d,%d,%d", name, v[0], v[1], v[2]);
	say(text);
}
static OWN void say_end(void)
{
	say("\n");
}

enum colour { RED, GREEN = 5, BLUE = 900 };
enum sign { MINUS = -3, NONE, PLUS };
typedef unsigned short number;
typedef signed char tiny;
typedef enum colour shade;

struct point {
	int x, y;
};
struct bytes {
	signed char a;
	unsigned char b;
	short c;
};
struct small {
	long p;
	int q;
};
struct three {
	int a, b, c;
};
struct large {
	long a[3];
	int z;
	char tag[8];
	struct point at;
	tiny t;
};
union either {
	int i;
	unsigned char c[4];
	short s;
};
struct inner {
	int n;
	union {
		long wide;
		unsigned char low;
	};
	short row[4];
	struct {
		int left, right;
	} edge;
};
struct item {
	int i;
	unsigned int three : 3, seven : 7, more : 22;
	int neg : 5, minus : 12;
	unsigned long long wide : 33;
	long long deep : 40;
	const char *text;
	struct inner in;
	char name[12];
	struct item *next;
	struct inner *to;
	struct inner pair[2];
	bool yes;
	enum sign sign;
	shade paint;
	union either either;
	int three_of[3];
	long long grid[2][3];
};

static int count_static = 70;
int64_t count_global = -8;
static struct item one_static;
struct item *head_global;
const char *title_global = "title 0";
int table_global[5] = { 1, -2, 3, -4, 5 };
tiny tiny_global = -3;
struct point point_global = { -4, 4 };

static OWN struct item *make_item(int s)
{
	struct item *p = (struct item *)calloc(2, sizeof(*p));

	for (int k = 0; k < 2; k++) {
		char text[32];
		struct item *q = p + k;

		snprintf(text, sizeof(text), "text %d", s + k);
		q->i = s * 7 - k;
		q->three = s + k, q->seven = s * 3, q->more = s * 99;
		q->neg = -s % 16, q->minus = -s % 2048;
		q->wide = s * 12345678ull, q->deep = -s * 12345678ll;
		q->text = strdup(text);
		q->in.n = -s, q->in.wide = s * 10000000l, q->in.row[1] = s, q->in.row[2] = -s;
		q->in.edge.left = -s, q->in.edge.right = s * 5;
		snprintf(q->name, sizeof(q->name), "name %d", s % 10000);
		q->to = &p[1 - k].in;
		q->pair[0].n = s, q->pair[1].n = s * 11, q->pair[1].row[3] = -2 * s;
		q->yes = s & 1;
		q->sign = s & 1 ? MINUS : PLUS;
		q->paint = s & 1 ? BLUE : GREEN;
		q->either.i = -s * 1000;
		q->three_of[0] = s, q->three_of[1] = -s, q->three_of[2] = s - 50;
		q->grid[1][2] = -s * 1000000000ll;
		q->next = p + 1 - k;
	}
	return p;
}
static OWN int *make_row(int s)
{
	int *p = (int *)malloc(4 * sizeof(*p));

	p[0] = s, p[1] = -s, p[2] = s + 2, p[3] = 9;
	return p;
}
"""

C_INTS = [
    ("signed char", "i"), ("unsigned char", "u"), ("char", "i"), ("short", "i"),
    ("unsigned short", "u"), ("int", "i"), ("unsigned int", "u"), ("long", "i"),
    ("unsigned long", "u"), ("long long", "i"), ("unsigned long long", "u"), ("bool", "u"),
    ("enum colour", "u"), ("enum sign", "i"), ("size_t", "u"), ("int8_t", "i"), ("number", "u"),
    ("tiny", "i"), ("shade", "u"), ("int64_t", "i"), ("uint16_t", "u"), ("const int", "i"),
]  # fmt: skip
C_MEMBERS = [
    ("i", "i"), ("three", "u"), ("seven", "u"), ("more", "u"), ("neg", "i"), ("minus", "i"),
    ("wide", "u"), ("deep", "i"), ("text", "s"), ("in.n", "i"), ("in.wide", "i"), ("in.low", "u"),
    ("in.row[2]", "i"), ("in.edge.left", "i"), ("name", "s"), ("next->i", "i"), ("to->n", "i"),
    ("next->text", "s"), ("to->row[1]", "i"), ("pair[1].n", "i"), ("pair[1].row[3]", "i"),
    ("yes", "u"), ("sign", "i"), ("paint", "u"), ("either.i", "i"), ("either.c[1]", "u"),
    ("either.s", "i"), ("three_of", "a"), ("three_of[1]", "i"), ("grid[1][2]", "i"), ("next", "p"),
    ("to->edge.right", "i"), ("next->neg", "i"), ("next->to->n", "i"), ("text", "p:x"),
]  # fmt: skip
C_GLOBALS = [
    ("count_static", "i"), ("count_global", "i"), ("one_static.i", "i"), ("one_static.in.n", "i"),
    ("one_static.neg", "i"), ("head_global->i", "i"), ("head_global->text", "s"), ("head_global", "p"),
    ("title_global", "s"), ("table_global[3]", "i"), ("tiny_global", "i"), ("point_global.x", "i"),
    ("one_static.name", "s"), ("head_global->pair[1].n", "i"),
]  # fmt: skip
# by value: members with their kinds, and how one is made of two numbers
C_VALUES = {
    "struct point": ([("x", "i"), ("y", "i")], "{{{0}, {1}}}"),
    "struct bytes": ([("a", "i"), ("b", "u"), ("c", "i")], "{{(signed char)({0}), 200, (short)({1})}}"),
    "struct small": ([("p", "i"), ("q", "i")], "{{{0}, {1}}}"),
    "struct three": ([("a", "i"), ("b", "i"), ("c", "i")], "{{{0}, {1}, -1}}"),
    "struct large": (
        [("a[1]", "i"), ("z", "i"), ("tag", "s"), ("at.y", "i"), ("t", "i")],
        '{{{{{0}, {1}, 3}}, {1}, "tag {2}", {{{0}, {1}}}, -3}}',
    ),
    "union either": ([("i", "i"), ("s", "i"), ("c[1]", "u")], "{{{0}}}"),
}


def c_say(name, kind, value=None):
    value = value or name
    if kind == "p:x":
        return f'say_p("{name}:x", {value});'
    return f'say_{kind}("{name}", {value});'


class Program:
    """C, and C++, which adds to it"""

    def __init__(self, seed, functions, file, cxx=False):
        self.rng = random.Random(seed)
        self.functions = functions
        self.file = file
        self.cxx = cxx
        self.out = []
        self.calls = []

    def number(self, most=2**62):
        return self.rng.choice([self.rng.randint(-999, 999), self.rng.randint(-most, most)])

    # a parameter: declaration, what is said of it, what is used of it, an argument
    def parameter(self, name):
        rng = self.rng
        kind = rng.choices(
            ["int", "item", "value", "real", "text", "row", "pointer", "reference"],
            [9, 4, 3, 1, 2, 1, 1, 3 if self.cxx else 0],
        )[0]
        if kind == "int":
            type_, k = rng.choice(C_INTS)
            if type_.startswith("enum") or type_ == "shade":
                args = [rng.choice(["MINUS", "PLUS"] if "sign" in type_ else ["RED", "BLUE"])]
            elif type_ == "bool":
                args = [str(rng.randint(0, 1))]
            else:
                args = [f"({type_})({self.number()}LL + n)"]
            return f"{type_} {name}", [(name, k)], f"(long){name}", args
        if kind == "item":
            says = [
                (f"{name}->{m}", k) for m, k in rng.sample(C_MEMBERS, rng.randint(2, 5))
            ]
            return f"struct item *{name}", says, f"{name}->i", [f"make_item({rng.randint(1, 900)} + n)"]
        if kind == "value":
            type_ = rng.choice(list(C_VALUES))
            members, made = C_VALUES[type_]
            value = made.format(f"{rng.randint(-9999, 9999)} + n", f"{rng.randint(-9999, 9999)}", rng.randint(0, 99))
            value = f"{type_.split()[1]}{value}" if self.cxx else f"({type_}){value}"
            says = [(f"{name}.{m}", k) for m, k in members]
            return f"{type_} {name}", says, f"(long){name}.{members[0][0]}", [value]
        if kind == "real":
            type_ = rng.choice(["float", "double"])
            return f"{type_} {name}", [], f"(long){name}", [f"{rng.randint(-999, 999)}.5"]
        if kind == "text":
            return f"const char *{name}", [(name, "s")], f"{name}[0]", [f'"text {rng.randint(0, 9999)}"']
        if kind == "row":
            says = [(name, "p"), (f"{name}[2]", "i"), (f"*{name}", "i")]
            return f"int *{name}", says, f"{name}[0]", [f"make_row({rng.randint(-99, 99)} - n)"]
        if kind == "pointer":
            says = [(f"(*{name})->i" if rng.random() < 0 else f"{name}[0]->i", "i"), (name, "p")]
            return f"struct item **{name}", says, f"(long)!!{name}", ["&head_global"]
        type_, k = rng.choice([("int", "i"), ("unsigned short", "u"), ("struct point", "m"), ("struct item", "m2")])
        const = rng.choice(["const ", ""]) if k[0] != "m" else "const "
        if k == "m":
            return f"const struct point &{name}", [(f"{name}.y", "i")], f"{name}.x", ["point_global"]
        if k == "m2":
            says = [(f"{name}.{m}", kk) for m, kk in rng.sample(C_MEMBERS, 2)]
            return f"const struct item &{name}", says, f"{name}.i", ["*head_global"]
        if const:
            return f"const {type_} &{name}", [(name, k)], f"(long){name}", [f"({type_})({rng.randint(-999, 999)} + n)"]
        return f"{type_} &{name}", [(name, k)], f"(long){name}", [f"some_{k}"]

    # a line of the body at which variables are said, with what keeps them alive until after it
    def line(self, says, alive, indent="\t"):
        words = " ".join(c_say(n, k) for n, k in says)
        self.out.append(f"{indent}say_line(__LINE__ + 1); {words} say_end();")
        self.out.append(f"{indent}sink++;")
        for name in alive:
            self.out.append(f"{indent}{name};")

    def locals(self, params, inlinable):
        rng = self.rng
        some = rng.sample(range(6), rng.randint(1, 3))
        ints = [p for p in params if p[0].split()[-1].isidentifier() and p[1] and p[1][0][1] in "iu"
                and p[1][0][0] == p[0].split()[-1]]
        for what in some:
            if what == 0:
                type_, k = rng.choice([t for t in C_INTS if "enum" not in t[0] and t[0] not in ("shade", "bool", "const int")])
                self.out.append(f"\t{type_} local = ({type_})(sink * 3 + {rng.randint(-90, 90)});")
                self.line([("local", k)], ["USE((long)local)"])
                self.out.append("\tlocal = (%s)(local + 5);" % type_)
                self.line([("local", k)], ["USE((long)local)"])
            elif what == 1 and ints:
                decl, says, _, _ = rng.choice(ints)
                name, k = says[0]
                type_ = rng.choice(["int", "long", "unsigned char"])
                self.out.append(f"\t{{\n\t\t{type_} {name} = ({type_})(sink % 7 + {rng.randint(0, 50)});\n")
                self.line([(name, "i")], [f"USE((long){name})"], "\t\t")
                self.out.append(f"\t\t{name}++;")
                self.line([(name, "i")], [f"USE((long){name})"], "\t\t")
                self.out.append("\t}")
                self.line([(name, k)], [f"USE((long){name})"])
            elif what == 2:
                self.out.append(f"\tstruct point spot = {{ (int)sink, {rng.randint(-99, 99)} - (int)sink }};")
                self.line([("spot.x", "i"), ("spot.y", "i")], ["USE(spot.x)", "USE(spot.y)"])
            elif what == 3:
                self.out.append(f"\tint list[4] = {{ 1, (int)sink, {rng.randint(-99, 99)}, -4 }};\n\tHOLD(list);")
                self.line([("list[1]", "i"), ("list[2]", "i")], ["HOLD(list)"])
            elif what == 4:
                self.out.append(f"\tfor (int turn = 0; turn < {rng.randint(2, 5)}; turn++) {{\n")
                self.line([("turn", "i")], ["USE(turn)"], "\t\t")
                self.out.append("\t}")
            elif what == 5:
                # clang describes it in no function where all copies of it are inlined
                self.out += ["#ifndef __clang__"] if inlinable else []
                self.out.append(f"\tstatic int calls = {rng.randint(-5, 5)};\n\tcalls++;")
                self.line([("calls", "i")], [])
                self.out += ["#endif"] if inlinable else []

    def function(self, f, name=None, head=None, point=None, method=False):
        rng = self.rng
        name = name or f"f{f}"
        params = [self.parameter(f"a{i}") for i in range(rng.randint(1, 8))]
        says = [s for p in params for s in p[1]]
        says += rng.sample(C_GLOBALS, rng.randint(0, 3))
        kind = rng.choices(["OWN ", "static OWN ", "", "static ", "COPY "], [4, 3, 1, 2, 2])[0]
        if head is not None:
            kind = head
        returned, result = rng.choice(
            [("long", "i"), ("int", "i"), ("unsigned char", "u"), ("struct small", "m"),
             ("struct point", "m"), ("const char *", "s"), ("void", "")])
        out = self.out
        out.append(f"{kind}{returned} {name}({', '.join(p[0] for p in params)})\n{{")
        out.append(f'\tsay("{point or name}");')
        out += [f"\t{c_say(n, k)}" for n, k in says]
        out.append("\tsay_end();")
        out.append(f"\tsink += {' + '.join(p[2] for p in params)};")
        if rng.random() < 0.6:
            self.locals(params, "OWN" not in kind)
        made = {
            "long": "sink * 3", "int": "(int)(sink - 1000)", "unsigned char": "(unsigned char)sink",
            "struct small": "r", "struct point": "r", "const char *": "sink & 1 ? \"odd\" : \"even\"",
        }  # fmt: skip
        if returned.startswith("struct"):
            out.append(f"\t{returned} r = {{ {'(int)' if 'point' in returned else ''}sink, -5 }};")
        if returned != "void":
            out.append(f"\treturn {made[returned]};")
        out.append("}\n")
        self.call(params, name, kind, returned, result, point or name, method)

    def call(self, params, name, kind, returned, result, point, method):
        rng = self.rng
        text = f"{'object.' if method else ''}{name.split('(')[0]}({', '.join(rng.choice(p[3]) for p in params)})"
        if returned == "void" or kind == "COPY " or rng.random() < 0.4:
            self.calls.append(f"{text};")
            return
        kinds = {"i": "say_i", "u": "say_u", "s": "say_s"}
        if result == "m":
            member = rng.choice(["p", "q"] if "small" in returned else ["x", "y"])
            said = f'say_i("ret.{member}", r.{member});'
        else:
            said = f'{kinds[result]}("ret", r);'
        self.calls.append(f'{{ {returned} r = {text}; say("{point}%return"); {said} say_end(); }}')

    def finish(self):
        # few calls a function: one whole main() is slow to compile where all is inlined
        groups = [self.calls[i : i + 8] for i in range(0, len(self.calls), 8)]
        for i, calls in enumerate(groups):
            self.out.append(f"static OWN void group{i}(int n)\n{{")
            if self.cxx:
                self.out.append("\tint some_i = n - 5;\n\tunsigned short some_u = 3;\n\tUSE(some_i);\n\tUSE(some_u);\n\tlocal::Derived object;\n\tobject.set(n);")
            for c in calls:
                self.out.append(f"\t{c}\n\tcount_static++, count_global -= 3, sink &= 0xfff;")
            self.out.append("}\n")
        self.out.append("int main(int argc, char **argv)\n{\n\t(void)argv;\n\thead_global = make_item(77);")
        self.out.append("\tone_static = *make_item(31);\n\tfor (int n = argc; n < argc + 3; n++) {")
        self.out += [f"\t\tgroup{i}(n);" for i in range(len(groups))]
        self.out.append("\t\ttable_global[3] *= 3, tiny_global--, point_global.x--;")
        self.out.append("\t}\n\tfwrite(said, 1, used, stdout);\n\treturn 0;\n}")
        return "\n".join(self.out) + "\n"

    def text(self):
        self.out.append(C_START.replace("@FILE@", self.file))
        if self.cxx:
            self.out.append(CXX_START)
        for f in range(self.functions):
            if self.cxx and f % 3 == 0:
                self.cxx_function(f)
            else:
                self.function(f)
        return self.finish()

    # what C has not: one of each shape in turn
    def cxx_function(self, f):
        shape = self.rng.randrange(6)
        out = self.out
        if shape == 0:
            out.append(f"namespace local {{ namespace deeper {{\nint w{f} = {f} - 50;")
            self.function(f, f"f{f}", "OWN ", f"local::deeper::f{f}")
            self.calls[-1] = self.calls[-1].replace(f" f{f}(", f" local::deeper::f{f}(", 1)
            if self.calls[-1].startswith(f"f{f}("):
                self.calls[-1] = "local::deeper::" + self.calls[-1]
            out.append("} }\n")
        elif shape == 1:
            out.append(f"namespace local {{ OWN int w_of_{f}(int a)\n{{")
            out.append(f'\tsay("local::w_of_{f}"); say_i("a", a); say_i("w", w); say_i("::w", ::w); say_i("other::w", other::w);')
            out.append("\tsay_i(\"only\", only); say_end();\n\treturn a + w++ + ::w++;\n}\n}\n")
            self.calls.append(f"sink += local::w_of_{f}(n);")
        elif shape == 2:
            out.append(f"template <class T> OWN T t{f}(T a, const T *b, struct point p)\n{{")
            out.append(f"\tsay(sizeof(T) == 4 ? \"t{f}<int>\" : \"t{f}<long>\"); say_i(\"a\", a); say_i(\"*b\", *b); say_i(\"p.y\", p.y); say_end();")
            out.append("\tsink += a + *b + p.x;\n\treturn a;\n}\n")
            self.calls.append(f"{{ long l = n * 1000000007l; int i = -n; t{f}<long>(l + 1, &l, point{{n, -n}}); t{f}<int>(i - 1, &i, point{{-n, n}}); }}")
        elif shape == 3:
            out.append(f"OWN void text{f}(const std::string &s, std::string t, int k, std::string *p)\n{{")
            out.append(f'\tsay("text{f}"); say_s("s", s.c_str()); say_i("k", k); say_s("t", t.c_str()); say_s("*p", p->c_str()); say_end();')
            out.append("\tsink += s.size() + t.size() + k + p->size();\n}\n")
            self.calls.append(f'{{ std::string s("short"), t("a text that is too long for the object"); text{f}(s, t, n, &t); }}')
        elif shape == 4:
            out.append(f"OWN void lambda{f}(int k, struct item *it)\n{{")
            out.append("\tauto body = [k, it](int a) __attribute__((noinline)) {")
            self.line([("a", "i")], ["USE(a)", "USE(k)", "USE(it)"], "\t\t")
            out.append("\t\tsink += a + k + it->i;\n\t};\n\tbody(k + 1), body(k * 3);\n}\n")
            self.calls.append(f"lambda{f}(n, head_global);")
        else:
            out.append(f"OWN void object{f}(local::Derived &d, local::Base *b, local::Derived e)\n{{")
            out.append(f'\tsay("object{f}"); say_i("d.m", d.m); say_i("d.base", d.base); say_i("b->base", b->base); say_i("d.pt.y", d.pt.y); say_i("e.m", e.m); say_i("e.half", e.half); say_end();')
            out.append("\tsink += d.m + b->base + e.half;\n}\n")
            self.calls.append(f"object{f}(object, &object, object), object.method(n, 3u), object.Base::method(n - 9), local::Base::of_class(n);")


CXX_START = r"""
#include <string>

int w = 1;
static int only = 2;
namespace other {
int w = 21;
}
namespace local {
int w = 11;
struct Base {
	static int common;
	int base;
	short half;
	virtual ~Base() {}
	OWN virtual int method(int a)
	{
		say("local::Base::method"), say_i("a", a), say_i("base", base), say_i("common", common);
		say_i("this->half", half), say_i("w", w), say_end();
		sink += a + base;
		return a + common++;
	}
	static OWN int of_class(int a)
	{
		say("local::Base::of_class"), say_i("a", a), say_i("common", common), say_end();
		sink += a;
		return a - common;
	}
};
int Base::common = 31;
struct Derived : Base {
	static long own;
	int m;
	struct point pt;
	std::string label;
	void set(int n)
	{
		base = -n, half = (short)(n * 7), m = n * 1000, pt = point{ n, -n }, label = "label";
	}
	OWN int method(int a, unsigned k)
	{
		say("local::Derived::method"), say_i("a", a), say_u("k", k), say_i("m", m);
		say_i("base", base), say_i("this->pt.y", pt.y), say_i("own", own), say_i("::w", ::w);
		say_s("label", label.c_str()), say_i("half", half), say_i("common", common), say_end();
		sink += a + m + k + own;
		return a + m + base;
	}
};
long Derived::own = -33;
}
"""

if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in ("c", "c++", "rust", "go"):
        sys.exit(__doc__)
    language, seed, functions, path = sys.argv[1:]
    name = path.rsplit("/", 1)[-1]
    if language in ("rust", "go"):
        import make_others

        text = make_others.program(language, int(seed), int(functions), name)
    else:
        text = Program(int(seed), int(functions), name, language == "c++").text()
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
