/** One node in a namespace of its own, for the engine's smoke tests. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

export const needsRoot = process.getuid?.() === 0 ? false : 'needs root: it makes network namespaces';

const main = new URL('../../agent/main.ts', import.meta.url).pathname;
let count = 0;

/** Without link-local addresses: those come a second after the link. */
export const uplink = `ip link add eth0 type veth peer name far0
  ip link set eth0 addrgenmode none; ip link set far0 addrgenmode none; ip link set far0 up; ip link set eth0 up
  ip addr add 10.0.1.10/24 dev eth0; ip addr add fd00:1::10/64 dev eth0 nodad
  ip route add default via 10.0.1.1`;

export interface Lab {
  readonly folder: string;
  /** Runs a command line in the namespace and gives what it printed. */
  sh(line: string): Promise<string>;
  /** Runs the agent to its end. */
  agent(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Starts `agent run`; ended with the test. */
  start(...args: readonly string[]): { stderr(): string; stop(): Promise<number | null> };
  writeMap(map: unknown): Promise<void>;
  until(what: string, check: () => Promise<boolean>): Promise<void>;
  /** Everything of the namespace that an agent could have changed. */
  snapshot(): Promise<string>;
}

export async function makeLab(t: TestContext): Promise<Lab> {
  const name = `lw-engine-${process.pid}-${count++}`;
  const folder = await mkdtemp(join(tmpdir(), 'lw-engine-'));
  const inside = ['netns', 'exec', name];
  t.after(async () => {
    await execute('ip', ['netns', 'del', name]);
    await rm(folder, { recursive: true });
  });
  await execute('ip', ['netns', 'add', name]);
  const files = ['--state-dir', join(folder, 'state'), '--subnet-env', join(folder, 'subnet.env')];
  const runArgs = ['--map', join(folder, 'map.json'), '--instance', 'i-1', '--listen', '127.0.0.1:0', ...files];
  const argsOf = (args: readonly string[]): string[] => {
    const more = args[0] === 'run' ? runArgs : files.slice(0, 2);
    return [...inside, process.execPath, main, ...args, ...more];
  };
  const sh = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await execute('ip', [...inside, 'sh', '-ec', line]);
    if (code !== 0) throw new Error(`${line}: ${stderr}`);
    return stdout;
  };
  await sh(`ip link set lo up
    ${uplink}`);
  return {
    folder,
    sh,
    agent: (...args) => execute('ip', argsOf(args)),
    start(...args) {
      const child = spawn('ip', argsOf(['run', ...args]), { stdio: ['ignore', 'ignore', 'pipe'] });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
      const stop = (): Promise<number | null> => {
        child.kill('SIGTERM');
        return ended;
      };
      t.after(stop);
      return { stderr: () => said, stop };
    },
    writeMap: (map) => writeFile(join(folder, 'map.json'), JSON.stringify(map)),
    async until(what, check) {
      for (let tries = 0; tries < 300; tries += 1) {
        if (await check()) return;
        await delay(100);
      }
      throw new Error(`not within 30 s: ${what}`);
    },
    snapshot: () =>
      sh(`ip -d link; ip addr | grep -v valid_lft; ip route show table all; ip -6 route show table all
        bridge fdb; ip neigh show nud permanent; ip -6 neigh show nud permanent; nft list ruleset
        cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv4/conf/eth0/rp_filter`),
  };
}

function execute(file: string, args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(file, [...args], { maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });
}

export const hybrid = {
  Network: '10.244.0.0/16',
  SubnetLen: 24,
  EnableIPv6: true,
  IPv6Network: 'fd00:244::/48',
  Backend: { Type: 'vxlan', DirectRouting: true },
};

/** Node 1 is this one; nodes 2 and 3 are on its segment, the others on another one. At most 4,000. */
export function leaseOf(n: number, more: Readonly<Record<string, unknown>> = {}) {
  const hex = n.toString(16);
  const [high, low] = [n >> 8, n & 255];
  const octets = [high, low].map((octet) => octet.toString(16).padStart(2, '0'));
  const segment = n <= 3 ? 1 : 2;
  return {
    subnet: `10.${high === 0 ? 244 : 224 + high}.${low}.0/24`,
    ipv6Subnet: `fd00:244:0:${hex}::/64`,
    instanceId: `i-${hex}`,
    nodeIp: n < 200 ? `10.0.${segment}.${n + 9}` : `10.1.${high}.${low}`,
    nodeIpv6: `fd00:${segment}::${n + 9}`,
    vtepMac: `02:00:00:00:${octets.join(':')}`,
    ...more,
  };
}

export function mapOf(leases: readonly unknown[], config: unknown = hybrid, revision = 1) {
  return { schema: 1, revision, network: 'default', config, leases };
}
