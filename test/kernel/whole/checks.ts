/** What a chapter of the story ends with. */
import assert from 'node:assert/strict';
import { untilPasses } from '../lab/until.ts';
import { tableIds } from './landscape.ts';
import type { Machine } from './machine.ts';
import type { Stage, Wanted } from './stage.ts';

/** Each pair went over these paths since the last look. */
export function assertHistory(stage: Stage, wanted: (from: Machine, to: Machine) => readonly string[]): void {
  const seen = stage.paths.take();
  for (const from of stage.machines) {
    for (const to of stage.machines) {
      if (from === to) continue;
      const paths = seen.get(`${from.name}>${to.name}`) ?? [];
      assert.deepEqual(paths.slice(paths[0] === 'none' ? 1 : 0), wanted(from, to), `${from.name} to ${to.name}`);
    }
  }
}

/** `agent status --json` says so of every machine. */
export async function assertShown(stage: Stage, wanted: Wanted): Promise<void> {
  await Promise.all(
    stage.machines.map(async (from) => {
      const { ready, leases } = await from.shownStatus();
      assert.equal(ready, true, from.name);
      const others = stage.machines.filter((to) => to !== from);
      assert.deepEqual(
        new Map(leases.map(({ subnet, path }) => [subnet, path])),
        new Map(others.map((to) => [to.subnet, wanted(from, to)])),
        from.name,
      );
    }),
  );
}

export async function untilForgotten(machine: Machine, subnet: string): Promise<void> {
  await untilPasses(async () => {
    const { leases } = (await machine.status()) ?? { leases: null };
    assert.ok(leases !== null && !leases.some((peer) => peer.subnet === subnet), `${machine.name}: ${machine.log}`);
    assert.equal(await machine.routesTo(subnet), '');
  }, 30_000);
}

/** All of them at once, in every table. */
export async function untilBlackholes(stage: Stage, machines: readonly Machine[]): Promise<void> {
  const wanted = machines.map(({ subnet }) => `${subnet} blackhole`).sort();
  for (const id of tableIds) {
    await untilPasses(async () => {
      const rows = (await stage.rows(id)).map((row) => `${row.DestinationCidrBlock} ${row.State}`);
      assert.deepEqual(rows.filter((row) => wanted.includes(row)).sort(), wanted, id);
    });
  }
}

/** An agent that does not reach DynamoDB goes on with the map it has, and says so. */
export async function assertAway(
  machine: Machine,
  { knows, knowsNot }: { knows: Machine; knowsNot: Machine },
): Promise<void> {
  const { ready, map, leases } = await machine.shownStatus();
  assert.equal(ready, true);
  assert.match(map.problem ?? '', /^the map table cannot be read/);
  const known = leases.map(({ subnet }) => subnet);
  assert.deepEqual([known.includes(knows.subnet), known.includes(knowsNot.subnet)], [true, false]);
}
