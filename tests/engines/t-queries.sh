#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# t-queries.sh - the queries of tracecraft-sql(7), as they stand there, in DuckDB and ClickHouse: loaded by the
# statements of --schema, their rows have the numbers of tc-report's own views
#
# needs: net
# cost: 120
# area: engines

set -u
# shellcheck source=tests/engines/lib.sh
. "$(dirname "$0")/lib.sh"

begin queries xz python3
engines
report=$TC_BUILDDIR/tc-report
page=$TC_SRCDIR/Documentation/tracecraft-sql.7.adoc

# Two releases of the kernel on one machine, another machine, and one where events were lost
files="before.dat after.dat arm.dat lost.dat"
while read -r name file; do
	stored_recording "$name" || finish
	cp "$dat" "$tmp/$file"
done <<END
x86_64/ev-v6 before.dat
x86_64-6.12/ev-v7zstd after.dat
arm64/ev-v7zstd arm.dat
x86_64/lost lost.dat
END
cd "$tmp" || exit 1
# shellcheck disable=SC2086
{
	"$report" --wide --json -q $files >events.json
	"$report" --wide --csv -q $files >events.csv
	"$report" --arrow -o events.arrows -q $files
}
rows=$(wc -l <events.json)
echo "SELECT count(*) AS n, sum(ts % 1000003) AS ts_sum, sum(cpu) AS cpus, sum(tid) AS tids, count(lost) AS n_lost,
	count(comm) AS n_comm, count(event) AS n_event, count(fields) AS n_fields, count(DISTINCT event) AS events,
	sum(length(buffer)) AS buffers, sum(length(CAST(coalesce(fields, '{}') AS VARCHAR))) AS bytes FROM events;" >sums.sql

# loaded ENGINE FILE: by the statements of --schema. Sets $sums
loaded() {
	"$report" --schema="$1" "$2" >load.sql
	sums=$(sql "$1" load.sql sums.sql 2>said | tail -n 1)
}

# Every way into an engine gives the same table.
loaded clickhouse events.arrows
want=$(echo "$sums" | tr -d '"')
case $want in
"{n:$rows,"*) pass "clickhouse loads Arrow: $want" ;;
*) fail "clickhouse loads Arrow" "$sums" "$(cat said)" ;;
esac
for pair in clickhouse:events.json clickhouse:events.csv duckdb:events.json duckdb:events.csv; do
	loaded "${pair%%:*}" "${pair#*:}"
	is "${pair%%:*} loads ${pair#*:}" "$(echo "$sums" | tr -d '"')" "$want"
done

# Arrow becomes Parquet in ClickHouse, which DuckDB reads, and the other way round.
echo "SELECT * FROM file('events.arrows', ArrowStream) INTO OUTFILE 'events.parquet' FORMAT Parquet;" >parquet.sql
sql clickhouse parquet.sql >said 2>&1 || fail "clickhouse writes Parquet" "$(cat said)"
loaded duckdb events.parquet
is "duckdb loads Parquet that clickhouse made of Arrow" "$(echo "$sums" | tr -d '"')" "$want"
"$report" --schema=duckdb events.json >load.sql
echo "COPY (SELECT * FROM events ORDER BY event, ts) TO 'back.parquet' (COMPRESSION zstd);" >>load.sql
sql duckdb load.sql >said 2>&1 || fail "duckdb writes Parquet" "$(cat said)"
loaded clickhouse back.parquet
is "clickhouse loads Parquet that duckdb made of JSON" "$(echo "$sums" | tr -d '"')" "$want"

# run ENGINE TITLE FILE: all queries of the page
run() {
	mkdir "$1"
	awk -v engine="$2" -v dir="$1" -f "$TC_SRCDIR/tests/engines/queries.awk" "$page"
	count=$(find "$1" -name '*.sql' | wc -l)
	"$report" --schema="$1" "$3" >load.sql
	# shellcheck disable=SC2046
	if [ "$count" -ne 11 ] || ! sql "$1" load.sql $(find "$1" -name '*.sql') >"$1.out" 2>said; then
		fail "$2 runs the queries of the page" "$count queries" "$(grep -v '^ *at ' said)"
		return
	fi
	# shellcheck disable=SC2086
	python3 "$TC_SRCDIR/tests/engines/check_queries.py" "$report" "$1.out" . $files >checked 2>&1
	is "$2: all queries are compared" "$(grep -c 'ok - ' checked)" 11
	while IFS= read -r line; do
		case $line in
		"ok - "*) pass "$2: ${line#ok - }" ;;
		"not ok - "*) fail "$2: ${line#not ok - }" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <checked
}

run duckdb DuckDB events.json
run clickhouse ClickHouse events.arrows

finish
