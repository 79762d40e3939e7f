/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/demangle.h"

#include <errno.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/strbuf-core.h"

/* libiberty keeps some 40 bytes of stack for each character. */
#define SYMBOL_MAX 8192

/* struct sink - receives the output of libiberty, up to a limit */
struct sink {
	struct tfs_strbuf text;
	bool no_memory;
	jmp_buf enough;
};

/* There is no other way to stop it than not to return; it holds nothing that would be lost. */
static void take(const char *text, size_t len, void *ctx)
{
	struct sink *sink = ctx;

	if (sink->text.len + len > TFS_DEMANGLE_MAX)
		longjmp(sink->enough, 1);
	if (tfs_strbuf_add(&sink->text, text, len)) {
		sink->no_memory = true;
		longjmp(sink->enough, 1);
	}
}

static bool run(struct sink *sink, const char *symbol, int options)
{
	if (setjmp(sink->enough))
		return false;
	tfs_strbuf_reset(&sink->text);
	if (rust_demangle_callback(symbol, options, take, sink) && sink->text.len)
		return true;
	tfs_strbuf_reset(&sink->text);
	return cplus_demangle_v3_callback(symbol, options, take, sink) && sink->text.len;
}

/* How long a symbol is without what the compiler appended; a name of Rust's may have dots in it. */
static size_t stem(const char *symbol)
{
	static const char *const suffixes[] = { ".isra.", ".constprop.", ".part.",     ".cold",
						".llvm.", ".lto_priv.",  ".localalias" };
	size_t len = strlen(symbol);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		const char *at = strstr(symbol, suffixes[i]);

		if (at && (size_t)(at - symbol) < len)
			len = (size_t)(at - symbol);
	}
	return len;
}

char *tfs_demangle(const char *symbol, unsigned int flags)
{
	int options = DMGL_ANSI | DMGL_RET_DROP;
	struct sink sink = { .text = TFS_STRBUF_INIT };
	char *name = NULL, *plain;
	size_t len;

	errno = 0;
	if (!tfs_demangle_is_mangled(symbol) || (len = stem(symbol)) > SYMBOL_MAX)
		return NULL;
	if (flags & TFS_DEMANGLE_PARAMS)
		options |= DMGL_PARAMS;
	plain = strndup(symbol, len);
	if (!plain || (run(&sink, plain, options) && tfs_strbuf_detach(&sink.text, &name)))
		sink.no_memory = true;
	tfs_strbuf_release(&sink.text);
	free(plain);
	errno = sink.no_memory ? ENOMEM : 0;
	return sink.no_memory ? NULL : name;
}

bool tfs_demangle_is_mangled(const char *symbol)
{
	return symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R');
}

bool tfs_demangle_is_built_in(void)
{
	return true;
}
