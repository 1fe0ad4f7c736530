/** Batches: one when all goes well, carried on when one ends early, and the reading decides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelTables } from '../../../agent/linux/kernel-tables.ts';
import type { Neighbour } from '../../../shared/domain/kernel-rows.ts';
import { type KernelRoute, neighbourKind } from '../../../shared/domain/kernel-rows.ts';
import { plan, type Step } from '../../../shared/domain/plan.ts';
import { fakeKernel } from '../../fakes/kernel/fake-kernel.ts';

function world() {
  const kernel = fakeKernel();
  kernel.sh(`link add eth0 type veth; link set eth0 up; address add 10.0.1.10/24 dev eth0
    link add lw-1 type vxlan id 1 local 10.0.1.10 dev eth0 dstport 8472; link set lw-1 up`);
  let batches = 0;
  kernel.beforeCommand = (command) => {
    if (command.includes('-batch')) batches += 1;
  };
  return { kernel, tables: kernelTables(kernel, new Set(['lw-1'])), batches: () => batches };
}

const neighbour = (n: number): Neighbour => ({
  dev: 'lw-1',
  address: `10.${244 + (n >> 8)}.${n & 255}.0`,
  mac: `02:00:00:00:${(n >> 8).toString(16).padStart(2, '0')}:${(n & 255).toString(16).padStart(2, '0')}`,
  permanent: true,
});

const creates = (count: number): readonly Step<Neighbour>[] =>
  plan(
    Array.from({ length: count }, (_, n) => neighbour(n + 1)),
    [],
    neighbourKind,
  ).steps;

test('however many rows, they are one batch', async () => {
  const { kernel, tables, batches } = world();
  assert.deepEqual(await tables.neighbours.apply(creates(2_000)), []);
  assert.equal(kernel.state.neighbours.length, 2_000);
  assert.equal(batches(), 1);
});

test('a batch that ends at a refused row is carried on without it, and the row is named with what was said', async () => {
  const { kernel, tables, batches } = world();
  kernel.refuse(/^neigh replace 10\.244\.(5|9)\.0 /, 'RTNETLINK answers: No buffer space available');
  const failures = await tables.neighbours.apply(creates(200));
  assert.deepEqual(
    failures.map(({ step, problem }) => [
      step.action === 'create' && step.row.address,
      /No buffer space/.test(problem),
    ]),
    [
      ['10.244.5.0', true],
      ['10.244.9.0', true],
    ],
  );
  assert.equal(kernel.state.neighbours.length, 198);
  assert.ok(batches() <= 3);
});

test('a refusal that is over by the second try is no failure', async () => {
  const { kernel, tables } = world();
  let refusals = 0;
  kernel.refuse(/^neigh replace 10\.244\.5\.0 /);
  kernel.beforeCommand = (command) => {
    if (!command.includes('-batch') && command.startsWith('ip neigh replace') && refusals++ === 0) kernel.refuse(null);
  };
  assert.deepEqual(await tables.neighbours.apply(creates(10)), []);
  assert.equal(kernel.state.neighbours.length, 10);
});

test('what others did first is done: a row that is gone is deleted, one that is there is created', async () => {
  const { kernel, tables } = world();
  const route: KernelRoute = {
    family: 'ipv4',
    type: 'unicast',
    destination: '10.244.2.0/24',
    via: '10.0.1.11',
    dev: 'eth0',
    src: null,
    metric: 2076,
    tos: 0,
    protocol: 76,
    onlink: false,
    special: false,
  };
  const steps: Step<KernelRoute>[] = [{ action: 'delete', row: route, reason: 'orphan', evidence: 'strong' }];
  assert.deepEqual(await tables.routes.apply(steps), []);
  kernel.sh('route add 10.244.2.0/24 via 10.0.1.11 dev eth0 proto 76 metric 2076');
  assert.deepEqual(await tables.routes.apply([{ action: 'create', row: route, reason: 'missing' }]), []);
});

test('a create never takes the place of a row that came meanwhile', async () => {
  const { kernel, tables } = world();
  kernel.sh('route add 10.244.2.0/24 via 10.0.1.77 dev eth0 proto 4 metric 2076');
  const row: KernelRoute = {
    family: 'ipv4',
    type: 'unicast',
    destination: '10.244.2.0/24',
    via: '10.0.1.11',
    dev: 'eth0',
    src: null,
    metric: 2076,
    tos: 0,
    protocol: 76,
    onlink: false,
    special: false,
  };
  const failures = await tables.routes.apply([{ action: 'create', row, reason: 'missing' }]);
  assert.match(failures[0]?.problem ?? '', /File exists/);
  assert.equal(kernel.state.routes.find(({ metric }) => metric === 2076)?.via, '10.0.1.77');
});

test('when nothing comes through it is over after two tries, however many rows there are', async () => {
  const { kernel, tables, batches } = world();
  kernel.sh('link set lw-1 down');
  const failures = await tables.neighbours.apply(creates(500));
  assert.equal(failures.length, 500);
  assert.ok(failures.every(({ problem }) => /Network is down/.test(problem)));
  assert.equal(batches(), 2);
});
