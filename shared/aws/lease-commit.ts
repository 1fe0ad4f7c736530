/** Writing leases, holders and the configuration in one transaction. */
import { randomUUID } from 'node:crypto';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { configItem, holderItem, leaseItem } from '../domain/lease-item.ts';
import type { Transaction, Write } from '../keeper/ports.ts';
import { backoff } from './backoff.ts';
import { call } from './call.ts';
import { systemClock } from './clock.ts';
import { cancellationOf, refusal } from './error-meanings.ts';
import { holderSortKey, leaseSortKey } from './keys.ts';
import type { TableOptions } from './table.ts';

type Action = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** All writers meet at the counter, so a wave of claims conflicts often and briefly. */
const mostTries = 7;

/**
 * All or nothing.
 *
 * A repetition by the SDK, after an answer that was lost, carries the same token and is answered with the first outcome.
 *
 * @throws Refusal when the outcome is not known, or DynamoDB will never take it
 */
export async function commit(table: TableOptions, pk: string, transaction: Transaction): Promise<'done' | 'conflict'> {
  const clock = systemClock(table);
  const command = new TransactWriteCommand({
    TransactItems: actionsOf(table.tableName, pk, transaction),
    ClientRequestToken: randomUUID(),
  });
  for (let tries = 1; ; tries += 1) {
    try {
      await call('TransactWriteItems', table, (http) => table.client.send(command, http));
      return 'done';
    } catch (error) {
      const cancelled = cancellationOf(error);
      if (cancelled === 'condition') return 'conflict';
      if (cancelled !== 'busy') throw refusal('TransactWriteItems', error);
      if (tries >= mostTries) return 'conflict';
    }
    await clock.sleep(backoff(tries, 40, 1_000));
  }
}

function actionsOf(TableName: string, pk: string, transaction: Transaction): Action[] {
  const { leases = [], holders = [], config, configRevision, counter } = transaction;
  const key = (sk: string) => ({ pk, sk });
  const actions: Action[] = [
    ...leases.map((write) => put(TableName, key(leaseSortKey(write.item.subnet)), leaseItem(write.item), write)),
    ...holders.map((write) => put(TableName, key(holderSortKey(write.item.instanceId)), holderItem(write.item), write)),
  ];
  if (config !== undefined) actions.push(put(TableName, key('config'), configItem(config.item), config, 'revision'));
  if (configRevision !== undefined) {
    actions.push({
      ConditionCheck: {
        TableName,
        Key: key('config'),
        ConditionExpression: 'revision = :expected',
        ExpressionAttributeValues: { ':expected': configRevision },
      },
    });
  }

  // One item takes one action in a transaction: the increment carries the check where both are asked for.
  const unmoved = counter === 0 ? '(attribute_not_exists(n) OR n = :counter)' : 'n = :counter';
  const condition =
    counter === undefined ? {} : { ConditionExpression: unmoved, ExpressionAttributeValues: { ':counter': counter } };
  if (leases.length > 0) {
    actions.push({
      Update: {
        TableName,
        Key: key('counter'),
        UpdateExpression: 'ADD n :one',
        ...condition,
        ExpressionAttributeValues: { ':one': 1, ...condition.ExpressionAttributeValues },
      },
    });
  } else if (counter !== undefined) {
    actions.push({
      ConditionCheck: {
        TableName,
        Key: key('counter'),
        ConditionExpression: unmoved,
        ExpressionAttributeValues: { ':counter': counter },
      },
    });
  }
  return actions;
}

function put(
  TableName: string,
  key: { pk: string; sk: string },
  item: Record<string, unknown>,
  { expected }: Write<unknown>,
  attribute: 'version' | 'revision' = 'version',
): Action {
  const condition =
    expected === null
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : attribute === 'revision' && expected === 0
        ? {
            // A damaged item: a missing revision, or one that is no number, is never at least 1.
            ConditionExpression: 'NOT (#expected >= :first)',
            ExpressionAttributeNames: { '#expected': attribute },
            ExpressionAttributeValues: { ':first': 1 },
          }
        : {
            // Both words are on DynamoDB's list of reserved ones, or may come there.
            ConditionExpression: '#expected = :expected',
            ExpressionAttributeNames: { '#expected': attribute },
            ExpressionAttributeValues: { ':expected': expected },
          };
  return { Put: { TableName, Item: { ...item, ...key }, ...condition } };
}
