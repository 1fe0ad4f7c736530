/** `RouteTableID` as flannel's aws-vpc backend has it: one id or a list of ids. */
import { InvalidInput } from './invalid-input.ts';
import { readList, readText } from './placed-values.ts';
import type { Placed } from './strict-keys.ts';

/**
 * The ids in the order of the file, in lower case, as EC2 prints them.
 *
 * flannel took `[]` as "no table", so that nothing was routed and nothing said so, and looked for a table by itself when
 * the key was absent; here both are errors.
 *
 * @throws InvalidInput for none, an empty, malformed or repeated id, and for what is no string.
 */
export function parseRouteTableIds(placed: Placed): readonly string[] {
  if (placed.value === undefined) {
    throw new InvalidInput(placed.field, undefined, 'is required: a route table id, or a list of ids');
  }
  if (typeof placed.value !== 'string' && !Array.isArray(placed.value)) {
    throw new InvalidInput(placed.field, placed.value, 'is not a route table id or a list of ids');
  }
  const entries = Array.isArray(placed.value) ? readList(placed) : [placed];
  if (entries.length === 0)
    throw new InvalidInput(placed.field, placed.value, 'is empty: name one route table at least');
  const ids: string[] = [];
  for (const entry of entries) {
    const spelling = readText(entry);
    const id = spelling.toLowerCase();
    if (!/^rtb-[0-9a-z-]+$/.test(id)) {
      throw new InvalidInput(entry.field, spelling, 'is not a route table id such as rtb-0123456789abcdef0');
    }
    if (ids.includes(id)) throw new InvalidInput(entry.field, spelling, 'is listed twice');
    ids.push(id);
  }
  return ids;
}
