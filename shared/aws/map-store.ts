/** Publishing the map. The lock sees to it that one sync at a time does; nothing breaks if two do. */
import { isDeepStrictEqual } from 'node:util';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { InvalidInput } from '../domain/invalid-input.ts';
import { type MapContent, mapSchema, type NetworkMap } from '../domain/map.ts';
import type { MapStore } from '../reconcile/ports.ts';
import { call } from './call.ts';
import { isConditionFailed } from './error-meanings.ts';
import { type Key, networkKey } from './keys.ts';
import { checkSizes, headItem, type MapHead, type MapPart, mapOf, partsOf, readHead, readPart } from './map-items.ts';
import { getItem, putItem, type TableOptions } from './table.ts';

/** Readings that may be overtaken by publishings, which are 2 s apart. */
const mostReadings = 3;

export interface MapStoreOptions extends TableOptions {
  readonly network: string;
}

export function dynamoMapStore(options: MapStoreOptions): MapStore {
  const pk = networkKey(options.network);
  const headKey = { pk, sk: 'head' };

  const readStoredHead = async (): Promise<MapHead | null | 'damaged'> => {
    const item = await getItem(options, headKey);
    if (item === null) return null;
    try {
      return readHead(item);
    } catch (error) {
      if (error instanceof InvalidInput) return 'damaged';
      throw error;
    }
  };

  const put = async (
    content: MapContent,
    previous: NetworkMap | null,
    epochAfter: (current: MapHead | null) => number,
  ): Promise<NetworkMap | 'conflict'> => {
    const current = await readStoredHead();
    if (current === 'damaged' || !isSameRevision(current, previous)) return 'conflict';
    const parts = partsOf(content.leases);
    const names = parts.map(({ name }) => name).sort();
    const head: MapHead = {
      schema: mapSchema,
      epoch: epochAfter(current),
      revision: (current?.revision ?? 0) + 1,
      network: content.network,
      config: content.config,
      tables: content.tables,
      parts: names,
      outgoing: current?.parts.filter((name) => !names.includes(name)) ?? [],
    };
    const item = headItem(head);
    checkSizes(content, item, parts);

    const fresh = parts.filter(({ name }) => !current?.parts.includes(name));
    await Promise.all(fresh.map((part) => putPart(options, pk, part, head.revision)));
    // Before the head, which alone remembers these names: whoever is killed here leaves them to the next one. Readers of
    // the map that had them have had since the last publishing to finish.
    const gone = current?.outgoing.filter((name) => !names.includes(name)) ?? [];
    await Promise.all(gone.map((name) => removePart(options, { pk, sk: name }, head.revision)));
    return (await putHead(options, { ...item, ...headKey }, current)) ? mapOf(head, [content.leases]) : 'conflict';
  };

  return {
    read: async () => {
      for (let reading = 1; ; reading += 1) {
        const head = await readStoredHead();
        if (head === null || head === 'damaged') return head;
        try {
          const parts = await Promise.all(
            head.parts.map(async (name) => readPart(name, await getItem(options, { pk, sk: name }))),
          );
          return mapOf(head, parts);
        } catch (error) {
          if (!(error instanceof InvalidInput)) throw error;
          // Two publishings on, the parts of this head may be gone; then there is a newer one.
          const latest = await readStoredHead();
          if (reading >= mostReadings || latest === 'damaged' || latest?.revision === head.revision) return 'damaged';
        }
      }
    },

    publish: async (content, previous, epoch) => put(content, previous, (current) => current?.epoch ?? epoch),
    renew: async (content, previous, epoch) => put(content, previous, (current) => newerEpoch(current?.epoch, epoch)),

    replaceDamaged: async (content, epoch) => {
      const stored = (await getItem(options, headKey))?.['epoch'];
      const parts = partsOf(content.leases);
      const head: MapHead = {
        schema: mapSchema,
        epoch: newerEpoch(stored, epoch),
        revision: 1,
        network: content.network,
        config: content.config,
        tables: content.tables,
        parts: parts.map(({ name }) => name).sort(),
        outgoing: [],
      };
      const item = headItem(head);
      checkSizes(content, item, parts);
      await Promise.all(parts.map((part) => putPart(options, pk, part, head.revision)));
      // The lock keeps other syncs away, and there is nothing readable to be lost.
      await putItem(options, { ...item, ...headKey });
      return mapOf(head, [content.leases]);
    },
  };
}

/** Readers keep to their epoch unless the new one is newer, whatever the clock says. */
function newerEpoch(stored: unknown, epoch: number): number {
  return typeof stored === 'number' && stored >= epoch ? stored + 1 : epoch;
}

function isSameRevision(head: MapHead | null, map: NetworkMap | null): boolean {
  if (head === null || map === null) return head === null && map === null;
  return head.epoch === map.epoch && head.revision === map.revision;
}

/** Whatever is there has the same content, so it may be written again; the revision keeps it from being removed. */
async function putPart(options: TableOptions, pk: string, { name, data }: MapPart, revision: number): Promise<void> {
  await putItem(options, { pk, sk: name, data, revision });
}

/** Removes a part unless somebody wrote it anew for a revision that is as new as ours. */
async function removePart({ client, tableName, signal }: TableOptions, key: Key, revision: number): Promise<void> {
  const command = new DeleteCommand({
    TableName: tableName,
    Key: { ...key },
    ConditionExpression: 'revision < :revision',
    ExpressionAttributeValues: { ':revision': revision },
  });
  try {
    await call('DeleteItem', { signal }, (http) => client.send(command, http));
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
  }
}

async function putHead(
  options: TableOptions,
  item: Record<string, unknown>,
  current: MapHead | null,
): Promise<boolean> {
  const condition =
    current === null
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: 'epoch = :epoch AND revision = :revision',
          ExpressionAttributeValues: { ':epoch': current.epoch, ':revision': current.revision },
        };
  const command = new PutCommand({ TableName: options.tableName, Item: item, ...condition });
  try {
    await call('PutItem', options, (http) => options.client.send(command, http));
    return true;
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    // The SDK repeats a call whose answer was lost, and then finds the head that it wrote itself. One that somebody else
    // wrote with the same content is as good.
    const stored = await getItem(options, { pk: String(item['pk']), sk: 'head' });
    return isDeepStrictEqual(stored, item);
  }
}
