/** Node 1 of the tests' maps on a fake kernel: one uplink, a folder for its state. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Sysctls } from '../../../agent/linux/sysctl.ts';
import { settingsRecord } from '../../../agent/linux/sysctl-record.ts';
import type { NodeOptions } from '../../../agent/reconcile/node-options.ts';
import type { NodeWorld } from '../../../agent/reconcile/node-world.ts';
import { type PassResult, runPass } from '../../../agent/reconcile/pass.ts';
import { type GuardState, noGuardState } from '../../../shared/domain/node-guard.ts';
import type { AgentMap } from '../../../shared/domain/read-map.ts';
import { type FakeKernel, fakeKernel } from './fake-kernel.ts';

export interface FakeNode {
  readonly kernel: FakeKernel;
  readonly world: NodeWorld;
  readonly settings: Map<string, string>;
  readonly folder: string;
  readonly log: string[];
  clock: number;
  /** One pass with that map; the guard goes from pass to pass as in the loop. */
  pass(map: AgentMap): Promise<PassResult>;
  subnetEnv(): Promise<string | null>;
}

export const uplink = `link add eth0 type veth; link set eth0 mtu 9001; link set eth0 up
  address add 10.0.1.10/24 dev eth0; address add fd00:1::10/64 dev eth0
  route add default via 10.0.1.1 dev eth0`;

export async function fakeNode(t: TestContext, options: Partial<NodeOptions> = {}): Promise<FakeNode> {
  const folder = await mkdtemp(join(tmpdir(), 'lw-node-'));
  t.after(() => rm(folder, { recursive: true }));
  const kernel = fakeKernel();
  kernel.sh(uplink);
  const settings = new Map([
    ['net/ipv4/ip_forward', '1'],
    ['net/ipv6/conf/all/forwarding', '1'],
    ['net/ipv4/conf/all/rp_filter', '0'],
    ['net/ipv4/conf/eth0/rp_filter', '0'],
  ]);
  const sysctls: Sysctls = {
    read: async (path) => settings.get(path) ?? null,
    write: async (path, value) => {
      settings.set(path, value);
      if (path === 'net/ipv6/conf/all/forwarding' && value === '1') purgeAdvertised(kernel, settings);
    },
  };
  const log: string[] = [];
  let guard: GuardState = noGuardState;
  let last: AgentMap | null = null;
  const node: FakeNode = {
    kernel,
    settings,
    folder,
    log,
    clock: 1_790_000_000_000,
    world: {
      runner: kernel,
      sysctls,
      record: settingsRecord(folder, sysctls),
      log: { info: (message) => void log.push(message), warn: (message) => void log.push(message) },
      now: () => node.clock,
      elapsed: () => node.clock,
      options: {
        instanceId: 'i-1',
        interface: null,
        nodeAddresses: { ipv4: null, ipv6: null },
        gateways: { ipv4: null, ipv6: null },
        stateDir: folder,
        subnetEnv: join(folder, 'subnet.env'),
        rpFilter: 'auto',
        masquerade: false,
        masqueradeExempt: [],
        forwarding: false,
        ...options,
      },
    },
    async pass(map) {
      const result = await runPass(node.world, { map, isNew: map !== last, guard });
      guard = result.guard;
      if (result.own !== null) last = map;
      return result;
    },
    subnetEnv: () => readFile(join(folder, 'subnet.env'), 'utf8').catch(() => null),
  };
  return node;
}

/** As the kernel does when it becomes a router: default routes of advertisements go, save on links that accept them all the same. */
function purgeAdvertised({ state }: FakeKernel, settings: ReadonlyMap<string, string>): void {
  state.routes = state.routes.filter(
    ({ destination, protocol, dev }) =>
      destination !== '::/0' || protocol !== 9 || settings.get(`net/ipv6/conf/${dev}/accept_ra`) === '2',
  );
}
