/** Items of the map table as a node may read them: one at a time, by key. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { call } from '../../shared/aws/call.ts';
import { networkKey } from '../../shared/aws/keys.ts';
import type { Item, TableOptions } from '../../shared/aws/table.ts';

export interface MapItems {
  /** Null: there is none. A read that need not be consistent costs half a read unit and may be a second old. @throws Refusal */
  get(sortKey: string, consistent: boolean, signal: AbortSignal): Promise<Item | null>;
}

export function dynamoMapItems(table: TableOptions, network: string): MapItems {
  return {
    get: async (sk, consistent, signal) => {
      const command = new GetCommand({
        TableName: table.tableName,
        Key: { pk: networkKey(network), sk },
        ConsistentRead: consistent,
      });
      const { Item } = await call('GetItem', { signal }, (http) => table.client.send(command, http));
      return Item ?? null;
    },
  };
}
