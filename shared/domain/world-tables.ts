/** The route tables of a world file, more strictly than EC2's own answers: in a file a malformed row is a mistake. */
import { parseCidr } from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';
import { parseRouteTable, type RouteTable } from './route.ts';
import { fieldsOf, isGiven, listOf, printedList } from './world-fields.ts';

/** `planned`: the ids that count; other tables are not looked at. */
export function parseTables(raw: unknown, planned: readonly string[]): RouteTable[] {
  const tables = new Map<string, RouteTable>();
  for (const { field, value: entry } of printedList(raw, 'routeTables', 'RouteTables')) {
    const given = fieldsOf(entry, field)['RouteTableId'];
    if (typeof given !== 'string' || given === '') {
      throw new InvalidInput(`${field}.RouteTableId`, given, given === undefined ? 'is missing' : 'is not an id');
    }
    const id = given.toLowerCase();
    if (!planned.includes(id)) continue;
    if (tables.has(id)) throw new InvalidInput(`${field}.RouteTableId`, given, 'is listed a second time');
    // A table always has its local route: a file without any routes is one that was cut, not an empty table.
    const routes = listOf(fieldsOf(entry, field)['Routes'], `${field}.Routes`);
    routes.forEach((route, at) => {
      checkDestination(route, `${field}.Routes[${at}]`);
    });
    tables.set(id, parseRouteTable(entry, field));
  }
  return [...tables.values()];
}

const destinations = [
  ['DestinationCidrBlock', 'ipv4'],
  ['DestinationIpv6CidrBlock', 'ipv6'],
] as const;

/** EC2 prints no other: a row that is not understood would count as foreign, and its route be created beside it. */
function checkDestination(route: unknown, field: string): void {
  const fields = fieldsOf(route, field);
  for (const [key, family] of destinations) {
    const value = fields[key];
    if (isGiven(value) && value !== '') parseCidr(value, `${field}.${key}`, family);
  }
}
