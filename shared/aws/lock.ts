/** The `lock` item of the `map` table. */
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Lock } from '../reconcile/ports.ts';
import { call } from './call.ts';
import { isConditionFailed } from './error-meanings.ts';
import { networkKey } from './keys.ts';
import type { TableOptions } from './table.ts';

export interface LockOptions extends TableOptions {
  readonly network: string;
}

/**
 * Milliseconds: no function lives longer than a quarter of an hour. An expiry beyond that is nobody's, as is one that is
 * no number: a damaged item, or one written under a clock far ahead, must not lock out every sync to come.
 */
const longestHold = 16 * 60_000;

export function dynamoLock(options: LockOptions): Lock {
  const { client, tableName: TableName } = options;
  const key = { pk: networkKey(options.network), sk: 'lock' };
  const names = { '#holder': 'holder' };

  const unlessRefused = async (send: () => Promise<unknown>): Promise<boolean> => {
    try {
      await send();
      return true;
    } catch (error) {
      if (isConditionFailed(error)) return false;
      throw error;
    }
  };

  return {
    // The holder itself may take it again: so a repetition by the SDK, after a lost answer, is no refusal.
    tryTake: (holder, now, expiresAt) => {
      const command = new PutCommand({
        TableName,
        Item: { ...key, holder, expiresAt },
        ConditionExpression:
          'attribute_not_exists(pk) OR #holder = :holder OR NOT (expiresAt BETWEEN :first AND :last)',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ':first': now + 1, ':last': now + longestHold, ':holder': holder },
      });
      return unlessRefused(() => call('PutItem', options, (http) => client.send(command, http)));
    },
    release: async (holder) => {
      const command = new DeleteCommand({
        TableName,
        Key: key,
        ConditionExpression: '#holder = :holder',
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ':holder': holder },
      });
      await unlessRefused(() => call('DeleteItem', options, (http) => client.send(command, http)));
    },
  };
}
