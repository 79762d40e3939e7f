/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/chrome-internal.h"

#include <errno.h>
#include <inttypes.h>

#include "base/digits.h"
#include "base/json.h"
#include "decode/event-type.h"
#include "decode/value.h"
#include "span/span.h"
#include "view/export-value.h"

#define NS_PER_US 1000

int tfs_chrome_time(struct chrome *c, const char *key, int64_t ns)
{
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	return tfs_strbuf_addf(&c->text, ",\"%s\":%s%" PRIu64 ".%03u", key, ns < 0 ? "-" : "",
			       n / NS_PER_US, (unsigned int)(n % NS_PER_US));
}

int tfs_chrome_head(struct chrome *c, char phase, const char *name, size_t len,
		    const struct chrome_place *place)
{
	int rc = tfs_strbuf_addf(&c->text, "{\"ph\":\"%c\",\"name\":", phase);

	if (!rc)
		rc = tfs_json_string(&c->text, name, len);
	return rc ? rc :
		    tfs_strbuf_addf(&c->text, ",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64, place->pid,
				    place->tid);
}

int tfs_chrome_fields(struct chrome *c, const struct tfs_span_record *record, bool *more)
{
	const struct tfs_fields *fields = record->type ? record->type->fields : NULL;
	struct tfs_value v;
	int rc = 0;

	for (size_t i = 0; fields && i < fields->n && !rc; i++) {
		const struct tfs_field *f = &fields->field[i];

		if (!tfs_fields_get(fields, f, record->data, record->size, &v))
			continue;
		rc = *more ? tfs_strbuf_addc(&c->text, ',') : 0;
		if (!rc)
			rc = tfs_json_string(&c->text, f->name, f->name_len);
		if (!rc)
			rc = tfs_strbuf_addc(&c->text, ':');
		if (!rc)
			rc = tfs_json_value(&c->text, f, &v);
		*more = true;
	}
	return rc;
}
