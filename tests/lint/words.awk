# SPDX-License-Identifier: GPL-2.0-or-later
#
# words.awk - words of tests/lint/words in the files that follow it on the command line.
#
# Identifiers of C are names, comments and strings are text; every line of another file is text. File names
# are names as well. Prints, separated by tabs, a line "RULE N LIMIT INSTEAD" for each rule, followed by
# "@RULE FILE:LINE TEXT" for each of the N places.

function trim(s) {
	sub(/^[ \t]+/, "", s)
	sub(/[ \t]+$/, "", s)
	return s
}

# --- the list

# begin_rule KIND WORDS: a rule for some words, or a form with a name
function begin_rule(kind, words,    n, i, list) {
	rule = ++rules
	title[rule] = words
	where[rule] = "names text"
	if (kind == "word") {
		n = split(words, list, /[ ,]+/)
		for (i = 1; i <= n; i++)
			rule_of[list[i]] = rule_of[list[i]] " " rule
	}
}

function read_list(line,    key) {
	if (line ~ /^[ \t]*(#|$)/)
		return
	line = trim(line)
	key = line
	sub(/ .*/, "", key)
	sub(/^[^ ]+ +/, "", line)
	if (key == "word" || key == "form")
		begin_rule(key, line)
	else if (key == "match")
		pattern[rule] = line
	else if (key == "in")
		where[rule] = line
	else if (key == "say")
		instead[rule] = line
	else if (key == "unless")
		unless[rule, ++exceptions[rule]] = line
	else if (key == "limit")
		limit[rule] = line
	else
		print "tests/lint/words:" FNR ": " key " is not a keyword" >"/dev/stderr"
}

# --- files

# split_c LINE: sets names and text, what is in a comment or a string
function split_c(line,    at, c) {
	names = text = ""
	gsub(/\t/, " ", line)
	while (line != "") {
		if (in_comment) {
			at = index(line, "*/")
			text = text (at ? substr(line, 1, at - 1) : line)
			line = at ? substr(line, at + 2) : ""
			in_comment = !at
			continue
		}
		if (!match(line, /"|'|\/\*/)) {
			names = names line
			return
		}
		names = names substr(line, 1, RSTART - 1) " "
		c = substr(line, RSTART, 1)
		line = substr(line, RSTART + RLENGTH)
		if (c == "/") {
			in_comment = 1
			text = text " /* "
		} else if (c == "'") {
			match(line, /^(\\.[^']*|[^'])'/)
			line = substr(line, RLENGTH > 0 ? RLENGTH + 1 : 1)
		} else {
			# up to the end of the string; the letter of \\n is not part of a word
			match(line, /^([^"\\]|\\.)*/)
			c = substr(line, 1, RLENGTH)
			line = substr(line, RLENGTH + 2)
			gsub(/\\[a-z]/, " ", c)
			text = text " \" " c " \" "
		}
	}
}

# found RULE KIND I LINE: line I of the file matches; it counts unless an exception does as well
function found(r, kind, i, line,    k, around) {
	if (index(where[r], kind) == 0)
		return
	around = kind == "names" ? line : texts[i - 1] " " texts[i] " " texts[i + 1]
	gsub(/[ \t\n]+(\* )?[ \t]*/, " ", around)
	for (k = 1; k <= exceptions[r]; k++)
		if (match(tolower(around) " @" file, tolower(unless[r, k])))
			return
	count[r]++
	place[r, count[r]] = file ":" i "\t" trim(line)
}

# look KIND I LINE: hold LINE against all rules
function look(kind, i, line,    n, part, k, word, seen, a, list, r) {
	n = split(tolower(line), part, /[^a-z]+/)
	for (k = 1; k <= n; k++) {
		word = part[k]
		if (!(word in rule_of) || (word in seen))
			continue
		seen[word] = 1
		a = split(rule_of[word], list, " ")
		for (r = 1; r <= a; r++)
			found(list[r], kind, i, line)
	}
	for (k in pattern)
		if (line ~ pattern[k])
			found(k, kind, i, line)
}

function end_file(    i) {
	if (file == "")
		return
	look("names", 0, path)
	for (i = 1; i <= lines; i++) {
		if (codes[i] != "")
			look("names", i, codes[i])
		if (texts[i] != "")
			look("text", i, texts[i])
		delete codes[i]
		delete texts[i]
	}
}

FILENAME == list_file {
	read_list($0)
	next
}
FNR == 1 {
	end_file()
	file = FILENAME
	path = file
	in_c = file ~ /\.[ch]$/
	in_comment = ended = 0
}
# The old words of messages, for those who look for them.
file == "NEWS" && /^Messages that changed/ { ended = 1 }
{
	lines = FNR
	if (ended || /SPDX-License/)
		next
	if (in_c) {
		split_c($0)
		codes[FNR] = names
		texts[FNR] = text
	} else {
		texts[FNR] = $0
	}
}
END {
	end_file()
	for (r = 1; r <= rules; r++) {
		printf "%s\t%d\t%d\t%s\n", title[r], count[r], limit[r], instead[r]
		for (i = 1; i <= count[r]; i++)
			print "@" title[r] "\t" place[r, i]
	}
}
