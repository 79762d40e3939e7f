/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/flame-svg.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/out.h"
#include "base/strbuf-core.h"
#include "chart/colors.h"
#include "chart/flame-layout.h"
#include "chart/flame-look.h"
#include "chart/flame-tree.h"
#include "chart/markup.h"

/* Pixels, as users know them from other flame graphs */
#define MARGIN 10
#define ROW 16
#define FONT 12
#define ABOVE (3 * FONT)
#define LINE (FONT + 6)
/* of a character, of the size of the font */
#define CHAR_WIDTH 0.59
#define CHARS_MIN 3

struct picture {
	const struct tfs_flame_tree *tree;
	const struct tfs_flame_look *look;
	const struct tfs_flame_layout *layout;
	struct tfs_out *out;
	struct tfs_strbuf text; /* of an element */
	double factor;          /* of weights before */
	double largest;         /* change of a frame */
	unsigned int height, vanished_y;
};

static double percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

/* The class of a frame's rectangle: family and shade, or the change */
static void put_class(struct picture *p, const struct tfs_flame_node *node)
{
	const struct tfs_fold_name *name = &p->tree->name[node->name];
	double change;
	int step;

	if (!(p->look->flags & TFS_FLAME_DIFF)) {
		tfs_out_printf(p->out, "%c%u", 'a' + (int)tfs_color_family(p->look->scheme, name),
			       tfs_color_shade(name));
		return;
	}
	change = tfs_flame_change(p->tree, node, p->factor);
	step = p->largest > 0 ? (int)(change / p->largest * TFS_COLOR_STEPS) : 0;
	if (!step && (change > 0 || change < 0))
		step = change > 0 ? 1 : -1;
	tfs_out_printf(p->out, "%s%u",
		       step > 0 ? "up" :
		       step < 0 ? "dn" :
				  "eq",
		       (unsigned int)(step < 0 ? -step : step));
}

/* "NAME (1,234 samples, 12.34%)" */
static int add_title(struct picture *p, const struct tfs_flame_node *node, bool vanished)
{
	enum tfs_flame_side side = vanished ? TFS_FLAME_BEFORE : TFS_FLAME_AFTER;
	const struct tfs_fold_name *name = &p->tree->name[node->name];
	const struct tfs_flame_node *root = p->tree->node;
	int rc = tfs_markup_text(&p->text, name->text, name->len, 0);
	double change;

	if (!rc)
		rc = tfs_strbuf_adds(&p->text, " (");
	if (!rc)
		rc = tfs_markup_count(&p->text, node->total[side]);
	if (!rc)
		rc = tfs_strbuf_addf(&p->text, " %s, %.2f%%", p->look->unit,
				     percent(node->total[side], root->total[side]));
	if (!rc && vanished)
		rc = tfs_strbuf_adds(&p->text, " before; now none");
	if (!rc && !vanished && p->look->flags & TFS_FLAME_DIFF) {
		change = (double)node->self[TFS_FLAME_AFTER] -
			 (double)node->self[TFS_FLAME_BEFORE] * p->factor;
		rc = tfs_strbuf_addf(&p->text, "; %+.2f%%",
				     root->total[side] ? 100 * change / (double)root->total[side] :
							 0);
	}
	return rc ? rc : tfs_strbuf_adds(&p->text, ")");
}

static int put_box(struct picture *p, const struct tfs_flame_box *box, unsigned int y,
		   bool vanished)
{
	const struct tfs_flame_node *node = &p->tree->node[box->node];
	const struct tfs_fold_name *name = &p->tree->name[node->name];
	double x = MARGIN + box->x;
	int chars = (int)(box->width / (FONT * CHAR_WIDTH)), rc;

	tfs_strbuf_reset(&p->text);
	rc = add_title(p, node, vanished);
	if (rc)
		return rc;
	tfs_out_printf(p->out, "<g><title>%s</title><rect class=\"", p->text.s);
	put_class(p, node);
	tfs_out_printf(p->out, "\" x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\"/>", x, y,
		       box->width, ROW - 1);
	if (chars >= CHARS_MIN) {
		tfs_strbuf_reset(&p->text);
		rc = tfs_markup_text(&p->text, name->text, name->len, (size_t)chars);
		tfs_out_printf(p->out, "<text x=\"%.1f\" y=\"%.1f\">%s</text>", x + 3,
			       y + ROW / 2. + 3.5, p->text.s);
	}
	tfs_out_puts(p->out, "</g>\n");
	return rc;
}

static void put_colors(struct picture *p, enum tfs_color_theme theme)
{
	const struct tfs_flame_layout *l = p->layout;
	const struct tfs_flame_node *node = p->tree->node;
	unsigned int used[32] = { 0 }, family;
	const struct tfs_fold_name *name;

	if (p->look->flags & TFS_FLAME_DIFF) {
		for (int i = -TFS_COLOR_STEPS; i <= TFS_COLOR_STEPS; i++)
			tfs_out_printf(p->out, ".%s%d{fill:#%06" PRIx32 "}",
				       i > 0 ? "up" :
				       i < 0 ? "dn" :
					       "eq",
				       i < 0 ? -i : i, tfs_color_step(i, theme));
		return;
	}
	for (size_t i = 0; i < l->n; i++) {
		name = &p->tree->name[node[l->box[i].node].name];
		used[tfs_color_family(p->look->scheme, name) % 32] |= 1U << tfs_color_shade(name);
	}
	for (family = 0; family < tfs_color_families(); family++)
		for (unsigned int shade = 0; shade < TFS_COLOR_SHADES; shade++)
			if (used[family % 32] >> shade & 1)
				tfs_out_printf(p->out, ".%c%u{fill:#%06" PRIx32 "}",
					       'a' + (int)family, shade,
					       tfs_color_rgb(family, shade, theme));
}

static void put_style(struct picture *p)
{
	tfs_out_puts(p->out,
		     "<style>svg{background:#fff}"
		     "text{font-family:Verdana,\"DejaVu Sans\",sans-serif;font-size:12px;"
		     "fill:#18181b}g text{pointer-events:none}.t{font-size:17px;text-anchor:middle}"
		     ".n{fill:#52525b}.bg{fill:#fff}g:hover rect{stroke:#18181b;stroke-width:1}");
	put_colors(p, TFS_COLOR_LIGHT);
	tfs_out_puts(p->out, "\n@media(prefers-color-scheme:dark){svg{background:#18181b}"
			     "text{fill:#f4f4f5}.n{fill:#a1a1aa}"
			     ".bg{fill:#18181b}g:hover rect{stroke:#f4f4f5}");
	put_colors(p, TFS_COLOR_DARK);
	tfs_out_puts(p->out, "}</style>\n");
}

static int put_head(struct picture *p)
{
	const char *title = p->look->title;
	int rc;

	tfs_strbuf_reset(&p->text);
	rc = tfs_markup_text(&p->text, title, strlen(title), 0);
	tfs_out_printf(p->out,
		       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		       "viewBox=\"0 0 %d %u\" role=\"img\" aria-labelledby=\"title\">\n"
		       "<title id=\"title\">%s</title>\n",
		       TFS_FLAME_SVG_WIDTH, p->height, TFS_FLAME_SVG_WIDTH, p->height, p->text.s);
	put_style(p);
	if (!rc) {
		tfs_strbuf_reset(&p->text);
		rc = tfs_markup_text(&p->text, title, strlen(title), 110);
	}
	tfs_out_printf(p->out,
		       "<rect class=\"bg\" width=\"%d\" height=\"%u\"/>\n"
		       "<text class=\"t\" x=\"%d\" y=\"%d\">%s</text>\n",
		       TFS_FLAME_SVG_WIDTH, p->height, TFS_FLAME_SVG_WIDTH / 2, 2 * FONT,
		       p->text.s);
	return rc;
}

/* The meaning of the colors. Return: the line below */
static unsigned int put_legend(struct picture *p, unsigned int y)
{
	const struct tfs_flame_layout *l = p->layout;
	const struct tfs_fold_name *name;
	unsigned int seen = 0, family;
	int x = MARGIN;
	const char *label;

	if (p->look->flags & TFS_FLAME_DIFF) {
		tfs_out_printf(p->out,
			       "<rect class=\"dn4\" x=\"%d\" y=\"%u\" width=\"11\" height=\"11\"/>"
			       "<text class=\"n\" x=\"%d\" y=\"%u\">less ends here than before"
			       "</text><rect class=\"up4\" x=\"220\" y=\"%u\" width=\"11\" "
			       "height=\"11\"/><text class=\"n\" x=\"236\" y=\"%u\">more</text>"
			       "<rect class=\"eq0\" x=\"290\" y=\"%u\" width=\"11\" height=\"11\"/>"
			       "<text class=\"n\" x=\"306\" y=\"%u\">the same, or within chance"
			       "</text>\n",
			       x, y, x + 16, y + 10, y, y + 10, y, y + 10);
		return y + LINE;
	}
	for (size_t i = 0; i < l->n; i++) {
		name = &p->tree->name[p->tree->node[l->box[i].node].name];
		family = tfs_color_family(p->look->scheme, name);
		label = tfs_color_label(family);
		if (!label || seen >> family & 1)
			continue;
		seen |= 1U << family;
		tfs_out_printf(p->out,
			       "<rect class=\"%c%u\" x=\"%d\" y=\"%u\" width=\"11\" height=\"11\"/>"
			       "<text class=\"n\" x=\"%d\" y=\"%u\">%s</text>\n",
			       'a' + (int)family, tfs_color_shade(name), x, y, x + 16, y + 10,
			       label);
		x += 40 + (int)((double)strlen(label) * FONT * CHAR_WIDTH);
	}
	return y + LINE;
}

/* Lines of text from @y on. Return: 0 or -ENOMEM */
static int put_lines(struct picture *p, const char *lines, unsigned int y)
{
	size_t len;
	int rc = 0;

	for (; *lines && !rc; lines += len + !!lines[len]) {
		len = strcspn(lines, "\n");
		tfs_strbuf_reset(&p->text);
		rc = tfs_markup_text(&p->text, lines, len, 165);
		tfs_out_printf(p->out, "<text class=\"n\" x=\"%d\" y=\"%u\">%s</text>\n", MARGIN,
			       y + 10, p->text.s);
		y += LINE;
	}
	return rc;
}

static unsigned int count_lines(const char *s)
{
	unsigned int n = 0;

	for (; *s; s += strcspn(s, "\n"), s += !!*s)
		n++;
	return n;
}

static double largest_change(const struct picture *p)
{
	const struct tfs_flame_node *node = p->tree->node;
	double largest = 0, change;

	for (uint32_t i = 0; i < p->tree->n; i++) {
		change = tfs_flame_change(p->tree, &node[i], p->factor);
		if (change < 0)
			change = -change;
		if (change > largest)
			largest = change;
	}
	return largest;
}

static int say_left_out(const struct tfs_flame_layout *l, struct tfs_strbuf *said)
{
	int rc;

	if (!l->left_out)
		return 0;
	rc = tfs_markup_count(said, l->left_out);
	return rc ? rc :
		    tfs_strbuf_addf(said,
				    " frames narrower than %.2f pixels are left out; %.2f%% of "
				    "the weight ends in them\n",
				    l->min_width, 100 * l->left_share);
}

static int draw(struct picture *p, const char *said)
{
	const struct tfs_flame_layout *l = p->layout;
	unsigned int y = ABOVE + l->rows * ROW + MARGIN, lines = count_lines(said);
	int rc;

	p->vanished_y = y + LINE;
	p->height = y + LINE * (2 + lines + count_lines(p->look->notes));
	if (l->n_vanished)
		p->height += LINE + l->rows_vanished * ROW + MARGIN;
	rc = put_head(p);
	for (size_t i = 0; i < l->n && !rc; i++)
		rc = put_box(p, &l->box[i], ABOVE + (l->rows - 1 - l->box[i].row) * ROW, false);
	if (l->n_vanished) {
		tfs_out_printf(
			p->out,
			"<text class=\"n\" x=\"%d\" y=\"%u\">Only before: %.2f%% of the weight "
			"before, in shares of that</text>\n",
			MARGIN, y + 10, 100 * l->vanished_share);
		y = p->vanished_y + l->rows_vanished * ROW + MARGIN;
	}
	for (size_t i = 0; i < l->n_vanished && !rc; i++)
		rc = put_box(p, &l->box[l->n + i], p->vanished_y + l->box[l->n + i].row * ROW,
			     true);
	y = put_legend(p, y);
	if (!rc)
		rc = put_lines(p, said, y);
	if (!rc)
		rc = put_lines(p, p->look->notes, y + lines * LINE);
	tfs_out_puts(p->out, "</svg>\n");
	return rc;
}

int tfs_flame_svg(const struct tfs_flame_tree *tree, const struct tfs_flame_look *look,
		  struct tfs_out *out, struct tfs_strbuf *said)
{
	struct tfs_flame_layout layout = { .box = NULL };
	struct picture p = { .tree = tree,
			     .look = look,
			     .layout = &layout,
			     .out = out,
			     .text = TFS_STRBUF_INIT,
			     .factor = look->flags & TFS_FLAME_SCALED ? tfs_flame_factor(tree) :
									1 };
	size_t start = said->len;
	int rc;

	if (look->flags & TFS_FLAME_DIFF)
		p.largest = largest_change(&p);
	rc = tfs_flame_layout(tree, TFS_FLAME_SVG_WIDTH - 2 * MARGIN, TFS_FLAME_SVG_MIN_WIDTH,
			      TFS_FLAME_SVG_MAX, &layout);
	if (!rc)
		rc = say_left_out(&layout, said);
	if (!rc)
		rc = draw(&p, said->s + start);
	tfs_flame_layout_release(&layout);
	tfs_strbuf_release(&p.text);
	return rc;
}
