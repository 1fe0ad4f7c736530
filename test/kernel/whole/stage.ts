/** Where the whole system plays: AWS, the VPC that follows its tables over HTTP, the machines, and what is watched all the time. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Instance, RunInstancesCommand } from '@aws-sdk/client-ec2';
import { atEnd } from '../lab/at-end.ts';
import { ip } from '../lab/command.ts';
import { untilPasses } from '../lab/until.ts';
import type { DescribedInterface, DescribedRouteTable } from '../vpc/describe.ts';
import { type Ec2Picture, followEc2 } from '../vpc/follow-ec2.ts';
import { Vpc } from '../vpc/vpc.ts';
import { Cloud } from './cloud.ts';
import { type Seeded, subnets, tableIds, vpcCidr, worldOf, type Zone } from './landscape.ts';
import { Machine } from './machine.ts';
import { PathsSeen } from './paths-seen.ts';
import { type Pair, Pings } from './pings.ts';

const followEveryMs = 200;

interface World {
  readonly instances: { readonly Reservations: readonly { readonly Instances: readonly Instance[] }[] };
  readonly routeTables: { readonly RouteTables: readonly DescribedRouteTable[] };
  readonly leases: readonly { readonly subnet: string; readonly instanceId: string; readonly state: string }[];
}

/** How one machine is to reach another. */
export type Wanted = (from: Machine, to: Machine) => string;

/** Neighbours by host-gw, all others by this path. */
export const acrossSubnets =
  (path: string): Wanted =>
  (from, to) =>
    from.instance.subnetId === to.instance.subnetId ? 'host-gw' : path;

export class Stage {
  readonly cloud: Cloud;
  readonly vpc: Vpc;
  readonly pings = new Pings();
  readonly paths = new PathsSeen();
  readonly #t: TestContext;
  readonly #machines = new Map<string, Machine>();
  readonly #began = performance.now();

  private constructor(t: TestContext, cloud: Cloud, vpc: Vpc) {
    this.#t = t;
    this.cloud = cloud;
    this.vpc = vpc;
  }

  static async open(t: TestContext, seeded: readonly Seeded[]): Promise<Stage> {
    const vpc = await Vpc.create({ cidrs: [vpcCidr], subnets });
    atEnd(t, () => vpc.close());
    const cloud = await Cloud.start(t, worldOf(seeded));
    const stage = new Stage(t, cloud, vpc);
    const troubles: unknown[] = [];
    const following = followEc2(
      vpc,
      () => stage.#picture(),
      (error) => troubles.push(error),
      followEveryMs,
    );
    atEnd(t, async () => {
      await following.stop();
      assert.deepEqual(troubles, [], 'the VPC could be followed all the time');
    });
    atEnd(t, async () => {
      for (const machine of stage.#machines.values()) await machine.off();
    });
    atEnd(t, () => stage.paths.stop());
    return stage;
  }

  say(text: string): void {
    this.#t.diagnostic(`${((performance.now() - this.#began) / 1000).toFixed(1).padStart(5)} s  ${text}`);
  }

  get machines(): readonly Machine[] {
    return [...this.#machines.values()];
  }

  /** A machine for an instance that AWS has already. */
  async seeded(name: string, instanceId: string): Promise<Machine> {
    const instances = (await this.world()).instances.Reservations.flatMap(({ Instances }) => Instances);
    const found = instances.find(({ InstanceId }) => InstanceId === instanceId);
    if (found === undefined) throw new Error(`EC2 has no ${instanceId}`);
    return this.#machine(name, found);
  }

  /** RunInstances. */
  async launch(name: string, zone: Zone): Promise<Machine> {
    const run = { ImageId: 'ami-1', MinCount: 1, MaxCount: 1, SubnetId: `subnet-${zone}` };
    const [instance] = (await this.cloud.ec2.send(new RunInstancesCommand(run))).Instances ?? [];
    if (instance === undefined) throw new Error('RunInstances gave none');
    return this.#machine(name, instance);
  }

  /** Boots, waits for leases and pods, and for each pair to reach each other; their pings are counted from then on. */
  async start(...machines: readonly Machine[]): Promise<void> {
    this.paths.watch(...machines);
    await Promise.all(machines.map((machine) => machine.boot()));
    await Promise.all(machines.map((machine) => machine.startPod()));
    await this.pings.add(...machines);
  }

  /** Takes the machine out of what is watched, and switches it off. */
  async switchOff(machine: Machine): Promise<void> {
    await this.pings.remove(machine);
    this.paths.forget(machine);
    await machine.off();
  }

  /** It does not come back. */
  leave(machine: Machine): void {
    this.#machines.delete(machine.name);
  }

  machine(name: string): Machine {
    const found = this.#machines.get(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }

  async rows(tableId: string): Promise<readonly Route[]> {
    return routesOf(await this.world(), tableId);
  }

  async world(): Promise<World> {
    return this.cloud.control<World>('GET', 'world');
  }

  /** Rows of leases in a table, such as `10.244.1.0/24 eni-00a active`. */
  async ours(tableId: string): Promise<readonly string[]> {
    const rows = (await this.rows(tableId)).filter(isLeases);
    return rows.map((row) => `${row.DestinationCidrBlock} ${row.NetworkInterfaceId} ${row.State}`).sort();
  }

  /** What the VPC forwards by: its router's rows for a subnet, one a table that has it. */
  async routerRows(subnet: string): Promise<readonly string[]> {
    const text = await ip(this.vpc.namespace, `route show table all exact ${subnet}`);
    return text.split('\n').filter((line) => line !== '');
  }

  /** Every member of every other row of every table. */
  async foreign(): Promise<string> {
    const { routeTables } = await this.world();
    const tables = routeTables.RouteTables.map(({ Routes = [], ...table }) => ({
      ...table,
      Routes: Routes.filter((row) => !isLeases(row)),
    }));
    return JSON.stringify(tables, null, 1);
  }

  /** Waits until each table has active routes to exactly these machines' leases. */
  async untilTables(machines: readonly Machine[], ids: readonly string[] = tableIds): Promise<void> {
    const wanted = machines.map(({ subnet, instance }) => `${subnet} ${instance.eniId} active`).sort();
    for (const id of ids) await untilPasses(async () => assert.deepEqual(await this.ours(id), wanted, id), 30_000);
  }

  /** Waits until every pair that is watched has its path, as the agents say. */
  async untilPaths(wanted: Wanted, machines: readonly Machine[] = this.machines): Promise<void> {
    const pairs = machines.flatMap((from) => machines.filter((to) => to !== from).map((to) => [from, to] as const));
    const expected = Object.fromEntries(pairs.map(([from, to]) => [`${from.name}>${to.name}`, wanted(from, to)]));
    await untilPasses(() => {
      const { present } = this.paths;
      const found = Object.fromEntries(Object.keys(expected).map((pair) => [pair, present.get(pair)]));
      assert.deepEqual(found, expected);
    }, 45_000).catch(async (error) => {
      throw new Error(`${error.message}\n${await this.#told()}`, { cause: error });
    });
  }

  /** Waits until nothing is in flight at AWS, so that what comes next begins with a sync of its own. */
  async quiet(): Promise<void> {
    await this.cloud.control('GET', 'idle?timeout=30');
  }

  /** Says what the chapter cost. Packets may be lost by the named pairs alone; gives how many each of them lost. */
  async endChapter(title: string, mayLose: readonly Pair[] = []): Promise<ReadonlyMap<Pair, number>> {
    const reports = await this.pings.chapter();
    const sent = [...reports.values()].reduce((sum, report) => sum + report.sent, 0);
    const losers = [...reports].filter(([, { lost }]) => lost > 0);
    const text = losers.map(([pair, { lost, longestGapMs }]) => `${pair} ${lost} (${longestGapMs} ms)`).join(', ');
    this.say(`${title}: of ${sent} packets of ${reports.size} pairs lost: ${text === '' ? 'none' : text}`);
    const surprised = losers.filter(([pair]) => !mayLose.includes(pair));
    assert.deepEqual(surprised, [], `${title}: ${surprised.length === 0 ? '' : await this.#told()}`);
    return new Map(losers.map(([pair, { lost }]) => [pair, lost]));
  }

  async #machine(name: string, instance: Instance): Promise<Machine> {
    const [card] = instance.NetworkInterfaces ?? [];
    const described = {
      instanceId: instance.InstanceId ?? '',
      eniId: card?.NetworkInterfaceId ?? '',
      mac: card?.MacAddress ?? '',
      subnetId: card?.SubnetId ?? '',
      address: card?.PrivateIpAddress ?? '',
    };
    const machine = new Machine(name, described, this);
    this.#machines.set(name, machine);
    return machine;
  }

  async #picture(): Promise<Ec2Picture> {
    const { routeTables, instances } = await this.world();
    const cards = instances.Reservations.flatMap(({ Instances }) => Instances).flatMap(
      ({ NetworkInterfaces = [] }) => NetworkInterfaces as readonly DescribedInterface[],
    );
    return { routeTables: routeTables.RouteTables, networkInterfaces: cards };
  }

  /** All that helps to see why. */
  async #told(): Promise<string> {
    const logs = this.machines.map((machine) => `--- agent ${machine.name}\n${machine.log.slice(-3000)}`);
    const functions = await this.cloud.control('GET', 'functions?lines=15');
    return [...logs, JSON.stringify(functions, null, 1), JSON.stringify(await this.world(), null, 1)].join('\n');
  }
}

type Route = NonNullable<DescribedRouteTable['Routes']>[number];

const routesOf = ({ routeTables }: World, tableId: string): readonly Route[] =>
  routeTables.RouteTables.find(({ RouteTableId }) => RouteTableId === tableId)?.Routes ?? [];

const isLeases = ({ DestinationCidrBlock = '' }: Route): boolean => /^10\.244\.\d+\.0\/24$/.test(DestinationCidrBlock);
