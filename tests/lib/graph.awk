# SPDX-License-Identifier: GPL-2.0-or-later
#
# graph.awk - the calls in a text of function graphs, whoever drew it
#
#   awk -v form=kernel|trace-cmd|tc-report -f graph.awk FILE | sort
#
# One line for each call: pid (idle tasks: and the CPU), depth, caller, function, duration as printed, or
# "open" if it did not end; then "unbegun" if its beginning is missing (trace-cmd does not
# name these: -v anonymous=1 names none). Two texts draw the same trees when these lines are the
# same. The kernel's text needs its option funcgraph-proc.

function emit(key, depth, name, time) {
	print key, depth, (depth && (key, depth - 1) in open) ? open[key, depth - 1] : "-", name, time
}

# Calls that are open from this depth on did not end.
function give_up(key, depth,    d) {
	for (d = deepest[key]; d >= depth; d--) {
		if ((key, d) in open) {
			emit(key, d, open[key, d], "open")
			delete open[key, d]
		}
	}
	deepest[key] = depth - 1
}

# "name" of "} /* name */" and "} /* name, remark */"
function named_end(text) {
	if (text !~ /\/\*/)
		return "?"
	sub(/^[^\/]*\/\* /, "", text)
	sub(/[ ,].*/, "", text)
	return text
}

function line(key, time, text,    depth, first) {
	match(text, /^ */)
	depth = (RLENGTH - 2) / 2
	text = substr(text, RLENGTH + 1)
	first = substr(text, 1, 1)
	if (first == "/")
		return
	gsub(/[^0-9.]/, "", time)
	# The kernel leaves out digits of long durations, to keep the column's width.
	if (form == "trace-cmd" && length(time) > 8)
		time = substr(time, 1, 8)
	sub(/\.$/, "", time)
	if (first != "}") {
		give_up(key, depth)
		first = substr(text, 1, index(text, "(") - 1)
		if (index(text, ";")) {
			emit(key, depth, first, time == "" ? "open" : time)
			return
		}
		open[key, depth] = first
		deepest[key] = depth
		keys[key] = 1
		return
	}
	give_up(key, depth + 1)
	if ((key, depth) in open && !index(text, "beginning")) {
		first = open[key, depth]
		delete open[key, depth]
		emit(key, depth, first, time == "" ? "open" : time)
	} else {
		emit(key, depth, anonymous ? "?" : named_end(text), time " unbegun")
	}
	deepest[key] = depth - 1
}

# The pid at the end of "comm-pid"; idle tasks are one for each CPU.
function key_of(task, cpu) {
	sub(/ *$/, "", task)
	sub(/.*-/, "", task)
	return task == "0" ? "0/" cpu + 0 : task
}

# The text after bar number n.
function after_bar(text, n) {
	while (n-- > 0)
		text = substr(text, index(text, "|") + 1)
	return text
}

/^[#C]/ || index($0, "==========") { next }

form == "kernel" && /^ *[0-9]+\) .*\|.*\|/ {
	split($0, part, "|")
	if (!(part[1] in known))
		known[part[1]] = key_of(part[1], part[1])
	line(known[part[1]], part[2], after_bar($0, 2))
	next
}

form == "tc-report" && /^ *[0-9]+\)  / {
	runs[$1 + 0] = key_of($0, $1)
	next
}

form == "tc-report" && /\|.*\|/ {
	split($0, part, "|")
	line(runs[part[2] + 0], substr(part[2], index(part[2], ")") + 1), after_bar($0, 2))
	next
}

form == "trace-cmd" && / funcgraph_(entry|exit): / {
	task = cpu = time = $0
	sub(/ *\[[0-9]+\].*/, "", task)
	sub(/^.* \[/, "", cpu)
	sub(/\].*/, "", cpu)
	sub(/^.* funcgraph_(entry|exit): */, "", time)
	sub(/ *\|.*/, "", time)
	line(key_of(task, cpu), time, after_bar(substr($0, index($0, " funcgraph_")), 1))
	next
}

END {
	for (key in keys)
		give_up(key, 0)
}
