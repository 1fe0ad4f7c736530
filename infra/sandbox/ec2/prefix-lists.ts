/** Managed prefix lists: a destination that counts as many routes as it may ever hold entries. */
import { sandboxAccount, sandboxRegion } from '../service.ts';
import { parseCidr } from './cidrs.ts';
import { describe } from './describe.ts';
import { invalidParameter, invalidValue } from './errors.ts';
import { idKinds } from './ids.ts';
import { prefixListView } from './network-views.ts';
import { type Params, requiredInteger, requiredText, structures } from './params.ts';
import type { PrefixList } from './records.ts';
import { tagAtCreation } from './tags.ts';
import type { World } from './world.ts';

/** The lists of AWS's gateway endpoint services, which every account sees. */
const awsLists: readonly PrefixList[] = ['s3', 'dynamodb'].map((service, index) => ({
  id: `pl-0000000${index + 1}`,
  name: `com.amazonaws.${sandboxRegion}.${service}`,
  ownerId: 'AWS',
  family: 'IPv4',
  maxEntries: undefined,
}));

export function addAwsLists(world: World): void {
  for (const list of awsLists) world.prefixLists.set(list.id, list);
}

export const serviceList = (world: World, service: string) =>
  [...world.prefixLists.values()].find(({ ownerId, name }) => ownerId === 'AWS' && name === service);

export function createManagedPrefixList(world: World, params: Params) {
  const name = requiredText(params, 'PrefixListName');
  const family = requiredText(params, 'AddressFamily');
  const maxEntries = requiredInteger(params, 'MaxEntries');
  if (family !== 'IPv4' && family !== 'IPv6') throw invalidValue('AddressFamily', family);
  if (maxEntries < 1) throw invalidValue('MaxEntries', String(maxEntries));
  const entries = structures(params, 'Entry').map((entry) => requiredText(entry, 'Cidr'));
  const bad = entries.find((cidr) => parseCidr(family === 'IPv4' ? 'ipv4' : 'ipv6', cidr) === undefined);
  if (bad !== undefined) throw invalidValue('cidr', bad, 'This is not a valid CIDR block.');
  if (entries.length > maxEntries) throw invalidParameter('The prefix list holds more entries than its maximum');
  const list: PrefixList = { id: world.ids.next('pl'), name, ownerId: sandboxAccount, family, maxEntries };
  world.prefixLists.set(list.id, list);
  tagAtCreation(world, params, list.id);
  return { PrefixList: prefixListView(world, list) };
}

export function describeManagedPrefixLists(world: World, params: Params) {
  const items = [...world.prefixLists.values()].map((held) => ({ id: held.id, view: prefixListView(world, held) }));
  return describe(world, params, items, {
    action: 'DescribeManagedPrefixLists',
    answer: 'PrefixLists',
    ids: { parameter: 'PrefixListId', kind: idKinds.prefixList },
    limits: { min: 1, max: 100, unasked: 100 },
    filters: {
      'owner-id': (view) => view['OwnerId'],
      'prefix-list-id': (view) => view['PrefixListId'],
      'prefix-list-name': (view) => view['PrefixListName'],
    },
  });
}
