# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers about a recording, from tc-report --json and its text, one event after the other."""
import collections
import json
import os
import re
import subprocess


def report(*args):
    return subprocess.run([os.environ['report'], *args], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode('utf-8', 'surrogateescape')


class Recording:
    def __init__(self, path):
        self.path = path
        self.events = [json.loads(line) for line in report('--json', '-i', path).splitlines()]
        self.events = [e for e in self.events if 'event' in e]
        for e in self.events:
            e['ts'] = int(e['ts'])
            e['system'], e['name'] = e['event'].split(':')
        self.base = self.events[0]['ts']
        self.cpus = sorted({e['cpu'] for e in self.events})

    def texts(self):
        """of the events, in lower case, as tc-report prints them"""
        texts = []
        for line in report('-i', self.path).splitlines()[1:]:
            m = re.match(r' *.{1,16}-\d+ +\[\d+\] \S+ +\d+\.\d+: [^:]+: *(.*)', line)
            if m:
                texts.append(m[1].lower())
            elif not line.startswith('CPU:'):
                texts[-1] += '\n' + line.lower()
        return texts

    def switches(self):
        return [e for e in self.events if e['event'] == 'sched:sched_switch']

    def middle(self):
        """a time at which it is known what every CPU does, and one at which it still is"""
        seen = collections.defaultdict(list)
        for e in self.switches():
            seen[e['cpu']].append(e['ts'])
        return max(v[0] for v in seen.values()), min(v[-1] for v in seen.values())

    def runs(self):
        """(cpu, tid, begin, end) between two switches of a CPU; idle left out"""
        last = {}
        for e in self.switches():
            before = last.get(e['cpu'])
            if before and before['fields']['next_pid']:
                yield e['cpu'], before['fields']['next_pid'], before['ts'], e['ts']
            last[e['cpu']] = e

    def waits(self):
        """(tid, begin, end): could run, and did not. A task that nothing is known of slept"""
        since, running = {}, set()
        for e in self.events:
            f = e.get('fields', {})
            if e['event'] == 'sched:sched_switch':
                if f['prev_pid']:
                    since.pop(f['prev_pid'], None)
                    if f['prev_state'] in (0, 0x100):
                        since[f['prev_pid']] = e['ts']
                running.discard(f['prev_pid'])
                running.add(f['next_pid'])
                begin = since.pop(f['next_pid'], None)
                if begin is not None:
                    yield f['next_pid'], begin, e['ts']
            elif e['event'] == 'sched:sched_waking' and f['pid'] not in running:
                since.setdefault(f['pid'], e['ts'])
            elif e['event'] == 'sched:sched_wakeup_new':
                since[f['pid']] = e['ts']

    def calls(self):
        """(name, tid, begin, end) of syscalls:*"""
        open_calls = {}
        for e in self.events:
            if e['system'] != 'syscalls':
                continue
            kind, name = e['name'][:9], e['name'].split('_', 2)[2]
            if kind == 'sys_enter':
                open_calls[e['pid']] = (name, e['ts'])
            elif open_calls.get(e['pid'], ('',))[0] == name:
                yield name, e['pid'], open_calls.pop(e['pid'])[1], e['ts']

    def irqs(self):
        """(cpu, begin, end) of interrupt handlers"""
        open_irqs = {}
        for e in self.events:
            if e['event'] == 'irq:irq_handler_entry':
                open_irqs[e['cpu']] = e['ts']
            elif e['event'] == 'irq:irq_handler_exit' and e['cpu'] in open_irqs:
                yield e['cpu'], open_irqs.pop(e['cpu']), e['ts']


def inside(begin, end, t0, t1):
    """ns of [begin, end) in [t0, t1); None: it does not reach into it"""
    if begin >= t1 or (end <= t0 and not t0 <= begin):
        return None
    return max(0, min(end, t1) - max(begin, t0))
