# SPDX-License-Identifier: GPL-2.0-or-later
"""check_model.py FOLDER: the pure scripts of the page, under node, against tc-report --json"""
import collections
import json
import os
import subprocess
import sys

import tap
from recording import Recording, inside, report


def model(page, t0, t1, *queries):
    sources = os.path.join(os.environ['TC_SRCDIR'], 'libtfs/chart/page')
    script = os.path.join(os.environ['TC_SRCDIR'], 'tests/web/model.js')
    out = subprocess.run(['node', script, sources, page, str(t0), str(t1), *queries], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)


def main():
    os.chdir(sys.argv[1])
    r = Recording('ev.dat')
    report('--html', 'page.html', '-i', 'ev.dat')
    first, last = r.middle()
    t0, t1 = first + (last - first) // 7, last - (last - first) // 5
    got = model('page.html', t0 - r.base, t1 - r.base, 'event:sched_switch', 'text:"==>"', '-cpu:0', 'task:1-9')
    events = [e for e in r.events if t0 <= e['ts'] < t1]
    tap.same(got['events'], len(events), 'events of a range')
    tap.same({t['name']: t['count'] for t in got['types']},
             dict(collections.Counter(e['event'] for e in events)), 'events by type')
    busy = collections.Counter()
    for cpu, _, begin, end in r.runs():
        busy[cpu] += inside(begin, end, t0, t1) or 0
    tap.same({c['cpu']: c['busy'] for c in got['cpus'] if c['busy']}, {c: n for c, n in busy.items() if n},
             'time that CPUs are busy')
    waits = collections.Counter()
    for tid, begin, end in r.waits():
        waits[tid] += inside(begin, end, t0, t1) or 0
    tap.same({t['tid']: t['wait'] for t in got['tasks'] if t['wait']}, {t: n for t, n in waits.items() if n},
             'time that tasks wait for a CPU')
    tap.same(got['hits'], [len(r.switches()), sum('==>' in t for t in r.texts()),
                           sum(e['cpu'] != 0 for e in r.events), 0], 'matches of a search')

    # thinned: the texts that take most go first, nothing else
    report('--html', 'thin.html', '--max-page', '64K', '-i', 'ev.dat')
    thin = model('thin.html', t0 - r.base, t1 - r.base, 'event:sched_switch')
    most = collections.Counter()
    for e, text in zip(r.events, r.texts()):
        most[e['event']] += len(text)
    largest = most.most_common(1)[0][0]
    wanted = f"texts of {sum(e['event'] == largest for e in r.events)} {largest} events are left out"
    tap.same(thin['notes'][0], wanted, 'a page that may not be large says what it leaves out')
    tap.same((thin['events'], thin['cpus'], thin['slices']), (got['events'], got['cpus'], got['slices']),
             'events and slices are all there')
    tap.ok(os.path.getsize('thin.html') < os.path.getsize('page.html'), 'and it is smaller')

    report('--html', 'graph.html', '-i', 'graph.dat')
    got = model('graph.html', 0, 10**12)
    calls = report('-i', 'graph.dat').count('{') + report('-i', 'graph.dat').count('();')
    tap.ok(calls * 0.95 < sum(s['count'] for s in got['slices']) <= calls, 'calls of function_graph are slices',
           calls, sum(s['count'] for s in got['slices']))
    tap.same((got['slices'] != [], got['notes']), (True, []), 'and nothing is left out')
    tap.finish()


main()
