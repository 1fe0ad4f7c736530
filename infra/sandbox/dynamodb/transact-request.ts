/** What a transaction asks for, validated: one prepared action an item. */
import { AwsError } from '../service.ts';
import type { Item } from './attribute-value.ts';
import type { Params, Prepared } from './engine.ts';
import { wantsOldItem } from './item-writes.ts';
import type { Table } from './tables.ts';
import type { World } from './world.ts';

export type TransactKind = 'Put' | 'Update' | 'Delete' | 'ConditionCheck' | 'Get';

export interface TransactAction {
  readonly kind: TransactKind;
  readonly table: Table;
  /** Undefined when the request's key does not fit the table: a reason to cancel, found before any other. */
  readonly key: Item | undefined;
  readonly prepared: Prepared;
  readonly wantsOldItem: boolean;
}

/** A condition check is prepared as a deletion that is never run. */
const engineActions: Readonly<Record<TransactKind, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'DeleteItem',
  Get: 'GetItem',
};
const mostActions = 100;

export function transactActions(
  world: World,
  params: Params,
  allowed: readonly TransactKind[],
): readonly TransactAction[] {
  const list = params['TransactItems'];
  if (!Array.isArray(list) || list.length < 1 || list.length > mostActions) {
    const fault =
      Array.isArray(list) && list.length > mostActions ? 'less than or equal to 100' : 'greater than or equal to 1';
    throw invalid(
      `1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length ${fault}`,
    );
  }
  const actions = list.map((entry: unknown) => transactAction(world, entry, allowed));
  const items = actions.flatMap(({ table, key }) => (key === undefined ? [] : [JSON.stringify([table.name, key])]));
  if (new Set(items).size < items.length) {
    throw invalid('Transaction request cannot include multiple operations on one item');
  }
  return actions;
}

function transactAction(world: World, entry: unknown, allowed: readonly TransactKind[]): TransactAction {
  const members = Object.entries((entry ?? {}) as Params).filter(([, value]) => value !== undefined && value !== null);
  const [kind, params] = (members[0] ?? []) as [TransactKind?, Params?];
  if (members.length !== 1 || kind === undefined || params === undefined || !allowed.includes(kind)) {
    throw invalid(`TransactItems can only contain one of ${allowed.join(', ')}`);
  }
  if (kind === 'ConditionCheck' && typeof params['ConditionExpression'] !== 'string') {
    throw invalid("Value null at 'conditionExpression' failed to satisfy constraint: Member must not be null");
  }
  if (kind === 'Update' && typeof params['UpdateExpression'] !== 'string') {
    throw invalid("Value null at 'updateExpression' failed to satisfy constraint: Member must not be null");
  }
  const prepared = world.engine.prepare(engineActions[kind], params);
  const table = world.tables.get(params['TableName']);
  const attributes = (kind === 'Put' ? params['Item'] : params['Key']) as Item;
  const isKey = kind === 'Put' || Object.keys(attributes).length === table.schema.KeySchema.length;
  const key = isKey ? world.engine.keyOf(table.schema, attributes) : undefined;
  return { kind, table, key, prepared, wantsOldItem: wantsOldItem(params) };
}

function invalid(message: string): AwsError {
  return new AwsError('ValidationException', message);
}
