#!/usr/bin/env python3
"""Checks the program's findings on generated jobs whose truth is known. Run it by hand, since it takes minutes.

  tests/bench/job_truth.py KINETOSCOPE MAKE_JOB [--seeds 3] [--first-seed 100] [--meta full noseq] [--keep DIR] [--only SHAPE]

MAKE_JOB is make_job.py, which makes the traces of a job and truth.json. For each job, the script counts:
- collectives at levels A and B that contain a kernel of another collective ("wrong"),
- collectives whose last rank is more than 20 us late and is not reported ("culprit wrong"),
- fitted clock offsets whose error exceeds their bar,
- steps where the injected rank and cause do not explain most of the waiting.

A cause can be hidden: a thread that is far ahead of its GPU loses nothing by a pause. The script therefore makes the job
once more without each cause, from the same random numbers. If no other rank waited longer in the step because of the
cause, the program need not report it. Exits with 1 if a check fails."""
import argparse
import collections
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

SHAPES = [(2, 2, 1), (1, 8, 1), (2, 4, 1), (4, 2, 1), (2, 2, 2), (1, 2, 4), (8, 1, 1), (1, 4, 2)]
# Injected cause: its size (us; per mille for slow), and its name in the program.
CAUSES = {'loader': (12000, 'data loading'), 'gc': (15000, 'garbage collection'), 'slow': (120, 'compute'),
          'alloc': (2500, 'blocking calls'), 'sync': (600, None)}
LEAST_EFFECT_NS = 20000  # Causes with less effect need not be reported.
# An extra synchronization shows as the call itself, or as the launches that are late because of it.
AFTER_SYNC = {'blocking calls', 'CPU untraced', 'CPU busy', 'queued work'}


def table(program, folder, name, *options):
    done = subprocess.run([program, 'table', name, folder, '--format', 'json', '--limit', '0', *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise SystemExit(f'table {name}: {done.stderr.decode()}')
    return json.loads(done.stdout)


class Truth:
    def __init__(self, folder, gpus):
        self.data = json.loads((folder / 'truth.json').read_text())
        self.gpus = gpus
        self.of = collections.defaultdict(set)  # (rank, time of its clock in ns): collectives; two can begin at once
        for number, collective in enumerate(self.data['collectives']):
            for rank, start in collective['start'].items():
                self.of[int(rank), self.clock(int(rank), start)].add(number)

    def clock(self, rank, since_ns):
        host = self.data['hosts'][rank // self.gpus]
        begin = self.data['T0_unix_ns']
        return begin + since_ns + host['offset'] + self.data['process_ns'][rank] + host['ppb'] * since_ns // 10**9


def check_matching(truth, kernels, counts):
    members = collections.defaultdict(list)
    for row in kernels:
        members[row['number']].append(row)
    for rows in members.values():
        found = set.intersection(*(truth.of[row['rank'], row['unix_ns']] for row in rows))
        level = rows[0]['level']
        counts['instances ' + level] += 1
        if not found:
            counts['wrong ' + level] += 1
        elif len(rows) > 1:
            check_last(truth.data['collectives'][found.pop()], rows, counts)


def check_last(collective, rows, counts):
    arrivals = sorted((collective['start'][str(row['rank'])], row['rank']) for row in rows)
    late = arrivals[-1][0] - arrivals[-2][0]
    if late > 20000:
        counts['late'] += 1
        latest = max(rows, key=lambda row: row['at_ns'])['rank']
        counts['culprit wrong'] += latest != arrivals[-1][1]


def check_clocks(truth, kernels, ranks, counts):
    """Compares the median error of each rank's arrivals with the median over ranks, since only differences matter."""
    errors = collections.defaultdict(list)
    for row in kernels:
        collective = truth.data['collectives'][min(truth.of[row['rank'], row['unix_ns']])]
        errors[row['rank']].append(row['at_ns'] - collective['start'][str(row['rank'])])
    middle_of = {rank: statistics.median(all_of) for rank, all_of in errors.items()}
    common = statistics.median(middle_of.values())
    for row in ranks:
        if row['rank'] not in middle_of:
            continue
        error = abs(middle_of[row['rank']] - common)
        counts['clocks'] += 1
        counts['clock beyond bar'] += error > row['bar_ns']
        counts['worst clock ns'] = max(counts['worst clock ns'], error)


def waited_ns(truth):
    """Returns the time that each (step, rank) waited for the last ranks of its collectives."""
    waited = collections.Counter()
    for collective in truth['collectives']:
        last = max(collective['start'].values())
        for rank, start in collective['start'].items():
            waited[collective['step'], int(rank)] += last - start
    return waited


def effects_ns(command, folder, truth, injected):
    """Returns for each (step, rank) with a cause how much longer the other ranks waited in the step because of it."""
    with_cause = waited_ns(truth)
    effects = {}
    for step, rank in injected:
        scratch = folder.with_name(folder.name + '-without')
        others = [part for other in injected if other != (step, rank) for part in cause_of(*other, injected[other])]
        make([*command, *others, '--cpu', 'comm'], scratch)
        without_cause = waited_ns(json.loads((scratch / 'truth.json').read_text()))
        shutil.rmtree(scratch)
        effects[step, rank] = sum(ns - without_cause[key] for key, ns in with_cause.items()
                                  if key[0] == step and key[1] != rank)
    return effects


def check_causes(late, injected, effects, counts, problems):
    """Compares the injected causes with the root causes of most of each step's waiting."""
    steps = collections.defaultdict(lambda: collections.Counter())
    for row in late:
        schedule = row['cause'] == "the pipeline's schedule"
        waiting = row.get('root_ns', 0 if schedule else row['waiting_ns'])
        if waiting and row['step'] is not None:
            steps[row['step']][row['root'], row['cause']] += waiting
    for (step, rank), kind in injected.items():
        if effects[step, rank] < LEAST_EFFECT_NS:
            counts['hidden'] += 1
            continue
        counts['injected'] += 1
        top = steps[10 + step].most_common(3)
        words = AFTER_SYNC if kind == 'sync' else {CAUSES[kind][1]}
        if top and top[0][0][0] == rank and top[0][0][1] in words:
            counts['named'] += 1
        else:
            problems.append(f'step {step}: rank {rank} {kind}, for which others waited {effects[step, rank] // 1000} us; '
                            f'reported {[(*key, ns // 1000) for key, ns in top]}')
        counts['injected ' + kind] += 1
        counts['named ' + kind] += bool(top and top[0][0][0] == rank and top[0][0][1] in words)


def make(command, folder):
    """Runs make_job.py with its folder, a positional argument."""
    subprocess.run([*command, str(folder)], check=True, stdout=subprocess.DEVNULL)


def cause_of(step, rank, kind):
    return ['--cause', f'{rank}:{step}:{kind}:{CAUSES[kind][0]}']


def run_job(options, shape, meta, seed, kinds, folder):
    tp, dp, pp = shape
    size = tp * dp * pp
    chance = random.Random(seed)
    steps = len(kinds) + 2  # the recording does not cover the first and the last step completely
    gpus = max(1, size // 2)
    injected = {}
    command = [sys.executable, options.make_job, '--tp', str(tp), '--dp', str(dp), '--pp', str(pp),
               '--steps', str(steps), '--gpus', str(gpus), '--seed', str(seed), '--meta', meta]
    for step, kind in zip(range(1, steps - 1), kinds):
        injected[step, chance.randrange(size)] = kind
    make([*command, *(part for place in injected for part in cause_of(*place, injected[place]))], folder)
    truth = Truth(folder, gpus)
    counts = collections.Counter()
    problems = []
    kernels = table(options.program, folder, 'collectives', '--group', 'kernel')
    check_matching(truth, kernels, counts)
    check_clocks(truth, kernels, table(options.program, folder, 'clocks'), counts)
    effects = effects_ns(command, folder, truth.data, injected)
    check_causes(table(options.program, folder, 'late'), injected, effects, counts, problems)
    return counts, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('make_job')
    parser.add_argument('--seeds', type=int, default=3)
    parser.add_argument('--first-seed', type=int, default=100)
    parser.add_argument('--meta', nargs='+', default=['full', 'noseq'])
    parser.add_argument('--only', help='check only this shape, such as 2-4-1')
    parser.add_argument('--causes', nargs='+', help='causes of each job (default: all)')
    parser.add_argument('--keep', type=pathlib.Path, help='folder for the jobs, which are then not removed')
    options = parser.parse_args()
    total = collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for shape in SHAPES:
            name = '-'.join(map(str, shape))
            if options.only not in (None, name):
                continue
            for index in range(options.seeds):
                for meta in options.meta:
                    seed = options.first_seed + index
                    kinds = list(options.causes or CAUSES)
                    random.Random(seed * 31).shuffle(kinds)
                    folder = (options.keep or pathlib.Path(scratch)) / f'{name}-{meta}-{seed}'
                    counts, problems = run_job(options, shape, meta, seed, kinds, folder)
                    total.update({key: n for key, n in counts.items() if key != 'worst clock ns'})
                    total['worst clock ns'] = max(total['worst clock ns'], counts['worst clock ns'])
                    print(name, meta, seed, dict(counts), flush=True)
                    for problem in problems:
                        print('   ', problem, flush=True)
                    if options.keep is None:
                        shutil.rmtree(folder)
    print('all', dict(total))
    share = total['named'] / max(1, total['injected'])
    print(f"wrong A {total['wrong A']} of {total['instances A']}, B {total['wrong B']} of {total['instances B']}; "
          f"culprits wrong {total['culprit wrong']} of {total['late']}; clocks beyond their bars "
          f"{total['clock beyond bar']} of {total['clocks']}; injected causes on top {share:.1%} of {total['injected']}, "
          f"{total['hidden']} more without effect on other ranks")
    bad = total['wrong A'] + total['wrong B'] + total['culprit wrong'] + total['clock beyond bar']
    return 1 if bad or share < 0.95 else 0


if __name__ == '__main__':
    sys.exit(main())
