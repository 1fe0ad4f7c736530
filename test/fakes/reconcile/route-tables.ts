/**
 * Route tables in memory, as EC2 keeps them: quotas, blackholes, late reads and every refusal that a write can meet.
 * Its contract is `test/contract/route-tables-contract.ts`.
 */
import { type Cidr, parseCidr } from '../../../shared/domain/cidr.ts';
import { nextHopId, type Route, type RouteTable } from '../../../shared/domain/route.ts';
import type { RouteTables, WriteAction } from '../../../shared/reconcile/ports.ts';
import { Faults, refuse } from './faults.ts';

const describe = 'DescribeRouteTables';

export interface FakeTable {
  readonly id: string;
  readonly vpcId?: string;
  readonly subnetIds?: readonly string[];
  readonly isMain?: boolean;
  readonly routes?: readonly Route[];
}

export interface FakeCall {
  readonly action: string;
  /** The table of a write; the VPC or the ids of a read. */
  readonly resource: string;
  readonly destination?: string;
  readonly eniId?: string;
}

/** `stopped`: routes to it are blackholes until it runs again; `gone`: for ever. */
type InterfaceState = 'attached' | 'stopped' | 'gone';

export class FakeRouteTables implements RouteTables {
  readonly faults = new Faults();
  /** Every call, with those that failed. */
  readonly calls: FakeCall[] = [];
  /** Routes of one family that a table takes. */
  limit = 500;
  readonly limits = new Map<string, number>();
  /** Tables in one answer: reads are paged, and each page is a call. */
  pageSize = 100;
  /** Calls left of an action before it is throttled; absent: any number. */
  readonly budget = new Map<string, number>();
  /** Reads that are to give an empty list with status 200. */
  emptyReads = 0;
  /** Called before each write takes effect. */
  onWrite: (call: FakeCall) => void = () => {};
  readonly #tables = new Map<string, RouteTable>();
  readonly #interfaces = new Map<string, InterfaceState>();
  readonly #before = new Map<string, RouteTable>();
  #late: { readonly tableId: string; readonly reads: ('old' | 'new')[] }[] = [];

  addTable({ id, vpcId = 'vpc-1', subnetIds = [], isMain = false, routes }: FakeTable): void {
    this.#tables.set(id, { id, vpcId, subnetIds, isMain, routes: routes ?? [localRoute] });
  }

  removeTable(id: string): void {
    this.#tables.delete(id);
  }

  /** Makes interfaces known, or tells what became of them. */
  interfaces(state: InterfaceState, ...eniIds: readonly string[]): void {
    for (const eniId of eniIds) this.#interfaces.set(eniId, state);
    for (const table of this.#tables.values()) {
      this.#change(table.id, (routes) => routes.map((route) => this.#pointed(route)));
    }
  }

  /** Puts in a row as it is, whatever EC2 would say to it. */
  plant(tableId: string, ...rows: readonly Route[]): void {
    this.#change(tableId, (routes) => [...routes, ...rows]);
  }

  /** Takes a row out, as by hand. */
  uproot(tableId: string, destination: string): void {
    this.#change(tableId, (routes) => routes.filter((route) => route.destinationText !== destination));
  }

  table(id: string): RouteTable {
    const table = this.#tables.get(id);
    if (table === undefined) throw new Error(`no ${id}`);
    return table;
  }

  /** The rows as text, such as `10.244.1.0/24 -> eni-1 active`, in order. */
  text(tableId: string): string[] {
    return this.table(tableId)
      .routes.map(({ destinationText, nextHop, state }) => `${destinationText} -> ${nextHopId(nextHop)} ${state}`)
      .sort();
  }

  /** The next reads show the table as it was before the last write; `backwards`: new, old, new. */
  lag(tableId: string, reads: number, backwards = false): void {
    const old = Array.from({ length: reads }, () => 'old' as const);
    this.#late.push({ tableId, reads: backwards ? ['new', ...old] : old });
  }

  async readVpc(vpcId: string): Promise<readonly RouteTable[]> {
    return this.#read(vpcId, (table) => table.vpcId === vpcId);
  }

  async readSome(ids: readonly string[]): Promise<readonly RouteTable[]> {
    if (ids.length === 0) return [];
    return this.#read(ids.join(','), (table) => ids.includes(table.id));
  }

  async create(tableId: string, destination: Cidr, eniId: string): Promise<void> {
    await this.#write('CreateRoute', tableId, destination, eniId, (table) => {
      const state = this.#stateOf('CreateRoute', eniId);
      const held = table.routes.find(({ destinationText }) => destinationText === destination.text);
      if (held !== undefined) {
        if (held.nextHop.kind === 'eni' && held.nextHop.id === eniId && held.state === 'active') return table.routes;
        throw refuse('exists', 'CreateRoute', `The route identified by ${destination.text} already exists.`);
      }
      const count = table.routes.filter((route) => counts(route) && route.destination?.family === destination.family);
      if (count.length >= (this.limits.get(tableId) ?? this.limit)) {
        throw refuse('full', 'CreateRoute', 'The maximum number of routes has been reached.');
      }
      return [...table.routes, rowOf(destination, eniId, state)];
    });
  }

  async replace(tableId: string, destination: Cidr, eniId: string): Promise<void> {
    await this.#write('ReplaceRoute', tableId, destination, eniId, (table) => {
      const state = this.#stateOf('ReplaceRoute', eniId);
      if (!table.routes.some(({ destinationText }) => destinationText === destination.text)) {
        const text = `There is no route defined for '${destination.text}' in the route table. Use CreateRoute instead.`;
        throw refuse('no-route', 'ReplaceRoute', text, 'InvalidParameterValue');
      }
      return table.routes.map((route) =>
        route.destinationText === destination.text ? rowOf(destination, eniId, state) : route,
      );
    });
  }

  async remove(tableId: string, destination: Cidr): Promise<void> {
    await this.#write('DeleteRoute', tableId, destination, undefined, (table) => {
      const held = table.routes.find(({ destinationText }) => destinationText === destination.text);
      if (held === undefined) {
        const text = `no route with destination-cidr-block ${destination.text} in route table ${tableId}`;
        throw refuse('no-route', 'DeleteRoute', text);
      }
      if (held.origin !== 'CreateRoute') {
        throw refuse(
          'invalid',
          'DeleteRoute',
          `cannot remove local route ${destination.text} in route table ${tableId}`,
        );
      }
      return table.routes.filter((route) => route !== held);
    });
  }

  async #read(resource: string, isWanted: (table: RouteTable) => boolean): Promise<RouteTable[]> {
    const wanted = [...this.#tables.values()].filter(isWanted).sort((a, b) => (a.id < b.id ? -1 : 1));
    const shown: RouteTable[] = [];
    let isEmpty = false;
    // Also an empty VPC has a first page.
    for (let at = 0; at === 0 || at < wanted.length; at += this.pageSize) {
      this.calls.push({ action: describe, resource });
      const page = wanted.slice(at, at + this.pageSize);
      shown.push(
        ...(await this.faults.run(describe, resource, () => {
          this.#spend(describe);
          if (at === 0 && this.emptyReads > 0) {
            this.emptyReads -= 1;
            isEmpty = true;
          }
          return page.map((table) => structuredClone(this.#shown(table)));
        })),
      );
      if (isEmpty) return [];
    }
    return shown;
  }

  #shown(table: RouteTable): RouteTable {
    const late = this.#late.find(({ tableId }) => tableId === table.id);
    const which = late?.reads.shift();
    this.#late = this.#late.filter(({ reads }) => reads.length > 0);
    return which === 'old' ? (this.#before.get(table.id) ?? table) : table;
  }

  async #write(
    action: WriteAction,
    tableId: string,
    destination: Cidr,
    eniId: string | undefined,
    effect: (table: RouteTable) => readonly Route[],
  ): Promise<void> {
    const call = {
      action,
      resource: tableId,
      destination: destination.text,
      ...(eniId === undefined ? {} : { eniId }),
    };
    this.calls.push(call);
    await this.faults.run(action, tableId, () => {
      this.#spend(action);
      this.onWrite(call);
      const table = this.#tables.get(tableId);
      if (table === undefined) throw refuse('no-table', action, `The routeTable ID '${tableId}' does not exist`);
      const routes = effect(table);
      this.#change(tableId, () => routes);
    });
  }

  #change(tableId: string, effect: (routes: readonly Route[]) => readonly Route[]): void {
    const table = this.table(tableId);
    this.#before.set(tableId, table);
    this.#tables.set(tableId, { ...table, routes: effect(table.routes) });
  }

  #spend(action: string): void {
    const left = this.budget.get(action);
    if (left === undefined) return;
    if (left <= 0) throw refuse('throttled', action, 'Request limit exceeded.');
    this.budget.set(action, left - 1);
  }

  #stateOf(action: WriteAction, eniId: string): string {
    const state = this.#interfaces.get(eniId) ?? 'gone';
    if (state === 'gone') throw refuse('no-target', action, `The networkInterface ID '${eniId}' does not exist`);
    return state === 'attached' ? 'active' : 'blackhole';
  }

  /** The row after something happened to the interface it points at. */
  #pointed(route: Route): Route {
    const state = route.nextHop.kind === 'eni' ? this.#interfaces.get(route.nextHop.id) : undefined;
    return state === undefined ? route : { ...route, state: state === 'attached' ? 'active' : 'blackhole' };
  }
}

/** Static rows count; propagated ones have a quota of their own, and `local` is no row that anybody made. */
function counts({ origin }: Route): boolean {
  return origin === 'CreateRoute';
}

export function rowOf(destination: Cidr | string, eniId: string, state = 'active'): Route {
  const cidr = typeof destination === 'string' ? parseCidr(destination, 'destination') : destination;
  return {
    destination: cidr,
    destinationText: cidr.text,
    nextHop: { kind: 'eni', id: eniId, instanceId: null },
    state,
    origin: 'CreateRoute',
  };
}

/** A row of somebody else: a gateway, an endpoint, a peering. */
export function foreignRow(destinationText: string, id: string, origin = 'CreateRoute'): Route {
  const destination = destinationText.includes('/') ? parseCidr(destinationText, 'destination') : null;
  return { destination, destinationText, nextHop: { kind: 'other', id }, state: 'active', origin };
}

const localRoute = foreignRow('10.0.0.0/16', 'local', 'CreateRouteTable');
