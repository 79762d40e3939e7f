/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DSO_H
#define TFS_DSO_DSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_machine;
struct tfs_strvec;

/**
 * struct tfs_dso - a program, library, vmlinux, module or the running kernel, opened for its
 * symbols and debug information
 *
 * All addresses of this folder are virtual addresses as the file was linked, whatever file
 * supplied the debug information; those of a relocatable module are the ones its sections were
 * laid out at, from 0. Reads files only; one thread at a time.
 */
struct tfs_dso;

enum tfs_dso_kind {
	TFS_DSO_PROGRAM, /* user space: executables and shared objects */
	TFS_DSO_VMLINUX, /* a kernel image, offline or the running kernel's */
	TFS_DSO_MODULE,  /* a kernel module (ET_REL) */
	TFS_DSO_SYMBOLS, /* the running kernel, or one of its modules, of which only /proc/kallsyms
			    is to be had */
};

/* Selects the architecture's tables (dso/arch). */
enum tfs_arch {
	TFS_ARCH_NONE,
	TFS_ARCH_X86_64,
	TFS_ARCH_I386,
	TFS_ARCH_ARM64,
	TFS_ARCH_ARM,
	TFS_ARCH_RISCV64,
	TFS_ARCH_S390X,
	TFS_ARCH_PPC64LE,
};

/**
 * struct tfs_dso_options - all may be zero
 * @symfs: directory that stands for / when files are looked for, NULL for / itself
 * @debug: file to take debug information from, instead of looking for it; NULL to look
 * @kernel: take an executable for a kernel image even if it does not look like one
 */
struct tfs_dso_options {
	const char *symfs;
	const char *debug;
	bool kernel;
};

/**
 * tfs_dso_open() - open an ELF file
 * @path: the file; is opened below @opt->symfs when that is set. A path below /proc/PID/root is
 *	looked up there, also where it meets symbolic links, and so is everything that belongs to
 *	it
 * @opt: NULL for none
 * @out: set on success only; release with tfs_dso_free()
 *
 * Return: 0; -ENOENT, -EACCES and so on from opening; -ENOEXEC if it is not an ELF program,
 * library, kernel or module, or damaged; -ENOTSUP for an architecture without tables; -ENOMEM.
 */
int tfs_dso_open(const char *path, const struct tfs_dso_options *opt, struct tfs_dso **out,
		 struct tfs_err *err);

/**
 * tfs_dso_open_fd() - the same of a file that is open already, whatever became of its name
 * @fd: of a regular file; taken over, also on failure
 * @name: the path that it had, for messages; debug information is looked for beside it
 */
int tfs_dso_open_fd(int fd, const char *name, struct tfs_dso **out, struct tfs_err *err);

/**
 * tfs_dso_open_running() - the running kernel: a vmlinux with its build-id if there is one in
 * the usual places, else what /proc/kallsyms says
 *
 * Return: 0, -EACCES if kallsyms shows no addresses, -ENOMEM.
 */
int tfs_dso_open_running(const struct tfs_dso_options *opt, struct tfs_dso **out,
			 struct tfs_err *err);

/**
 * tfs_dso_find_program() - the file that is meant by what follows -x
 * @name: a path, the name of a program on PATH, or of a library ("libc.so.6", "c") where the
 *        loader looks
 * @out: yours, absolute, free()
 *
 * Return: 0, -ENOENT, -ENOMEM.
 */
int tfs_dso_find_program(const char *name, char **out, struct tfs_err *err);

/**
 * tfs_dso_find_in_process() - the file that -x means to a process
 * @name: a path as the process sees it, also of a file that it has mapped and that another one has
 *	replaced since: the mapped one is meant then; the name of a library or program that it has
 *	mapped, or that is in one of the usual directories of its root; NULL for the program that it
 *	runs
 * @out: yours, free(); for tfs_dso_open(): /proc/PID/root/PATH, /proc/PID/exe or a mapped file
 *
 * Return: 0, -ENOENT, -ENOMEM.
 */
int tfs_dso_find_in_process(int pid, const char *name, char **out, struct tfs_err *err);

/**
 * tfs_dso_find_module() - the file of a kernel module
 * @name: as lsmod shows it, or a path
 * @release: kernel release, NULL for the running one's
 * @out: yours, free(); may be a compressed file, which tfs_dso_open() takes
 *
 * Return: 0, -ENOENT, -ENOMEM.
 */
int tfs_dso_find_module(const char *name, const char *release, char **out, struct tfs_err *err);
/**
 * tfs_dso_open_module() - a module of the running kernel: its file, or, if there is none and it is
 * loaded, its symbols in /proc/kallsyms
 * @name: as lsmod shows it, or a path
 *
 * Return: as tfs_dso_open().
 */
int tfs_dso_open_module(const char *name, const struct tfs_dso_options *opt, struct tfs_dso **out,
			struct tfs_err *err);

/**
 * tfs_dso_is_of_process() - does @path go by way of a process: /proc/PID/root/..., /proc/PID/exe
 * or /proc/PID/map_files/...?
 */
bool tfs_dso_is_of_process(const char *path);

void tfs_dso_free(struct tfs_dso *dso);

enum tfs_dso_kind tfs_dso_kind(const struct tfs_dso *dso);
enum tfs_arch tfs_dso_arch(const struct tfs_dso *dso);
/** tfs_dso_machine() - its registers and instructions; NULL if there are no tables */
const struct tfs_machine *tfs_dso_machine(const struct tfs_dso *dso);
bool tfs_dso_is_big_endian(const struct tfs_dso *dso);
/** tfs_dso_addr_size() - bytes of a pointer: 4 or 8 */
unsigned int tfs_dso_addr_size(const struct tfs_dso *dso);
/** tfs_dso_is_pie() - addresses are relative to where it is loaded (ET_DYN) */
bool tfs_dso_is_pie(const struct tfs_dso *dso);
/** tfs_dso_is_go() - holds Go's line table: return probes crash such programs */
bool tfs_dso_is_go(const struct tfs_dso *dso);
/** tfs_dso_path() - absolute path, as uprobe_events wants it; without symfs; "" for kallsyms */
const char *tfs_dso_path(const struct tfs_dso *dso);
/** tfs_dso_title() - the same for a message; "the running kernel" for kallsyms */
const char *tfs_dso_title(const struct tfs_dso *dso);
/** tfs_dso_file() - the same with symfs: a path by which the file can be opened here */
const char *tfs_dso_file(const struct tfs_dso *dso);
/**
 * tfs_dso_inner() - its path as a process of its root sees it: of a container, below the
 * container's root; of a file that was deleted, the one that it had
 */
const char *tfs_dso_inner(const struct tfs_dso *dso);
/** tfs_dso_is_deleted() - the file has no name but that of a process's, in /proc */
bool tfs_dso_is_deleted(const struct tfs_dso *dso);
/** tfs_dso_module() - the module's name as the kernel knows it, NULL for anything else */
const char *tfs_dso_module(const struct tfs_dso *dso);
/** tfs_dso_build_id() - lower-case hexadecimal, "" if it has none */
const char *tfs_dso_build_id(const struct tfs_dso *dso);

/**
 * tfs_dso_code_hash() - a number that differs when the code does, for files without a build-id
 *
 * Over the executable segments as they are in the file, without the ELF header, which strip(1)
 * changes. It detects accidents, not forgeries. Return: 0, or -EBADMSG if the file is truncated.
 */
int tfs_dso_code_hash(const struct tfs_dso *dso, uint64_t *hash);
/** tfs_dso_running_build_id() - the running kernel's, @out yours; -ENODATA if it has none */
int tfs_dso_running_build_id(char **out, struct tfs_err *err);
/**
 * tfs_dso_module_build_id() - that of a module: the loaded one's, else that of its file; @out
 * yours, "" if it has none
 * Return: 0, -ENOENT, -ENOMEM.
 */
int tfs_dso_module_build_id(const char *name, char **out, struct tfs_err *err);

/**
 * tfs_dso_file_offset() - where an address's byte is in the file, by the PT_LOAD containing it
 * Return: 0, -ENOENT if no segment's file part holds it.
 */
int tfs_dso_file_offset(const struct tfs_dso *dso, uint64_t addr, uint64_t *off);
/** tfs_dso_address() - the reverse */
int tfs_dso_address(const struct tfs_dso *dso, uint64_t off, uint64_t *addr);
/** tfs_dso_is_code() - the address is in an executable segment or section */
bool tfs_dso_is_code(const struct tfs_dso *dso, uint64_t addr);
/** tfs_dso_section() - name of the section an address is in, borrowed; NULL if there is none */
const char *tfs_dso_section(const struct tfs_dso *dso, uint64_t addr);
/** tfs_dso_read() - bytes the file has for an address; -ENOENT if it does not hold all of them */
int tfs_dso_read(const struct tfs_dso *dso, uint64_t addr, void *buf, size_t len);

#endif
