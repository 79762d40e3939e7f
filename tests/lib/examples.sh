# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Runs the commands of a manual page's examples as they stand there, in a directory that has what
# they are about. Sourced, after tap.sh; the programs are in PATH.

# examples_of PAGE: each command of the blocks in EXAMPLES, a line each
examples_of() {
	awk '/^== / { on = /^== (EXAMPLES)/ }
	/^----$/ { block = !block; next }
	on && block && /^tc-/' "$1"
}

# examples_program: ./program, of list.c, whose line 42 is in a function that has a node
examples_program() {
	{
		cat <<'END'
#include <stdio.h>
#include <string.h>

struct node {
	struct node *next;
	int value;
	char name[16];
};

static int seen;

__attribute__((noinline)) struct node *list_find(struct node *node, const char *key)
{
	while (node && strcmp(node->name, key))
		node = node->next;
	seen++;
	return node;
}

__attribute__((noinline)) int list_sum(struct node *node)
{
	int sum = 0;

	for (; node; node = node->next)
		sum += node->value;
	return sum;
}

END
		yes '' | head -n 10
		cat <<'END'
__attribute__((noinline)) int list_next(struct node *node)
{

	return node->next->value + seen;
}

int main(int argc, char **argv)
{
	struct node b = { NULL, 2, "b" }, a = { &b, 1, "a" };

	printf("%d %d\n", list_next(&a), list_sum(list_find(&a, argc > 1 ? argv[1] : "a")));
	return 0;
}
END
	} >list.c
	${CC:-cc} -g -O1 -o program list.c
}

# needs COMMAND: prints what the command would need that is not here
needs() {
	case $1 in
	*vmlinux*) [ -e vmlinux ] || echo "no kernel with debug information (TC_VMLINUX)" ;;
	*libc.so.6*) [ -z "$(tc-probe -x libc.so.6 -D 'fopen filename' 2>&1 >/dev/null)" ] ||
		echo "no debug information of libc" ;;
	*probe_libc*) [ -z "$(tc-probe -x libc.so.6 -D 'fopen filename' 2>&1 >/dev/null)" ] ||
		echo "no debug information of libc" ;;
	esac
	case $1 in
	tc-record*) [ -n "${examples_live:-}" ] || echo "only on a kernel that records" ;;
	esac
}

# run_examples PAGE: one result a command, in their order: one may need what another defined
run_examples() {
	examples_program || skip_all "no C compiler"
	for examples_vmlinux in ${TC_VMLINUX:-} /usr/lib/debug/boot/vmlinux-*; do
		[ ! -r "$examples_vmlinux" ] || ln -sf "$examples_vmlinux" vmlinux
	done
	examples_of "$1" >commands
	while read -r command; do
		why=$(needs "$command")
		if [ -n "$why" ]; then
			skip "$command" "$why"
		elif sh -c "$command" >out 2>err </dev/null; then
			pass "$command"
		else
			fail "$command" "$(cat out err)"
		fi
	done <commands
	is "there are examples" "$([ "$(wc -l <commands)" -ge 12 ] && echo yes)" yes
}
