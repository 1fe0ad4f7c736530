/** A world that a seed's story is told in: nodes, EC2 and people act; then everybody keeps still and all must be right. */
import assert from 'node:assert/strict';
import type { Params } from '../../infra/sandbox/params.ts';
import { eniId, instanceId, tableIds } from './landscape.ts';
import { type Change, nodes, type Story } from './random-changes.ts';
import { ignoreFunctionError, readFault, spareEniId, withSpare } from './random-parts.ts';
import { Watch } from './random-watch.ts';
import type { Stage } from './stage.ts';

/** Reads that every planted lag is over after. */
const longestLag = 40;
const admin = { accessKeyId: 'ADMIN', arn: 'arn:aws:iam::123456789012:root', account: '123456789012' };
const created = { Origin: 'CreateRoute' };

export class RandomWorld {
  readonly watch: Watch;
  readonly #stage: Stage;
  /** Instances of the story at hand are `#first + 1` and on: an id is never used again, as at EC2. */
  #first = 0;
  readonly #claimed = new Set<number>();
  #claims = 0;
  readonly #events: Parameters<Stage['sandbox']['bus']['publish']>[0][] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
    this.watch = new Watch(stage);
    const { bus } = stage.sandbox;
    const publish = bus.publish.bind(bus);
    bus.publish = (event, id) => {
      if (event.source === 'aws.ec2') this.#events.push(event);
      return publish(event, id);
    };
  }

  async tell({ twice, changes }: Story): Promise<void> {
    await this.#begin();
    const { sandbox } = this.#stage;
    sandbox.deliveries.twice = twice;
    for (const change of changes) await this.#apply(change);
    sandbox.faults.clear();
    await this.#heal();
    await this.#check();
  }

  // ---- the story

  async #apply(change: Change): Promise<void> {
    const { sandbox } = this.#stage;
    switch (change.kind) {
      case 'claim': {
        this.#claimed.add(change.node);
        const wanted = {
          ...(change.third === null ? {} : { subnet: `10.244.${change.third}.0/24` }),
          ...(change.spare ? { eniId: spareEniId(this.#first + change.node) } : {}),
        };
        return this.#claim(change.node, wanted);
      }
      case 'power':
        return this.#power(change.node, change.to);
      case 'replay': {
        const event = this.#events[change.pick % Math.max(1, this.#events.length)];
        return event === undefined ? undefined : void sandbox.bus.publish(event);
      }
      case 'release': {
        const id = instanceId(this.#first + change.node);
        const item = (await this.#stage.items('leases', 'lease#')).find((lease) => lease['instanceId'] === id);
        // A keeper that a fault has just killed answers nothing: the operator has to try again, or does not.
        if (item !== undefined)
          await this.#stage.command({ command: 'release', subnet: item['subnet'] }).catch(ignoreFunctionError);
        return;
      }
      case 'hand':
      case 'dark': {
        const id = tableIds[change.table] ?? 'rtb-a';
        const rows = this.watch.ours(id);
        const [destination] = rows[change.pick % Math.max(1, rows.length)]?.split(' ') ?? [];
        if (destination === undefined) return;
        await this.#remove(id, destination);
        if (change.kind === 'dark')
          this.#plant(id, destination, {
            ...(change.bare ? {} : { NetworkInterfaceId: 'eni-0dead' }),
            State: 'blackhole',
          });
        return;
      }
      case 'stray': {
        const id = tableIds[change.table] ?? 'rtb-a';
        const hop =
          change.form === 'bare' ? {} : { NetworkInterfaceId: change.form === 'dead' ? 'eni-0dead' : 'eni-0stray' };
        const State = change.form === 'active' ? 'active' : 'blackhole';
        this.#plant(id, `10.244.${change.third}.0/24`, { ...hop, State });
        return;
      }
      case 'foreign': {
        const id = tableIds[change.table] ?? 'rtb-a';
        // EC2 has no conditional writes: a row that comes between our reading and our writing could be anybody's loss.
        await this.settle();
        const destination = `10.244.${change.third}.${change.half ? '128/25' : '0/24'}`;
        const hop = change.half ? { NetworkInterfaceId: 'eni-0vpn' } : { NatGatewayId: 'nat-0' };
        if (this.#plant(id, destination, { ...hop, State: 'active' })) this.watch.expectForeign(`${id} ${destination}`);
        return;
      }
      case 'writeFault': {
        const { action, table, error, after, times, skip } = change;
        const match = { RouteTableId: tableIds[table] ?? 'rtb-a' };
        sandbox.fault(
          ['SyncRoutesFunction', 'ResyncFunction'].map((caller) => ({
            service: 'ec2' as const,
            action,
            match,
            caller,
            times,
            skip,
            ...(after ? { after } : { error }),
          })),
        );
        return;
      }
      case 'readFault':
        sandbox.fault({ ...readFault(change.what), times: change.times } as Parameters<typeof sandbox.fault>[0]);
        return;
      case 'kill': {
        const { caller, service, after, skip } = change;
        sandbox.fault({ caller, service, after, skip, kill: true });
        return;
      }
      case 'lag':
        sandbox.fault({
          service: 'ec2',
          match: { RouteTableId: tableIds[change.table] ?? 'rtb-a' },
          lag: change.reads,
          backwards: change.backwards,
        });
        return;
      case 'sync':
        return this.#schedule('SyncScheduleRule');
      case 'sweep':
        return this.#schedule('SweepScheduleRule');
      case 'wait':
        await this.settle();
        sandbox.clock.advance(change.seconds);
    }
  }

  /** A run of a schedule comes to its end with the next `settle`: what disturbs it may come meanwhile. */
  async #schedule(id: string): Promise<void> {
    await this.#stage.control('POST', `schedules/${id}`);
  }

  async #claim(node: number, wanted: object): Promise<void> {
    this.#claims += 1;
    await this.#stage.claimAsAdmin(instanceId(this.#first + node), `claim-${this.#claims}`, wanted);
  }

  /** As far as the instance's state allows it. */
  async #power(node: number, action: string): Promise<void> {
    const InstanceId = [instanceId(this.#first + node)];
    const state = this.#stateOf(node);
    const allowed: Readonly<Record<string, readonly string[]>> = {
      StopInstances: ['running'],
      StartInstances: ['stopped'],
      TerminateInstances: ['running', 'stopped', 'stopping', 'pending'],
    };
    if (allowed[action]?.includes(state) === true) await this.#ec2(action, { InstanceId });
  }

  #stateOf(node: number): string {
    const id = instanceId(this.#first + node);
    for (const { Instances } of this.#stage.sandbox.ec2.snapshot().instances as { Instances?: Params[] }[]) {
      const found = Instances?.find((each) => each['InstanceId'] === id);
      if (found !== undefined) return String((found['State'] as Params)['Name']);
    }
    return 'unknown';
  }

  #ec2(action: string, params: Params): Promise<unknown> {
    return this.watch.outside(() => this.#stage.sandbox.ec2.handle({ service: 'ec2', action, params, caller: admin }));
  }

  async #remove(RouteTableId: string, DestinationCidrBlock: string): Promise<void> {
    await this.#ec2('DeleteRoute', { RouteTableId, DestinationCidrBlock });
  }

  /** Where no row stands; false: one does. */
  #plant(id: string, destination: string, row: Readonly<Record<string, string>>): boolean {
    if (this.#stage.rows(id).some((each) => each.DestinationCidrBlock === destination)) return false;
    this.#stage.sandbox.ec2.plantRoute(id, { DestinationCidrBlock: destination, ...row, ...created });
    return true;
  }

  // ---- its end

  /** Schedules tick and agents repeat their claims: nobody else does anything. */
  async #heal(): Promise<void> {
    const { sandbox } = this.#stage;
    await this.settle();
    for (let read = 0; read < longestLag; read += 1)
      await this.#ec2('DescribeRouteTables', { RouteTableId: [...tableIds] });
    for (let round = 0; round < 4 && (round === 0 || this.#differences().length > 0); round += 1) {
      // Tables and rows that failed rest for at most fifteen minutes.
      sandbox.clock.advance(16 * 60);
      for (const node of this.#claimed) if (this.#stateOf(node) === 'running') await this.#claim(node, {});
      await this.#schedule('SweepScheduleRule');
      await this.settle();
      await this.#schedule('SyncScheduleRule');
      await this.settle();
    }
    if (this.#differences().length === 0) return;
    const { guard } = (await this.#stage.resync({ dryRun: true })) as { guard: { refused: boolean; digest: string } };
    if (guard.refused) await this.#stage.resync({ force: guard.digest });
    await this.settle();
  }

  async #check(): Promise<void> {
    assert.deepEqual(this.watch.violations, []);
    assert.deepEqual(this.#differences(), []);
    this.#stage.sandbox.clock.advance(60);
    this.#stage.forget();
    await this.#schedule('SweepScheduleRule');
    await this.settle();
    const report = await this.#stage.resync();
    await this.settle();
    assert.equal(report['status'], 'ok', JSON.stringify(report));
    assert.deepEqual(this.#stage.writes(), [], 'the second run is not silent');
    assert.deepEqual([...this.watch.violations, ...this.#differences()], []);
  }

  /** In what the tables and leases are not as they must be when everybody keeps still. */
  #differences(): string[] {
    const { wanted } = this.watch;
    const held = new Set(wanted.values());
    const differences = tableIds.flatMap((id) => {
      const rows = this.watch.ours(id);
      const right = [...wanted]
        .filter(([subnet]) => !this.watch.isForeign(id, subnet))
        .map(([subnet, eni]) => `${subnet} ${eni} active`);
      return [
        ...right.filter((row) => !rows.includes(row)).map((row) => `${id} lacks ${row}`),
        ...rows.filter((row) => !right.includes(row)).map((row) => `${id} has ${row}`),
      ];
    });
    if (held.size !== wanted.size) differences.push('an interface has two leases');
    for (const node of this.#claimed) {
      const n = this.#first + node;
      const has = [eniId(n), spareEniId(n)].filter((id) => held.has(id)).length;
      const state = this.#stateOf(node);
      if (has !== (state === 'running' ? 1 : 0)) differences.push(`${instanceId(n)} is ${state} and has ${has} leases`);
    }
    return differences;
  }

  /** Waits until nothing is in flight; messages of a process that died come back when their time is over. */
  async settle(): Promise<void> {
    const { activity, clock } = this.#stage.sandbox;
    let left: readonly string[] = [];
    for (let look = 0; look < 60; look += 1) {
      left = await activity.idle(2_000);
      if (left.length === 0) return;
      if (left.some((what) => what.includes('messages in'))) clock.advance(131);
    }
    throw new Error(`still in flight: ${left.join(', ')}`);
  }

  // ---- a new world

  async #begin(): Promise<void> {
    const { sandbox, names } = this.#stage;
    sandbox.faults.clear();
    sandbox.deliveries.twice = false;
    await this.settle();
    sandbox.ec2.throttle(false);
    for (const id of tableIds) {
      const foreign = new Set(this.#stage.foreignDestinations);
      for (const { DestinationCidrBlock: destination } of this.#stage.rows(id))
        if (destination !== undefined && !foreign.has(destination)) await this.#remove(id, destination);
    }
    for (let n = this.#first + 1; n <= this.#first + nodes; n += 1) sandbox.ec2.forgetInstance(instanceId(n));
    await this.#wipe(names.leases, (sk) => sk !== 'config');
    await this.#wipe(names.claims, () => true);
    await this.settle();
    await this.#wipe(names.map, () => true);
    this.#first += nodes;
    this.#claimed.clear();
    this.#events.length = 0;
    const numbers = Array.from({ length: nodes }, (_, at) => this.#first + 1 + at);
    sandbox.ec2.seed({ instances: numbers.map(withSpare) });
    sandbox.ec2.throttle(true);
    this.watch.reset();
  }

  async #wipe(TableName: string, isUnwanted: (sk: string) => boolean): Promise<void> {
    const { dynamodb } = this.#stage.sandbox;
    for (const { pk, sk } of await dynamodb.dumpTable(TableName)) {
      const text = sk !== undefined && 'S' in sk ? sk.S : '';
      const params = { TableName, Key: { pk, sk } };
      if (isUnwanted(text)) await dynamodb.handle({ service: 'dynamodb', action: 'DeleteItem', params, caller: admin });
    }
  }
}
