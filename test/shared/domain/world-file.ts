/** World files for tests: as short as the case they show. */
import { type PlanJson, type PlannedStep, planJson } from '../../../shared/domain/render-plan.ts';
import { parseWorld } from '../../../shared/domain/world.ts';
import { planWorld } from '../../../shared/domain/world-plan.ts';

export const now = 1_790_000_000;

type Json = Record<string, unknown>;

/** A lease of node `n`: 10.244.n.0/24, i-n, eni-n. */
export function lease(n: number, more: Json = {}): Json {
  return {
    subnet: `10.244.${n}.0/24`,
    instanceId: `i-${n}`,
    eniId: `eni-${n}`,
    nodeIp: `10.0.1.${n}`,
    acquiredAt: now - 10_000 + n,
    expiresAt: now + 80_000,
    ...more,
  };
}

/** A row that somebody created: an ENI, or whatever `more` says instead. */
export function row(destination: string, eni: string | null, more: Json = {}): Json {
  const key = destination.startsWith('pl-')
    ? 'DestinationPrefixListId'
    : destination.includes(':')
      ? 'DestinationIpv6CidrBlock'
      : 'DestinationCidrBlock';
  const nextHop = eni === null ? {} : { NetworkInterfaceId: eni };
  return { [key]: destination, ...nextHop, Origin: 'CreateRoute', State: 'active', ...more };
}

export function blackhole(destination: string, eni: string | null): Json {
  return row(destination, eni, { State: 'blackhole' });
}

export const local = row('10.0.0.0/16', null, { GatewayId: 'local', Origin: 'CreateRouteTable' });

/** What stands in a private table beside our rows. */
export const strangers: readonly Json[] = [
  local,
  row('0.0.0.0/0', null, { NatGatewayId: 'nat-1' }),
  row('pl-6ba54002', null, { GatewayId: 'vpce-s3' }),
  row('::/0', null, { EgressOnlyInternetGatewayId: 'eigw-1' }),
  row('172.31.0.0/16', null, { VpcPeeringConnectionId: 'pcx-1' }),
  row('10.245.1.0/24', 'eni-other-cluster'),
  row('192.168.0.0/16', null, { GatewayId: 'vgw-1', Origin: 'EnableVgwRoutePropagation' }),
];

export function table(id: string, routes: readonly Json[]): Json {
  return { RouteTableId: id, VpcId: 'vpc-1', Associations: [], PropagatingVgws: [], Tags: [], Routes: routes };
}

export function instances(states: Readonly<Record<string, string>>): Json {
  const list = Object.entries(states).map(([InstanceId, Name]) => ({ InstanceId, State: { Name } }));
  return { Reservations: [{ Instances: list }] };
}

export interface WorldParts {
  readonly tables?: Readonly<Record<string, readonly Json[]>>;
  /** Tables that the configuration lists; those of the file if unset. */
  readonly listed?: readonly string[];
  readonly leases?: readonly Json[];
  readonly states?: Readonly<Record<string, string>>;
  readonly leaseway?: Json;
  readonly backend?: Json;
  readonly config?: Json;
  readonly options?: Json;
  readonly now?: number;
}

export function worldFile(parts: WorldParts): Json {
  const tables = parts.tables ?? { 'rtb-1': [local] };
  return {
    now: parts.now ?? now,
    config: {
      Network: '10.244.0.0/16',
      SubnetLen: 24,
      Backend: parts.backend ?? { Type: 'aws-vpc', RouteTableID: parts.listed ?? Object.keys(tables) },
      ...(parts.leaseway === undefined ? {} : { Leaseway: parts.leaseway }),
      ...parts.config,
    },
    leases: parts.leases ?? [],
    ...(parts.states === undefined ? {} : { instances: instances(parts.states) }),
    routeTables: { RouteTables: Object.entries(tables).map(([id, routes]) => table(id, routes)) },
    ...(parts.options === undefined ? {} : { options: parts.options }),
  };
}

export function planOfFile(file: unknown): PlanJson {
  const world = parseWorld(file);
  return planJson(planWorld(world), world.leases, world.config);
}

export function planOfParts(parts: WorldParts): PlanJson {
  return planOfFile(worldFile(parts));
}

/** Steps of one table as `create 10.244.1.0/24 eni-1 missing`. */
export function stepsOf(plan: PlanJson, id = 'rtb-1'): string[] {
  return (plan.tables[id]?.steps ?? []).map(stepLine);
}

export function stepLine(step: PlannedStep): string {
  const nextHop = [step.was, step.nextHop].filter((hop) => hop !== null).join(' > ');
  return `${step.action} ${step.destination} ${nextHop} ${step.reason}`;
}

/** The file after the plan was carried out. */
export function applied(file: Json, plan: PlanJson): Json {
  const tables = (file['routeTables'] as { RouteTables: Json[] }).RouteTables;
  return {
    ...file,
    routeTables: {
      RouteTables: tables.map((entry) => {
        const steps = plan.tables[String(entry['RouteTableId'])]?.steps ?? [];
        const changed = new Set(steps.map(({ destination }) => destination));
        const kept = (entry['Routes'] as Json[]).filter((route) => !changed.has(destinationOf(route)));
        const written = steps.flatMap((step) =>
          step.action === 'delete' ? [] : [row(step.destination, step.nextHop)],
        );
        return { ...entry, Routes: [...kept, ...written] };
      }),
    },
  };
}

export function destinationOf(route: Json): string {
  const keys = ['DestinationCidrBlock', 'DestinationIpv6CidrBlock', 'DestinationPrefixListId'];
  return String(keys.map((key) => route[key]).find((destination) => destination !== undefined));
}
