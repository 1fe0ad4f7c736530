/** The state of one embedded EC2: its resources by id, and what ties them to time and to the event bus. */
import type { SandboxClock, SandboxEvent } from '../service.ts';
import { IdSequence } from './ids.ts';
import { Lags, type View } from './lag.ts';
import type {
  Gateway,
  Instance,
  NatGateway,
  NetworkInterface,
  PrefixList,
  RouteTable,
  Subnet,
  Vpc,
} from './records.ts';

/** AWS's quota of routes per table and family unless raised. */
export const usualRouteLimit = 500;

export class World {
  readonly clock: SandboxClock;
  readonly emit: (event: SandboxEvent) => void;
  /** How long an instance stays pending, stopping or shutting down, in milliseconds of real time. */
  readonly transitionMs: number;
  readonly ids = new IdSequence();

  readonly vpcs = new Map<string, Vpc>();
  readonly subnets = new Map<string, Subnet>();
  readonly routeTables = new Map<string, RouteTable>();
  readonly interfaces = new Map<string, NetworkInterface>();
  readonly instances = new Map<string, Instance>();
  readonly gateways = new Map<string, Gateway>();
  readonly natGateways = new Map<string, NatGateway>();
  readonly prefixLists = new Map<string, PrefixList>();
  readonly tags = new Map<string, Map<string, string>>();

  /** Quota of routes per table and family, and the tables that have one of their own. */
  routeLimit = usualRouteLimit;
  readonly routeLimits = new Map<string, number>();

  /** Interfaces that existed once: a route to one of them is a blackhole, not a row about which nothing is known. */
  readonly goneInterfaces = new Set<string>();
  /** Per resource what Describe printed before the last write; `undefined` where it printed nothing. */
  readonly previous = new Map<string, View | undefined>();
  readonly lags = new Lags(this.previous);
  /** Running instance transitions by instance id. */
  readonly timers = new Map<string, NodeJS.Timeout>();

  constructor(clock: SandboxClock, emit: (event: SandboxEvent) => void, transitionMs: number) {
    this.clock = clock;
    this.emit = emit;
    this.transitionMs = transitionMs;
  }

  /** The present instant as EC2 prints times. */
  timestamp(): string {
    return new Date(this.clock.now()).toISOString();
  }

  subnet(id: string): Subnet {
    return held(this.subnets, id);
  }

  vpc(id: string): Vpc {
    return held(this.vpcs, id);
  }

  instance(id: string): Instance {
    return held(this.instances, id);
  }

  /** In the order of their device index. */
  interfacesOf(instanceId: string): readonly NetworkInterface[] {
    return this.attachedInterfaces().get(instanceId) ?? [];
  }

  /** By instance, each in the order of their device index. */
  attachedInterfaces(): ReadonlyMap<string, readonly NetworkInterface[]> {
    const attached = [...this.interfaces.values()].filter(({ attachment }) => attachment !== undefined);
    attached.sort((a, b) => (a.attachment?.deviceIndex ?? 0) - (b.attachment?.deviceIndex ?? 0));
    return Map.groupBy(attached, ({ attachment }) => attachment?.instanceId ?? '');
  }
}

/** For ids that the world itself wrote down; for ids of callers see `find`. */
function held<Resource>(resources: ReadonlyMap<string, Resource>, id: string): Resource {
  const resource = resources.get(id);
  if (resource === undefined) throw new Error(`the sandbox lost ${id}`);
  return resource;
}
