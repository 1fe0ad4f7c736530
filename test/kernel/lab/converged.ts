/** The tables of a node as its agent keeps them, and the wait until they are so. */
import assert from 'node:assert/strict';
import { ourFdb, ourRoutes, permanentNeighbours } from './kernel-state.ts';
import type { Node } from './node.ts';
import { untilPasses } from './until.ts';

export interface OurState {
  readonly routes: readonly string[];
  readonly neighbours: readonly string[];
  readonly fdb: readonly string[];
  readonly devices: readonly string[];
}

export async function ourState(node: Node): Promise<OurState> {
  const devices = JSON.parse(await node.ip('-j -d address show type vxlan')) as {
    ifname: string;
    address: string;
    mtu: number;
    operstate: string;
    flags: string[];
    addr_info: { local?: string; prefixlen?: number }[];
  }[];
  return {
    routes: await ourRoutes(node.namespace),
    neighbours: (await permanentNeighbours(node.namespace)).filter((row) => / dev lw6?-/.test(row)),
    fdb: await ourFdb(node.namespace),
    devices: devices
      .filter(({ ifname }) => /^lw6?-/.test(ifname))
      .map(({ ifname, address, mtu, flags, addr_info }) => {
        const addresses = addr_info.map(({ local, prefixlen }) => `${local}/${prefixlen}`);
        return `${ifname} ${address} ${mtu} ${flags.includes('UP') ? 'UP' : 'DOWN'} ${addresses.join(' ')}`;
      })
      .sort(),
  };
}

/** Waits until each node has a route by way of somebody, or of the VPC, to as many leases as are told. */
export async function untilRouted(nodes: readonly Node[], peers: number, withinMs = 20_000): Promise<void> {
  for (const node of nodes) {
    await untilPasses(async () => {
      const { routes } = await ourState(node);
      const ipv4 = routes.filter((row) => /^\d[\d.]+\/\d+ via /.test(row));
      assert.equal(ipv4.length, peers, `${node.spec.name}: ${routes.join('\n')}\n${node.agent.log}`);
    }, withinMs);
  }
}

/** Waits until a peer's lease is reached in this way. */
export async function untilPath(node: Node, lease: string, dev: string | null, withinMs = 20_000): Promise<void> {
  await untilPasses(async () => {
    const row = (await ourState(node)).routes.find((candidate) => candidate.startsWith(`${lease} `));
    assert.equal(row === undefined ? null : / dev (\S+)/.exec(row)?.[1], dev, `${node.spec.name} ${node.agent.log}`);
  }, withinMs);
}

export async function untilReady(node: Node, withinMs = 30_000): Promise<void> {
  await untilPasses(async () => {
    const { stdout, stderr } = await node.status();
    assert.equal(stdout === '' ? undefined : JSON.parse(stdout).ready, true, `${stdout}${stderr}\n${node.agent.log}`);
  }, withinMs);
}
