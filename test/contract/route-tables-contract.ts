/** What every `RouteTables` does: the reconcile relies on these answers. Run on the fake and on EC2's wire protocol. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { parseCidr } from '../../shared/domain/cidr.ts';
import { nextHopId, type RouteTable } from '../../shared/domain/route.ts';
import { type Meaning, Refusal, type RouteTables } from '../../shared/reconcile/ports.ts';
import { type Differences, describeContract } from './describe-contract.ts';

export interface RouteTablesSubject {
  readonly tables: RouteTables;
  readonly vpcId: string;
  /** The VPC's main table: the `local` route 10.0.0.0/16, and rows of others. */
  readonly main: string;
  /** Those rows, as in `0.0.0.0/0 -> nat-1 active`; an IPv6 one and one of a prefix list are among them. */
  readonly foreign: readonly string[];
  /** The table of one subnet; nothing in it but the `local` route. */
  readonly named: string;
  readonly subnetId: string;
  /** Of another VPC. */
  readonly elsewhere: string;
  /** ENIs of running instances. */
  readonly eni: string;
  readonly otherEni: string;
  /** The instance of an ENI stops. */
  stop(eniId: string): Promise<void>;
  setLimit(tableId: string, routes: number): void;
}

export type MakeRouteTables = (t: TestContext) => Promise<RouteTablesSubject>;

const destination = parseCidr('10.244.1.0/24', 'destination');
const ipv6 = parseCidr('fd00:244:0:1::/64', 'destination');
const local = parseCidr('10.0.0.0/16', 'destination');

/** @param differs see `describeContract` */
export function runRouteTablesContract(name: string, make: MakeRouteTables, differs: Differences = {}): void {
  describeContract(name, make, differs, (contract) => {
    contract(
      'reads all tables of one VPC, with the subnets they are for',
      async ({ tables, vpcId, main, named, subnetId }) => {
        const read = [...(await tables.readVpc(vpcId))].sort((a, b) => (a.isMain ? -1 : 1) - (b.isMain ? -1 : 1));
        const shown = read.map((table) => ({
          id: table.id,
          of: table.vpcId,
          main: table.isMain,
          for: table.subnetIds,
        }));
        assert.deepEqual(shown, [
          { id: main, of: vpcId, main: true, for: [] },
          { id: named, of: vpcId, main: false, for: [subnetId] },
        ]);
      },
    );

    contract('reads some tables, whatever their VPC, and none that EC2 does not know', async (subject) => {
      const { tables, named, elsewhere } = subject;
      const read = await tables.readSome([named, 'rtb-00000000000000bad', elsewhere]);
      assert.deepEqual(read.map(({ id }) => id).sort(), [named, elsewhere].sort());
      assert.deepEqual(await tables.readSome([]), []);
    });

    contract('D1 D2: reads rows of others, also those without an IPv4 CIDR', async ({ tables, main, foreign }) => {
      assert.deepEqual(await rows(tables, main), [...foreign, '10.0.0.0/16 -> local active'].sort());
    });

    contract('creates a route, and finds nothing wrong with creating it again', async ({ tables, named, eni }) => {
      await tables.create(named, destination, eni);
      await tables.create(named, destination, eni);
      const [row, ...more] = (await only(tables, named)).routes.filter((route) => route.origin === 'CreateRoute');
      assert.deepEqual(more, []);
      assert.equal(row?.destination?.text, '10.244.1.0/24');
      assert.equal(row?.nextHop.kind, 'eni');
      assert.equal(row && nextHopId(row.nextHop), eni);
      assert.equal(row?.state, 'active');
    });

    contract('D3: creates, replaces and removes IPv6 routes like any other', async (subject) => {
      const { tables, named, eni, otherEni } = subject;
      await tables.create(named, ipv6, eni);
      await tables.replace(named, ipv6, otherEni);
      assert.deepEqual(await made(tables, named), [`fd00:244:0:1::/64 -> ${otherEni} active`]);
      await tables.remove(named, ipv6);
      assert.deepEqual(await made(tables, named), []);
    });

    contract('refuses a second row for a destination as `exists`', async ({ tables, named, eni, otherEni }) => {
      await tables.create(named, destination, eni);
      await refuses('exists', 'CreateRoute', () => tables.create(named, destination, otherEni));
      assert.deepEqual(await made(tables, named), [`10.244.1.0/24 -> ${eni} active`]);
    });

    contract('moves a route in place', async ({ tables, named, eni, otherEni }) => {
      await tables.create(named, destination, eni);
      await tables.replace(named, destination, otherEni);
      assert.deepEqual(await made(tables, named), [`10.244.1.0/24 -> ${otherEni} active`]);
    });

    contract('says `no-route` of a row that is not there', async ({ tables, named, eni }) => {
      await refuses('no-route', 'ReplaceRoute', () => tables.replace(named, destination, eni));
      await refuses('no-route', 'DeleteRoute', () => tables.remove(named, destination));
      await refuses('no-route', 'DeleteRoute', () => tables.remove(named, ipv6));
    });

    contract('removes a route, and no route of the VPC itself', async ({ tables, named, eni }) => {
      await tables.create(named, destination, eni);
      await tables.remove(named, destination);
      assert.deepEqual(await made(tables, named), []);
      await refuses('invalid', 'DeleteRoute', () => tables.remove(named, local));
      assert.deepEqual(await rows(tables, named), ['10.0.0.0/16 -> local active']);
    });

    contract('says `no-table` of a table that EC2 does not know', async ({ tables, eni }) => {
      const unknown = 'rtb-00000000000000bad';
      await refuses('no-table', 'CreateRoute', () => tables.create(unknown, destination, eni));
      await refuses('no-table', 'ReplaceRoute', () => tables.replace(unknown, destination, eni));
      await refuses('no-table', 'DeleteRoute', () => tables.remove(unknown, destination));
    });

    contract('says `no-target` of an ENI that EC2 does not know', async ({ tables, named, eni }) => {
      const unknown = 'eni-00000000000000bad';
      await refuses('no-target', 'CreateRoute', () => tables.create(named, destination, unknown));
      await tables.create(named, destination, eni);
      await refuses('no-target', 'ReplaceRoute', () => tables.replace(named, destination, unknown));
      assert.deepEqual(await made(tables, named), [`10.244.1.0/24 -> ${eni} active`]);
    });

    contract('says `full` of a table without room, of one family apart from the other', async (subject) => {
      const { tables, named, eni, otherEni } = subject;
      subject.setLimit(named, 1);
      await tables.create(named, destination, eni);
      const next = parseCidr('10.244.2.0/24', 'destination');
      await refuses('full', 'CreateRoute', () => tables.create(named, next, eni));
      await tables.replace(named, destination, otherEni);
      await tables.create(named, ipv6, eni);
      await tables.remove(named, destination);
      await tables.create(named, next, eni);
      assert.deepEqual(await made(tables, named), [`10.244.2.0/24 -> ${eni} active`, `${ipv6.text} -> ${eni} active`]);
    });

    contract('shows a blackhole once the instance has stopped, and repairs it in place', async (subject) => {
      const { tables, named, eni, otherEni } = subject;
      await tables.create(named, destination, eni);
      await subject.stop(eni);
      assert.deepEqual(await made(tables, named), [`10.244.1.0/24 -> ${eni} blackhole`]);
      await refuses('exists', 'CreateRoute', () => tables.create(named, destination, otherEni));
      await tables.replace(named, destination, otherEni);
      assert.deepEqual(await made(tables, named), [`10.244.1.0/24 -> ${otherEni} active`]);
    });
  });
}

async function only(tables: RouteTables, id: string): Promise<RouteTable> {
  const [table, ...more] = await tables.readSome([id]);
  assert.ok(table);
  assert.deepEqual(more, []);
  return table;
}

async function rows(tables: RouteTables, id: string): Promise<string[]> {
  const { routes } = await only(tables, id);
  return routes
    .map(({ destinationText, nextHop, state }) => `${destinationText} -> ${nextHopId(nextHop)} ${state}`)
    .sort();
}

/** The rows that CreateRoute made in a table that has none of others. */
async function made(tables: RouteTables, id: string): Promise<string[]> {
  return (await rows(tables, id)).filter((row) => !row.includes('-> local '));
}

async function refuses(meaning: Meaning, action: string, call: () => Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof Refusal, String(error));
    assert.deepEqual({ meaning: error.meaning, action: error.action }, { meaning, action });
    assert.notEqual(error.message, '');
    return true;
  });
}
