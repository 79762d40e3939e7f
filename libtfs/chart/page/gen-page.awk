# SPDX-License-Identifier: LGPL-2.1-or-later
# awk -v name=NAME -v dir=DIR -f gen-page.awk DIR/NAME.html >NAME.c
#
# Turns a page into the struct tfs_page_source tfs_page_NAME (chart/page.h). Lines of the page that
# are marks: "@css FILE" and "@js FILE" stand for that file of DIR, as does "@html FILE", which may
# hold marks itself; @TITLE@, @META@ and @COLUMNS@, once each and in this order, are where the
# program puts something in.

function fail(why) {
	print "gen-page.awk: " FILENAME ": " why >"/dev/stderr"
	failed = 1
	exit 1
}

# The text as a C string; part counts the marks passed.
function put(text, end,    piece, n, i) {
	gsub(/\\/, "&&", text)
	n = split(text, piece, "\"")
	text = piece[1]
	for (i = 2; i <= n; i++)
		text = text "\\\"" piece[i]
	part_text[part] = part_text[part] "\n\t\"" text end "\""
}

function pass(mark, line, at) {
	if (mark != want[part + 1])
		fail("mark " mark " is out of order")
	put(substr(line, 1, at - 1), "")
	part++
	put(substr(line, at + length(mark)), "\\n")
}

function include(file, line) {
	while ((got = (getline line <file)) > 0)
		one(line)
	if (got < 0)
		fail("cannot read " file)
	close(file)
}

function one(line, at) {
	if (match(line, /^@(html|css|js) [a-z0-9.-]+$/)) {
		sub(/^@[a-z]+ /, "", line)
		include(dir "/" line)
	} else if ((at = match(line, /@(TITLE|META|COLUMNS)@/))) {
		pass(substr(line, at, RLENGTH), line, at)
	} else {
		put(line, "\\n")
	}
}

BEGIN {
	split("@TITLE@ @META@ @COLUMNS@", want, " ")
	part = 0
}
{ one($0) }
END {
	if (failed)
		exit 1
	if (part != 3)
		fail("a mark is missing")
	print "/* made by libtfs/chart/page/gen-page.awk of " name ".html */"
	print "#include \"chart/page.h\"\n"
	for (i = 0; i <= 3; i++)
		print "static const char part" i "[] =" part_text[i] ";"
	print "\nconst struct tfs_page_source tfs_page_" name " = {"
	print "\t.part = { part0, part1, part2, part3 },"
	print "\t.len = { sizeof(part0) - 1, sizeof(part1) - 1, sizeof(part2) - 1, sizeof(part3) - 1 },"
	print "};"
}
