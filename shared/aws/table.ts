/** One DynamoDB table, its items as plain objects. Every read is consistent. */
import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Caller, call } from './call.ts';
import type { Key } from './keys.ts';
import { allPages } from './pages.ts';

export interface TableOptions extends Caller {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
}

export type Item = Readonly<Record<string, unknown>>;

/** Null where there is none. */
export async function getItem(table: TableOptions, key: Key): Promise<Item | null> {
  const command = new GetCommand({ TableName: table.tableName, Key: { ...key }, ConsistentRead: true });
  const { Item } = await call('GetItem', table, (http) => table.client.send(command, http));
  return Item ?? null;
}

export async function putItem(table: TableOptions, item: Key & Item): Promise<void> {
  const command = new PutCommand({ TableName: table.tableName, Item: item });
  await call('PutItem', table, (http) => table.client.send(command, http));
}

/** All items of a partition, to the last page. */
export function queryAll(table: TableOptions, pk: string): Promise<Item[]> {
  // DynamoDB's token is a key: the pager's is its text.
  return allPages('Query', async (token) => {
    const command = new QueryCommand({
      TableName: table.tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ConsistentRead: true,
      ...(token === undefined ? {} : { ExclusiveStartKey: JSON.parse(token) as Record<string, unknown> }),
    });
    const { Items, LastEvaluatedKey } = await call('Query', table, (http) => table.client.send(command, http));
    return { items: Items, next: LastEvaluatedKey && JSON.stringify(LastEvaluatedKey) };
  });
}
