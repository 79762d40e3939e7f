/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "feature/feature-internal.h"
#include "base/pid-ns.h"
#include "feature/getname.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strvec.h"
#include "base/time.h"
#include "btf/btf-running.h"
#include "btf/btf.h"
#include "decode/plugins.h"
#include "dso/kallsyms.h"
#include "dso/symbol.h"
#include "tracedat/compress.h"
#include "tracefs/file.h"

/* A sleep need not switch tasks: in a slow emulator its time is over before it begins. */
void tfs_trigger_switch(void)
{
	const struct timespec ms = { .tv_nsec = NS_PER_MSEC };
	struct rusage before, now;
	int tries = 1000;

	if (getrusage(RUSAGE_THREAD, &before))
		return;
	do {
		nanosleep(&ms, NULL);
	} while (--tries && !getrusage(RUSAGE_THREAD, &now) && now.ru_nvcsw == before.ru_nvcsw);
}

void tfs_trigger_getppid(void)
{
	getppid();
}

void tfs_trigger_read(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char c;

	/* it is at its end: what counts is that it was asked */
	if (fd >= 0 && read(fd, &c, 1) < 0)
		tfs_close(&fd);
	tfs_close(&fd);
}

/* "START-END rwxp OFFSET DEV INODE PATH" of /proc/self/maps: @addr as PATH:0xOFFSET */
static int place_of(uint64_t addr, char *place, size_t size)
{
	struct tfs_strbuf maps = TFS_STRBUF_INIT;
	int rc = tfs_read_path("/proc/self/maps", &maps);
	const char *p = maps.s;

	while (!rc) {
		uint64_t start, end, off;
		int path = 0;

		if (sscanf(p, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &start, &end,
			   &off, &path) == 3 &&
		    path && addr >= start && addr < end) {
			snprintf(place, size, "%.*s:0x%" PRIx64, (int)strcspn(p + path, "\n"),
				 p + path, addr - start + off);
			break;
		}
		p = strchr(p, '\n');
		if (!p || !*++p)
			rc = -ENOENT;
	}
	tfs_strbuf_release(&maps);
	return rc;
}

/* The C library's getppid(), which hardly anybody calls */
int tfs_try_uprobe(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		   struct tfs_err *err)
{
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	struct tfs_feature_probe probe = *p;
	char place[512];
	int rc = place_of((uint64_t)(uintptr_t)getppid, place, sizeof(place));

	if (rc)
		return tfs_err_set(err, rc, "cannot find a function of the C library to probe");
	rc = tfs_strbuf_addf(&line, "%s %s", p->text, place);
	probe.text = line.s;
	rc = rc ? tfs_err_set(err, rc, "cannot prepare the probe") :
		  tfs_try_probe(sandbox, &probe, err);
	tfs_strbuf_release(&line);
	return rc;
}

/* The function to probe is another one on other kernels. */
int tfs_try_getname(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		    struct tfs_err *err)
{
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	struct tfs_feature_probe probe = *p;
	char where[96], tag[TFS_PID_TAG_SIZE];
	int rc;

	tfs_pid_tag(tag, '_');
	snprintf(where, sizeof(where), "tc_list_%s/tc_getname", tag);
	rc = tfs_getname_define(sandbox->root, where, &line, err);
	probe.text = line.s;
	if (!rc)
		rc = tfs_try_probe(sandbox, &probe, err);
	tfs_strbuf_release(&line);
	return rc;
}

int tfs_try_syscall_strings(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
			    struct tfs_err *err)
{
	return tfs_has_syscall_strings(sandbox->root) ?
		       tfs_try_event(sandbox, p, err) :
		       tfs_err_say(err, -EOPNOTSUPP,
				   "the events of system calls have no strings (those of Linux "
				   "6.19 and later have)");
}

/* A filter that no event understands: is it the kernel's own words why? */
int tfs_try_error_log(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		      struct tfs_err *err)
{
	struct tfs_strbuf log = TFS_STRBUF_INIT;
	char path[512];
	int rc = tfs_sandbox_instance(sandbox, err);

	if (rc)
		return rc;
	snprintf(path, sizeof(path), "%s%s", sandbox->inst.prefix, p->file);
	tfs_file_write(sandbox->root, path, TFS_WRITE_TRUNC, p->text, strlen(p->text), NULL);
	snprintf(path, sizeof(path), "%serror_log", sandbox->inst.prefix);
	rc = tfs_file_read(sandbox->root, path, &log, err);
	if (!rc && !strstr(log.s, p->text))
		rc = tfs_err_say(err, -ENODATA, "a wrong filter is not in error_log");
	tfs_strbuf_release(&log);
	return rc;
}

int tfs_try_kallsyms(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		     struct tfs_err *err)
{
	FILE *f = fopen(TFS_KALLSYMS, "re");
	char line[1024];
	bool found = false;
	int rc = f ? 0 : -errno;

	(void)sandbox;
	(void)p;
	while (f && !found && fgets(line, sizeof(line), f)) {
		struct tfs_symbol s = { 0 };

		found = !tfs_kallsyms_line(line, &s) && s.type == TFS_SYMBOL_FUNC && s.addr;
	}
	if (f)
		fclose(f);
	if (rc)
		return tfs_err_set(err, rc, "cannot read '" TFS_KALLSYMS "'");
	if (found)
		return 0;
	tfs_err_say(err, -EACCES, "'" TFS_KALLSYMS "' shows no addresses");
	tfs_err_hint(err, "be root, or see kernel.kptr_restrict");
	return -EACCES;
}

int tfs_try_btf(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p, struct tfs_err *err)
{
	struct tfs_btf_type proto;
	struct tfs_btf *btf = NULL;
	int rc = tfs_btf_running("vmlinux", NULL, &btf, err);

	(void)sandbox;
	(void)p;
	if (!rc && tfs_btf_func(btf, "vfs_read", &proto))
		rc = tfs_err_say(err, -ENODATA, "it has no prototype of vfs_read()");
	tfs_btf_free(btf);
	return rc == -ENODATA ? -ENOENT : rc;
}

int tfs_try_debuginfod(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		       struct tfs_err *err)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL);
	const char *urls = getenv("DEBUGINFOD_URLS");

	(void)sandbox;
	(void)p;
	if (!library) {
		tfs_err_say(err, -ENOENT, "libdebuginfod.so.1 is not installed");
		tfs_err_hint(err, "Debian: apt-get install libdebuginfod1");
		return -ENOENT;
	}
	dlclose(library);
	if (urls && *urls)
		return 0;
	tfs_err_say(err, -ENOENT, "DEBUGINFOD_URLS names no server");
	tfs_err_hint(err,
		     "export DEBUGINFOD_URLS=https://debuginfod.debian.net or your distribution's");
	return -ENOENT;
}

int tfs_try_zstd(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		 struct tfs_err *err)
{
	static const char text[] = "compressed and expanded";
	struct tfs_codec *codec = NULL;
	char packed[1024], back[sizeof(text)];
	size_t size;
	int rc = tfs_codec_new(TFS_CODEC_ZSTD, 0, &codec, err);

	(void)sandbox;
	(void)p;
	if (rc)
		return rc;
	rc = tfs_codec_bound(codec, sizeof(text)) > sizeof(packed) ? -EINVAL : 0;
	if (!rc)
		rc = tfs_codec_compress(codec, text, sizeof(text), packed, sizeof(packed), &size);
	if (!rc)
		rc = tfs_codec_expand(codec, packed, size, back, sizeof(back));
	if (!rc && memcmp(text, back, sizeof(text)) != 0)
		rc = -EBADMSG;
	tfs_codec_free(codec);
	return rc ? tfs_err_set(err, rc, "cannot compress") : 0;
}

int tfs_try_plugins(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		    struct tfs_err *err)
{
	struct tfs_strvec paths = TFS_STRVEC_INIT;
	struct tfs_strbuf options = TFS_STRBUF_INIT;
	int rc = tfs_plugins_list(&paths, &options, err);

	(void)sandbox;
	(void)p;
	if (!rc && !paths.n) {
		rc = tfs_err_say(err, -ENOENT, "libtraceevent finds no plugin to load");
		tfs_err_hint(err, "Debian: apt-get install libtraceevent1-plugin");
	}
	tfs_strbuf_release(&options);
	tfs_strvec_release(&paths);
	return rc;
}
