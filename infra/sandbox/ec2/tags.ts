/** Tags: given at creation (`TagSpecification`), added by CreateTags, listed by DescribeTags. */
import type { AwsError } from '../service.ts';
import { describe } from './describe.ts';
import { invalidParameter, missingParameter } from './errors.ts';
import { beforeWrite } from './history.ts';
import { idKinds, unknownId } from './ids.ts';
import { list, type Params, requiredText, structures, text } from './params.ts';
import type { World } from './world.ts';

/** What `ResourceType` calls the resources of each id prefix. */
const resourceTypes: Readonly<Record<string, string>> = {
  vpc: 'vpc',
  subnet: 'subnet',
  rtb: 'route-table',
  eni: 'network-interface',
  i: 'instance',
  igw: 'internet-gateway',
  nat: 'natgateway',
  vpce: 'vpc-endpoint',
  pcx: 'vpc-peering-connection',
  pl: 'prefix-list',
};

const resourceType = (id: string) => resourceTypes[id.slice(0, id.indexOf('-'))] ?? 'unknown';

function put(world: World, id: string, tags: readonly Params[]): void {
  const held = world.tags.get(id) ?? new Map<string, string>();
  for (const tag of tags) held.set(requiredText(tag, 'Key'), text(tag, 'Value') ?? '');
  world.tags.set(id, held);
}

/** Puts the tags that a creating call names for its kind of resource. */
export function tagAtCreation(world: World, params: Params, id: string): void {
  for (const specification of structures(params, 'TagSpecification')) {
    const type = requiredText(specification, 'ResourceType');
    if (!Object.values(resourceTypes).includes(type)) {
      throw invalidParameter(`'${type}' is not a valid taggable resource type`);
    }
    if (type === resourceType(id)) put(world, id, structures(specification, 'Tag'));
  }
}

function exists(world: World, id: string): boolean {
  const places: readonly ReadonlyMap<string, unknown>[] = [
    world.vpcs,
    world.subnets,
    world.routeTables,
    world.interfaces,
    world.instances,
    world.gateways,
    world.natGateways,
    world.prefixLists,
  ];
  return places.some((place) => place.has(id));
}

function unknownResource(world: World, id: string): AwsError {
  const kind = Object.values(idKinds).find(({ prefix }) => id.startsWith(`${prefix}-`));
  return kind === undefined ? invalidParameter(`The ID '${id}' is not valid`) : unknownId(world, kind, id);
}

export function createTags(world: World, params: Params) {
  const ids = list(params, 'ResourceId');
  const tags = structures(params, 'Tag');
  if (ids.length === 0) throw missingParameter('resourceIdSet');
  if (tags.length === 0) throw missingParameter('tagSet');
  for (const id of ids) if (!exists(world, id)) throw unknownResource(world, id);
  for (const id of ids) {
    beforeWrite(world, id);
    put(world, id, tags);
  }
  return {};
}

export function describeTags(world: World, params: Params) {
  const views = [...world.tags].flatMap(([ResourceId, tags]) =>
    [...tags].map(([Key, Value]) => ({
      id: `${ResourceId}/${Key}`,
      view: { ResourceId, ResourceType: resourceType(ResourceId), Key, Value },
    })),
  );
  return describe(world, params, views, {
    action: 'DescribeTags',
    answer: 'Tags',
    filters: {
      'resource-id': (view) => view['ResourceId'],
      'resource-type': (view) => view['ResourceType'],
      key: (view) => view['Key'],
      value: (view) => view['Value'],
    },
  });
}
