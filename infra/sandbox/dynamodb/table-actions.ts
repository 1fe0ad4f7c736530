/** CreateTable, UpdateTable, DeleteTable and DescribeTable: dynalite's tables with the settings it does not know. */
import { setImmediate } from 'node:timers/promises';
import { AwsError } from '../service.ts';
import type { Params, Schema } from './engine.ts';
import type { StreamViewType } from './stream-record.ts';
import type { Table } from './tables.ts';
import type { World } from './world.ts';

const engineUpdates = ['BillingMode', 'ProvisionedThroughput', 'GlobalSecondaryIndexUpdates'];
const viewTypes = ['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES'];
/** Far above the few turns of the event loop that it takes. */
const patienceMs = 20_000;

/** The table is there when the answer is, although the answer says CREATING as DynamoDB's does. */
export async function createTable(world: World, params: Params): Promise<Params> {
  const { engine, tables, clock } = world;
  const viewType = wantedStream(params);
  const { TableDescription } = await engine.call('CreateTable', params);
  const table = tables.add(TableDescription as Schema, clock.now());
  await settled(world, table.name);
  if (Array.isArray(params['Tags']) && params['Tags'].length > 0) {
    await engine.call('TagResource', { ResourceArn: table.arn, Tags: params['Tags'] });
  }
  if (typeof viewType === 'string') world.streams.open(table.schema, viewType);
  takeSettings(table, params);
  return { TableDescription: { ...(await described(world, table)), TableStatus: 'CREATING' } };
}

export async function updateTable(world: World, params: Params): Promise<Params> {
  const { engine, streams } = world;
  const table = world.tables.get(params['TableName']);
  const indexUpdates = params['GlobalSecondaryIndexUpdates'];
  if (Array.isArray(indexUpdates) && indexUpdates.some((update) => update?.Create || update?.Delete)) {
    throw new AwsError('ValidationException', 'The sandbox neither adds an index to a table nor removes one');
  }
  const viewType = wantedStream(params);
  const hasStream = streams.current(table.name) !== undefined;
  if (typeof viewType === 'string' && hasStream) {
    throw new AwsError('ValidationException', `Table already has an enabled stream: TableName: ${table.name}`);
  }
  if (viewType === false && !hasStream) {
    throw new AwsError('ValidationException', `Table has no stream to disable: TableName: ${table.name}`);
  }
  if (engineUpdates.some((name) => params[name] !== undefined)) {
    await engine.call('UpdateTable', params);
    await settled(world, table.name);
  }
  if (typeof viewType === 'string') streams.open(table.schema, viewType);
  if (viewType === false) streams.end(table.name);
  takeSettings(table, params);
  return { TableDescription: { ...(await described(world, table)), TableStatus: 'UPDATING' } };
}

export async function deleteTable(world: World, params: Params): Promise<Params> {
  const { engine, tables, streams } = world;
  const table = tables.find(params['TableName']);
  if (table?.protectedFromDeletion) {
    throw new AwsError(
      'ValidationException',
      'Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.',
    );
  }
  const { TableDescription } = await engine.call('DeleteTable', params);
  await settled(world, String(params['TableName']));
  if (table !== undefined) {
    streams.end(table.name);
    tables.remove(table.name);
  }
  return { TableDescription };
}

export async function describeTable(world: World, params: Params): Promise<Params> {
  const table = world.tables.find(params['TableName']);
  return table === undefined ? world.engine.call('DescribeTable', params) : { Table: await described(world, table) };
}

async function described(world: World, table: Table): Promise<Params> {
  const { Table: description } = await world.engine.call('DescribeTable', { TableName: table.name });
  const stream = world.streams.current(table.name);
  return {
    ...(description as Params),
    CreationDateTime: table.createdAt / 1000,
    DeletionProtectionEnabled: table.protectedFromDeletion,
    ...(stream === undefined
      ? {}
      : {
          StreamSpecification: { StreamEnabled: true, StreamViewType: stream.viewType },
          LatestStreamArn: stream.arn,
          LatestStreamLabel: stream.label,
        }),
    ...(table.encryptedByKey === undefined
      ? {}
      : { SSEDescription: { Status: 'ENABLED', SSEType: 'KMS', KMSMasterKeyArn: table.encryptedByKey } }),
    ...(table.tableClass === undefined ? {} : { TableClassSummary: { TableClass: table.tableClass } }),
  };
}

/** The view type of the stream asked for, false for none wanted, undefined when nothing is said. */
function wantedStream(params: Params): StreamViewType | false | undefined {
  const specification = params['StreamSpecification'] as Params | undefined;
  if (specification === undefined || specification === null) return undefined;
  const { StreamEnabled, StreamViewType } = specification;
  if (StreamEnabled === false) return false;
  if (typeof StreamViewType === 'string' && viewTypes.includes(StreamViewType)) return StreamViewType as StreamViewType;
  throw new AwsError('ValidationException', `StreamViewType must be one of ${viewTypes.join(', ')}`);
}

function takeSettings(table: Table, params: Params): void {
  if (typeof params['DeletionProtectionEnabled'] === 'boolean') {
    table.protectedFromDeletion = params['DeletionProtectionEnabled'];
  }
  if (typeof params['TableClass'] === 'string') table.tableClass = params['TableClass'];
  const encryption = params['SSESpecification'] as Params | undefined;
  if (encryption?.['Enabled'] === true) {
    table.encryptedByKey = String(encryption['KMSMasterKeyId'] ?? 'alias/aws/dynamodb');
  }
  if (encryption?.['Enabled'] === false) table.encryptedByKey = undefined;
}

/** dynalite ends CREATING, UPDATING and DELETING by timers of 0 ms; a call must not fall in between. */
async function settled(world: World, tableName: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const status = await statusOf(world, tableName);
    if (status === undefined || status === 'ACTIVE') return;
    await setImmediate();
  }
  throw new AwsError('InternalServerError', `Table ${tableName} did not settle in ${patienceMs} ms`, 500);
}

async function statusOf(world: World, TableName: string): Promise<unknown> {
  try {
    const { Table: description } = await world.engine.call('DescribeTable', { TableName });
    return (description as Params)['TableStatus'];
  } catch (error) {
    if (error instanceof AwsError && error.code === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}
