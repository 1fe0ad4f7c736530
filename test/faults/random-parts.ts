/** What random worlds are made of: instances with two interfaces, and reads that go wrong. */
import assert from 'node:assert/strict';
import type { Params } from '../../infra/sandbox/params.ts';
import { instance } from './landscape.ts';

const empty =
  '<DescribeRouteTablesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><routeTableSet/></DescribeRouteTablesResponse>';

export function spareEniId(n: number): string {
  return `eni-5${n.toString(16).padStart(3, '0')}`;
}

/** An instance with a second interface, which a claim can name. */
export function withSpare(n: number): Params {
  const json = instance(n);
  const [primary] = json.NetworkInterfaces;
  const spare = {
    ...primary,
    NetworkInterfaceId: spareEniId(n),
    PrivateIpAddress: json.PrivateIpAddress.replace(
      /\.(\d+)\.(\d+)$/,
      (_, third: string, last: string) => `.${Number(third) + 32}.${last}`,
    ),
    Attachment: {
      AttachmentId: `eni-attach-5${n.toString(16).padStart(3, '0')}`,
      DeviceIndex: 1,
      Status: 'attached',
      DeleteOnTermination: true,
    },
  };
  return { ...json, NetworkInterfaces: [primary, spare] };
}

/** A fault of the sandbox, without how often. */
export function readFault(what: string): object {
  const tables = { service: 'ec2', action: 'DescribeRouteTables', caller: 'SyncRoutesFunction' };
  switch (what) {
    case 'tables fail':
      return { ...tables, error: 'InternalError' };
    case 'tables are empty':
      return { ...tables, body: empty };
    case 'tables are garbage':
      return { ...tables, body: '<html>bad gateway</html>', status: 502 };
    case 'instances fail':
      return { service: 'ec2', action: 'DescribeInstances', error: 'InternalError' };
    default:
      return { service: 'dynamodb', action: 'Query', caller: 'SyncRoutesFunction', error: 'InternalServerError' };
  }
}

/** Of a keeper that died or failed over a command; anything else is thrown on. */
export function ignoreFunctionError(error: Error): void {
  assert.match(error.message, /^leaseway-keep-leases: /);
}
