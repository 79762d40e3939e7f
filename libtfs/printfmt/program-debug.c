/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/program-debug.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"

/* Bytes in a line of a dump at most, and characters of their offset */
#define ROW_MAX 32
#define OFFSET_MAX 10
#define MAX_ERRNO 4095

/*
 * Names of errors by their numbers: those from 1 on of <asm-generic/errno.h>, which all but Alpha,
 * MIPS, PA-RISC and SPARC have, and the kernel's own of <linux/errno.h>, from 512 on. "-": none
 */
static const char names[] =
	"EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES "
	"EFAULT ENOTBLK EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY "
	"ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG "
	"ENOLCK ENOSYS ENOTEMPTY ELOOP - ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG "
	"EUNATCH ENOCSI EL2HLT EBADE EBADR EXFULL ENOANO EBADRQC EBADSLT - EBFONT ENOSTR "
	"ENODATA ETIME ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO EMULTIHOP "
	"EDOTDOT EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD ELIBSCN ELIBMAX "
	"ELIBEXEC EILSEQ ERESTART ESTRPIPE EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE "
	"ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT EAFNOSUPPORT "
	"EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET ECONNABORTED ECONNRESET "
	"ENOBUFS EISCONN ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN "
	"EHOSTUNREACH EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL EISNAM EREMOTEIO "
	"EDQUOT ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED "
	"EOWNERDEAD ENOTRECOVERABLE ERFKILL EHWPOISON";
static const char own_names[] =
	"ERESTARTSYS ERESTARTNOINTR ERESTARTNOHAND ENOIOCTLCMD ERESTART_RESTARTBLOCK "
	"EPROBE_DEFER EOPENSTALE ENOPARAM - EBADHANDLE ENOTSYNC EBADCOOKIE ENOTSUPP ETOOSMALL "
	"ESERVERFAULT EBADTYPE EJUKEBOX EIOCBQUEUED ERECALLCONFLICT";

#define OWN_FIRST 512

/* The @n-th word, and its length; NULL: there are fewer */
static const char *word(const char *s, unsigned int n, size_t *len)
{
	for (; n && *s; n--) {
		s += strcspn(s, " ");
		s += *s == ' ';
	}
	*len = strcspn(s, " ");
	return *len ? s : NULL;
}

char *tfs_write_error(const struct tfs_run *r, char *q, uint64_t value)
{
	unsigned int n;
	const char *name;
	size_t len;

	if (r->program->env->long_size == 4)
		value = (uint64_t)(int32_t)value;
	if (value < (uint64_t)-MAX_ERRNO)
		return NULL;
	n = (unsigned int)-value;
	name = n < OWN_FIRST ? word(names, n - 1, &len) : word(own_names, n - OWN_FIRST, &len);
	if (!name || *name == '-')
		return tfs_digits_sdec(q, (int64_t)value);
	*q++ = '-';
	return mempcpy(q, name, len);
}

/* A group of bytes as the number that the recorded machine has there */
static char *group(char *q, const unsigned char *p, size_t size, bool big)
{
	for (size_t i = 0; i < size; i++)
		q = tfs_digits_hex(q, p[big ? i : size - 1 - i], 2);
	return q;
}

/* Bytes in groups with a blank between, and perhaps as characters in a column of their own */
static char *row(char *q, const struct tfs_op *op, const unsigned char *p, size_t n, bool big)
{
	/* bytes that make no whole number of groups are shown one by one */
	size_t size = n % op->kind ? 1 : op->kind, column = 2U * op->size + op->size / size + 1;
	char *start = q;

	for (size_t i = 0; i < n; i += size) {
		if (i)
			*q++ = ' ';
		q = group(q, p + i, size, big);
	}
	if (!(op->style & TFS_STYLE_ALT))
		return q;
	while ((size_t)(q - start) < column)
		*q++ = ' ';
	for (size_t i = 0; i < n; i++)
		*q++ = p[i] >= ' ' && p[i] < 0x7f ? (char)p[i] : '.';
	return q;
}

char *tfs_write_dump(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t n)
{
	size_t prefix = strlen(op->text), rows, len;
	const unsigned char *p = tfs_run_array(r, op, n, 1);

	if (!p || (op->aux && n > op->aux))
		return NULL;
	rows = (size_t)n / op->size + 1;
	q = tfs_run_room(r, q, 1 + rows * (prefix + OFFSET_MAX + 2) + n * 3 + rows * 5 * ROW_MAX);
	if (!q)
		return NULL;
	*q++ = '\n';
	for (size_t at = 0; at < n; at += len) {
		len = n - at < op->size ? (size_t)(n - at) : op->size;
		q = mempcpy(q, op->text, prefix);
		if (op->style & TFS_STYLE_OFFSET) {
			q = tfs_digits_hex(q, at, 8);
			*q++ = ':';
			*q++ = ' ';
		}
		q = row(q, op, p + at, len, r->program->env->big);
		*q++ = '\n';
	}
	return q;
}
