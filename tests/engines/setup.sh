#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tests/engines/setup.sh DIR - install the engines that tests run (package.json) from npm's registry into DIR,
# unless they are there. A lock file is not kept: npm writes one for the platforms that its registry offers only.
#
# Exit status: 0; 77 where it cannot be done, and the last line that is printed says why.

set -u
source=$(cd "$(dirname "$0")" && pwd) || exit 1
dir=$1

cannot() {
	echo "$1"
	exit 77
}

command -v node >/dev/null || cannot "node is not installed (Debian: nodejs)"
[ "$(node -p 'parseInt(process.versions.node)')" -ge 18 ] || cannot "node is older than 18"
mkdir -p "$dir" || exit 1

# Two tests at a time install once.
if [ "${TC_ENGINES_LOCKED:-}" != "$dir" ] && command -v flock >/dev/null; then
	TC_ENGINES_LOCKED=$dir flock -o "$dir/lock" "$0" "$dir"
	exit $?
fi
# Modules are found beside the program. One that is the same stays, because a test may be reading it.
for program in "$source"/*.mjs; do
	cmp -s "$program" "$dir/${program##*/}" || cp "$program" "$dir" || exit 1
done
cmp -s "$source/package.json" "$dir/installed" && exit 0
command -v npm >/dev/null || cannot "npm is not installed (Debian: npm)"
cp "$source/package.json" "$dir" || exit 1
timeout 20 npm ping --prefix "$dir" >"$dir/npm.log" 2>&1 || cannot "npm's registry cannot be reached"
# No package runs a program when it is installed.
if ! timeout 500 npm install --prefix "$dir" --no-package-lock --ignore-scripts --no-audit --no-fund \
	>"$dir/npm.log" 2>&1; then
	sed 's/^/# /' "$dir/npm.log" | tail -n 5
	cannot "npm could not install the engines"
fi
cp "$source/package.json" "$dir/installed"
