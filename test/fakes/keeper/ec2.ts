/** Instances, interfaces and route tables in memory. */
import type { Cidr } from '../../../shared/domain/cidr.ts';
import type { InstanceState } from '../../../shared/domain/instance-life.ts';
import type { InstanceFacts, Instances, InterfaceFacts, Vpc } from '../../../shared/keeper/ports.ts';
import type { Session } from './faults.ts';

export interface FakeInstance {
  state: InstanceState;
  interfaces: { -readonly [Key in keyof InterfaceFacts]: InterfaceFacts[Key] }[];
}

export class FakeEc2 {
  readonly instances = new Map<string, FakeInstance>();
  /** ENIs of which no modification is allowed. */
  readonly locked = new Set<string>();
  /** Set: every call fails with it. */
  outage: string | null = null;
  /** Number of readings for which a changed check is not seen. */
  lag = 0;
  vpcId = 'vpc-1';
  vpcCidrs: Cidr[] = [];
  foreign: Cidr[] = [];
  routed: Cidr[] = [];
  readonly modified: string[] = [];
  reads = 0;
  readonly #seen = new Map<string, number>();

  /** Starts an instance whose primary ENI, address and VPC subnet follow from its number. */
  run(number: number, state: InstanceState = 'running'): string {
    const instanceId = `i-${number}`;
    const eni: FakeInstance['interfaces'][number] = {
      eniId: `eni-${number}`,
      instanceId,
      isPrimary: true,
      subnetId: `subnet-${number % 3}`,
      vpcId: this.vpcId,
      privateIp: `10.0.${number % 3}.${10 + Math.floor(number / 3)}`,
      ipv6: null,
      sourceDestCheck: true,
    };
    this.instances.set(instanceId, { state, interfaces: [eni] });
    return instanceId;
  }

  instance(instanceId: string): FakeInstance {
    const instance = this.instances.get(instanceId);
    if (instance === undefined) throw new Error(`no ${instanceId}`);
    return instance;
  }

  /** The first (primary) interface. */
  eni(instanceId: string): FakeInstance['interfaces'][number] {
    const [eni] = this.instance(instanceId).interfaces;
    if (eni === undefined) throw new Error(`no interface of ${instanceId}`);
    return eni;
  }

  as(session: Session): Instances {
    const read = <Result>(name: string, effect: () => Result) =>
      session.call(name, () => {
        this.reads += 1;
        if (this.outage !== null) throw new Error(this.outage);
        return structuredClone(effect());
      });
    return {
      describe: (ids) =>
        read('ec2.describe', () =>
          [...new Set(ids)].flatMap((instanceId): InstanceFacts[] => {
            const instance = this.instances.get(instanceId);
            if (instance === undefined) return [];
            const isGone = instance.state === 'terminated';
            return [
              {
                instanceId,
                state: instance.state,
                vpcId: isGone ? null : this.vpcId,
                interfaces: isGone ? [] : instance.interfaces,
              },
            ];
          }),
        ),
      describeInterfaces: (ids) =>
        read('ec2.describeInterfaces', () =>
          [...this.instances.values()]
            .filter(({ state }) => state !== 'terminated')
            .flatMap(({ interfaces }) => interfaces)
            .filter(({ eniId }) => ids.includes(eniId))
            .map((eni) => ({ ...eni, sourceDestCheck: eni.sourceDestCheck || this.#isStale(eni.eniId) })),
        ),
      switchOffSourceDestCheck: (eniId) =>
        session.call('ec2.switchOff', () => {
          if (this.outage !== null) throw new Error(this.outage);
          if (this.locked.has(eniId)) throw new Error('UnauthorizedOperation');
          this.modified.push(eniId);
          this.#seen.set(eniId, this.lag);
          for (const { interfaces } of this.instances.values()) {
            for (const eni of interfaces) if (eni.eniId === eniId) eni.sourceDestCheck = false;
          }
        }),
    };
  }

  vpc(session: Session): Vpc {
    return {
      read: () =>
        session.call('vpc.read', () => {
          this.reads += 1;
          if (this.outage !== null) throw new Error(this.outage);
          return { vpcId: this.vpcId, vpcCidrs: this.vpcCidrs, foreign: this.foreign, routed: this.routed };
        }),
    };
  }

  #isStale(eniId: string): boolean {
    const left = this.#seen.get(eniId) ?? 0;
    this.#seen.set(eniId, left - 1);
    return left > 0;
  }
}
