# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shared by tests that run database engines, which source it first. It is that of the tests of files for other
# programs, with the engines of setup.sh.

# shellcheck source=tests/exchange/lib.sh
. "$(dirname "$0")/../exchange/lib.sh"
export PYTHONDONTWRITEBYTECODE=1

# engines: installs them; or skips the test, naming what it needs, so that nobody takes it for a pass
engines() {
	engines_dir=$TC_BUILDDIR/engines
	engines_why=$("$TC_SRCDIR/tests/engines/setup.sh" "$engines_dir" 2>&1) || {
		skip_all "engines were NOT tested: $(printf '%s\n' "$engines_why" | tail -n 1)"
	}
	for engines_name in duckdb clickhouse; do
		echo "SELECT 1 AS one;" >"$tmp/one.sql"
		sql $engines_name "$tmp/one.sql" >"$tmp/said" 2>&1 ||
			skip_all "engines were NOT tested: $engines_name does not run here: $(grep -m 1 Error "$tmp/said")"
	done
}

# sql ENGINE FILE.sql...: as sql.mjs
sql() {
	node "$engines_dir/sql.mjs" "$@"
}
