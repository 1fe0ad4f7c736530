/** TransactWriteItems and TransactGetItems, which dynalite lacks. Callers hold the turn: nobody sees what is half done. */
import { itemSize } from 'dynalite/db/index.js';
import { AwsError } from '../service.ts';
import type { Item } from './attribute-value.ts';
import { recordChanges, type Touched } from './changes.ts';
import type { Params } from './engine.ts';
import type { RequestTokens } from './request-tokens.ts';
import { type TransactAction, transactActions } from './transact-request.ts';
import type { World } from './world.ts';

/** One per action, at the action's index. */
interface CancellationReason {
  readonly Code: 'None' | 'ConditionalCheckFailed' | 'ValidationError';
  readonly Message?: string;
  readonly Item?: Item;
}

type Target = TransactAction & Touched;

const none: CancellationReason = { Code: 'None' };
/** All items of a transaction together. */
const mostBytes = 4 * 1024 * 1024;

export async function transactWrite(world: World, tokens: RequestTokens, params: Params): Promise<Params> {
  const token = params['ClientRequestToken'];
  const request = JSON.stringify(params['TransactItems']);
  if (typeof token === 'string' && tokens.seen(token, request)) return {};
  const targets = located(transactActions(world, params, ['Put', 'Update', 'Delete', 'ConditionCheck']));
  const before = await images(world, targets);
  const reasons = targets.map((target, index) => failedCondition(world, target, before[index]));
  if (reasons.some((reason) => reason !== none)) throw cancelled(reasons);
  await recordChanges(world, targets, () => applyAll(world, targets, before));
  if (typeof token === 'string') tokens.remember(token, request);
  return {};
}

export async function transactGet(world: World, params: Params): Promise<Params> {
  const targets = located(transactActions(world, params, ['Get']));
  const Responses: Params[] = [];
  for (const { prepared } of targets) {
    const { Item } = await world.engine.run(prepared);
    Responses.push(Item === undefined ? {} : { Item });
  }
  return { Responses };
}

function located(actions: readonly TransactAction[]): readonly Target[] {
  const targets = actions.flatMap((action) => (action.key === undefined ? [] : [{ ...action, key: action.key }]));
  if (targets.length === actions.length) return targets;
  const Message = 'The provided key element does not match the schema';
  throw cancelled(actions.map(({ key }) => (key === undefined ? { Code: 'ValidationError', Message } : none)));
}

function images(world: World, targets: readonly Target[]): Promise<readonly (Item | undefined)[]> {
  return Promise.all(targets.map(({ table, key }) => world.engine.item(table.schema, key)));
}

function failedCondition(world: World, target: Target, item: Item | undefined): CancellationReason {
  if (world.engine.holds(target.prepared, item)) return none;
  return {
    Code: 'ConditionalCheckFailed',
    Message: 'The conditional request failed',
    ...(target.wantsOldItem && item !== undefined ? { Item: item } : {}),
  };
}

/** What only shows while writing (an `ADD` to a text, a too large item) takes back what was written so far. */
async function applyAll(
  world: World,
  targets: readonly Target[],
  before: readonly (Item | undefined)[],
): Promise<void> {
  for (const [index, { kind, prepared }] of targets.entries()) {
    if (kind === 'ConditionCheck') continue;
    try {
      await world.engine.run(prepared);
    } catch (error) {
      await restore(world, targets, before);
      if (!(error instanceof AwsError) || error.code !== 'ValidationException') throw error;
      const reason: CancellationReason = { Code: 'ValidationError', Message: error.message };
      throw cancelled(targets.map((_, at) => (at === index ? reason : none)));
    }
  }
  const after = await images(world, targets);
  if (after.reduce((sum, item) => sum + (item === undefined ? 0 : itemSize(item)), 0) > mostBytes) {
    await restore(world, targets, before);
    throw new AwsError('ValidationException', 'The items of a transaction cannot exceed 4 MB together');
  }
}

async function restore(world: World, targets: readonly Target[], before: readonly (Item | undefined)[]): Promise<void> {
  for (const [index, { table, key }] of targets.entries()) {
    const item = before[index];
    const TableName = table.name;
    if (item === undefined) await world.engine.call('DeleteItem', { TableName, Key: key });
    else await world.engine.call('PutItem', { TableName, Item: item });
  }
}

function cancelled(reasons: readonly CancellationReason[]): AwsError {
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return new AwsError('TransactionCanceledException', message, 400, { CancellationReasons: reasons });
}
