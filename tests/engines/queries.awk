# SPDX-License-Identifier: GPL-2.0-or-later
# awk -v engine=DuckDB -v dir=DIR: each query of a page into DIR/NUMBER.sql
/^== / { on = /^== QUERIES/ }
on && /^=== [0-9]+\. / { number = $2 + 0 }
on && /^\./ { mine = $0 == "." engine; next }
/^----$/ { block = !block; next }
on && block && mine { print >(dir "/" number ".sql") }
