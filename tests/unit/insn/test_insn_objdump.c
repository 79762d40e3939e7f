/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoder beside binutils' disassembler, instruction by instruction: length, kind, target, and
 * whether memory is written. Without arguments for this program and the C library; with arguments
 * for the files named, of a machine that $OBJDUMP knows.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "dso/arch/machine.h"
#include "dso/dso.h"
#include "insn/insn.h"
#include "lib/skip.h"

#define SHOWN_MAX 40

/* One line: "  401000:\t48 89 e5 \tmov    %rsp,%rbp", several for what is longer than a line. */
struct line {
	uint64_t addr;
	uint8_t code[16];
	size_t n;
	char text[120];
};

struct compared {
	const struct tfs_machine *machine;
	size_t insns;
	size_t bad; /* what objdump does not know either */
	size_t wrong;
};

static FILE *disassemble(const char *path, pid_t *pid)
{
	const char *objdump = getenv("OBJDUMP");
	int fd[2];

	if (!objdump)
		objdump = "objdump";
	if (pipe(fd))
		return NULL;
	*pid = fork();
	if (*pid == 0) {
		dup2(fd[1], STDOUT_FILENO);
		close(fd[0]);
		close(fd[1]);
		execlp(objdump, objdump, "-dw", "-z", "--insn-width=16", path, (char *)NULL);
		_exit(127);
	}
	close(fd[1]);
	return *pid > 0 ? fdopen(fd[0], "r") : NULL;
}

/* Words of bytes ("48 89 e5") on x86, of instructions ("d503201f") on arm64 and others. */
static bool read_bytes(const char *s, const char *end, bool big, struct line *l)
{
	while (s < end) {
		const char *word;
		size_t len, i;

		s += strspn(s, " ");
		word = s;
		len = strspn(s, "0123456789abcdef");
		if (!len)
			break;
		if (len % 2 || l->n + len / 2 > sizeof(l->code))
			return false;
		for (i = 0; i < len / 2; i++) {
			char two[3] = { word[2 * i], word[2 * i + 1], '\0' };
			size_t at = big || len == 2 ? i : len / 2 - 1 - i;

			l->code[l->n + at] = (uint8_t)strtoul(two, NULL, 16);
		}
		l->n += len / 2;
		s += len;
	}
	return l->n > 0;
}

static bool read_line(const char *text, bool big, struct line *l)
{
	const char *bytes, *insn;
	char *end;

	memset(l, 0, sizeof(*l));
	l->addr = strtoull(text, &end, 16);
	if (end == text || *end != ':' || end[1] != '\t')
		return false;
	bytes = end + 2;
	insn = strchr(bytes, '\t');
	if (insn)
		snprintf(l->text, sizeof(l->text), "%.*s", (int)strcspn(insn + 1, "\n"), insn + 1);
	return read_bytes(bytes, insn ? insn : bytes + strlen(bytes), big, l);
}

/* The mnemonic without the prefixes that objdump writes before it. */
static const char *mnemonic(const struct line *l)
{
	static const char *const before[] = { "bnd ",    "notrack ", "data16 ", "rex", "cs ",
					      "repz ",   "rep ",     "repnz ",  "ds ", "lock ",
					      "addr32 ", "ss ",      "es ",     "fs ", "gs " };
	const char *s = l->text;
	size_t i;

	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		if (strncmp(s, before[i], strlen(before[i])) == 0) {
			s += strcspn(s, " ");
			s += strspn(s, " ");
			i = (size_t)-1;
		}
	}
	return s;
}

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static enum tfs_insn_kind x86_kind(const char *m)
{
	if (begins(m, "ret") || begins(m, "lret"))
		return TFS_INSN_RET;
	if (begins(m, "call") || begins(m, "lcall"))
		return TFS_INSN_CALL;
	if (begins(m, "jmp") || begins(m, "ljmp") || begins(m, "iret") || begins(m, "sysret") ||
	    begins(m, "sysexit"))
		return TFS_INSN_JUMP;
	if (m[0] == 'j' || begins(m, "loop") || begins(m, "xbegin"))
		return TFS_INSN_BRANCH;
	if (begins(m, "hlt") || begins(m, "ud"))
		return TFS_INSN_STOP;
	return TFS_INSN_OTHER;
}

/* mov and its like store into the last operand: "...,0x8(%rsp)". */
static bool x86_stores(const char *m)
{
	static const char *const plain[] = {
		"mov ",    "movb ",   "movw ",  "movl ",      "movq ",    "movaps ",  "movups ",
		"movdqa ", "movdqu ", "movd ",  "vmovaps ",   "vmovups ", "vmovdqu ", "vmovdqa ",
		"add ",    "addl ",   "set",    "and ",       "or ",      "movss ",   "movsd ",
		"movlps ", "movhps ", "vmovq ", "vmovdqu64 ", "pextrw "
	};
	const char *end = strchr(m, '#') ? strchr(m, '#') : m + strlen(m);
	size_t i;

	while (end > m && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (begins(m, "setssbsy"))
		return false;
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (begins(m, plain[i]))
			return end[-1] == ')' && !memchr(m, '{', (size_t)(end - m));
	}
	return false;
}

static void wrong(struct compared *c, const struct line *l, const char *what, uint64_t got)
{
	if (c->wrong++ < SHOWN_MAX)
		print_message("# %" PRIx64 ": %s: %s 0x%" PRIx64 "\n", l->addr, l->text, what, got);
}

static void compare_x86(struct compared *c, const struct line *l, const struct tfs_insn *insn)
{
	const char *m = mnemonic(l);
	const char *operand = m + strcspn(m, " ");
	char *end;
	uint64_t target;

	if (insn->kind != x86_kind(m))
		wrong(c, l, "kind", insn->kind);
	operand += strspn(operand, " ");
	target = strtoull(operand, &end, 16);
	if (insn->kind != TFS_INSN_OTHER && insn->has_target &&
	    (end == operand || target != insn->target))
		wrong(c, l, "target", insn->target);
	if (x86_stores(m) && !(insn->mem.access & TFS_INSN_WRITES))
		wrong(c, l, "no store, access", insn->mem.access);
	if (begins(m, "lea ") && insn->mem.access != TFS_INSN_ADDRESS)
		wrong(c, l, "lea, access", insn->mem.access);
	if ((begins(m, "cmp") || begins(m, "test") || begins(m, "nop")) && !begins(m, "cmpxchg") &&
	    insn->mem.access & TFS_INSN_WRITES)
		wrong(c, l, "stores, access", insn->mem.access);
}

/* Data among the code: objdump knows no instruction there either, or only prefixes of one. */
static bool is_data(const char *text)
{
	static const char *const word[] = { ".byte",  ".word",  ".long", ".inst",
					    ".short", ".4byte", ".insn" };
	size_t i;

	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		if (begins(text, word[i]))
			return true;
	}
	return strstr(text, "(bad)") || (begins(text, "rex") && !strchr(text, ' '));
}

/* objdump takes fwait for a part of what follows it; to the processor it is an instruction. */
static bool is_fwait(const struct compared *c, const struct line *l)
{
	return (c->machine->elf == 62 || c->machine->elf == 3) && l->n > 1 && l->code[0] == 0x9b;
}

static void compare(struct compared *c, const struct line *l, const struct line *next)
{
	uint8_t code[32];
	struct tfs_insn insn;
	size_t n = l->n;
	int rc;

	if (is_data(l->text) || is_fwait(c, l)) {
		c->bad++;
		return;
	}
	memcpy(code, l->code, l->n);
	if (next->addr == l->addr + l->n) {
		memcpy(code + n, next->code, next->n);
		n += next->n;
	}
	c->insns++;
	rc = tfs_insn_decode(c->machine, code, n, l->addr, &insn);
	if (rc)
		wrong(c, l, "error", (uint64_t)-rc);
	else if (insn.len != l->n)
		wrong(c, l, "length", insn.len);
	else if (insn.effects)
		compare_x86(c, l, &insn);
}

static int compare_file(const char *path, struct compared *c)
{
	struct tfs_dso *dso = NULL;
	struct line l[2];
	char *text = NULL;
	size_t cap = 0;
	bool have = false;
	FILE *in;
	pid_t pid = 0;
	int status = 0;

	memset(c, 0, sizeof(*c));
	if (tfs_dso_open(path, NULL, &dso, NULL))
		return -ENOENT;
	c->machine = tfs_dso_machine(dso);
	in = disassemble(path, &pid);
	while (in && getline(&text, &cap, in) > 0) {
		if (!read_line(text, c->machine->big, &l[1]))
			continue;
		if (have)
			compare(c, &l[0], &l[1]);
		l[0] = l[1];
		have = true;
	}
	free(text);
	if (in)
		fclose(in);
	tfs_dso_free(dso);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return !in || status ? -EIO : 0;
}

static void check(const char *path)
{
	struct compared c;

	if (compare_file(path, &c))
		skip_because("no objdump");
	print_message("# %s: %zu instructions, %zu not compared, %zu differ\n", path, c.insns,
		      c.bad, c.wrong);
	assert_int_equal(c.wrong, 0);
	assert_true(c.insns > 1000);
}

static void this_programs_instructions_are_objdumps(void **state)
{
	(void)state;
	check("/proc/self/exe");
}

static void the_c_librarys_instructions_are_objdumps(void **state)
{
	Dl_info info;

	(void)state;
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "fopen"), &info));
	check(info.dli_fname);
}

static int each_argument(char **path)
{
	size_t all = 0;
	struct compared c;

	for (; *path; path++) {
		if (compare_file(*path, &c)) {
			print_message("# %s: cannot read\n", *path);
			all++;
			continue;
		}
		print_message("# %s: %zu instructions, %zu not compared, %zu differ\n", *path,
			      c.insns, c.bad, c.wrong);
		all += c.wrong;
	}
	return all != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_programs_instructions_are_objdumps),
		cmocka_unit_test(the_c_librarys_instructions_are_objdumps),
	};

	if (argc > 1)
		return each_argument(argv + 1);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
