/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What make-elf.sh makes a seed of fuzz_elf of: Go's line table as of 1.20 (debug/gosym/pclntab.go
 * of Go), without symbols. main.add has three lines, and one of pkg.Twice inlined into the second;
 * main.loop comes to its first line from two sides.
 */
	.text
text:
add:
	cmp	%rsp, 16(%r14)		/* main.go:10 */
	jbe	2f
	lea	(%rax,%rax), %rax	/* pkg.go:4, inlined */
	add	%rbx, %rax		/* main.go:11 */
	ret				/* main.go:12 */
2:	call	loop			/* main.go:10 */
	jmp	add
add_end:
loop:
	jmp	2f			/* main.go:20 */
1:	add	%rax, %rbx		/* main.go:21 */
	inc	%rcx			/* main.go:20 */
2:	cmp	%rcx, %rax
	jg	1b
	ret				/* main.go:23 */
loop_end:

	.section .gopclntab, "aw", @progbits
table:
	.long	0xfffffff1
	.byte	0, 0, 1, 8
	.quad	2, 2			/* functions, files */
	.quad	text
	.quad	names - table, units - table, files - table, values - table
	.quad	functions - table
names:	.byte	0
name_add:
	.asciz	"main.add"
name_loop:
	.asciz	"main.loop"
units:	.long	file_main - files, file_pkg - files
files:	.byte	0
file_main:
	.asciz	"/src/main.go"
file_pkg:
	.asciz	"/src/pkg/pkg.go"
values:	.byte	0
/* differences of values, the sign in the lowest bit, and the bytes of code they are for */
add_file:
	.byte	2, 6, 2, 4, 1, 11, 0
add_line:
	.byte	22, 6, 11, 4, 14, 3, 2, 1, 3, 7, 0
add_copy:
	.byte	0, 6, 2, 4, 1, 11, 0
loop_file:
	.byte	2, loop_end - loop, 0
loop_line:
	.byte	42, 2, 2, 3, 1, 8, 6, 1, 0
	.balign	4
functions:
	.long	0, func_add - functions, add_end - text, func_loop - functions, loop_end - text
func_add:
	.long	0, name_add - names, 0, 0, 0, add_file - values, add_line - values, 3, 0, 10
	.byte	0, 0, 0, 0
	.long	0, 0, add_copy - values
func_loop:
	.long	loop - text, name_loop - names, 0, 0, 0, loop_file - values, loop_line - values, 0, 0, 20
	.byte	0, 0, 0, 0
