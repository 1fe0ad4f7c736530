/** A table as a template or a test states it. */
import type { Item } from './attribute-value.ts';
import { updateContinuousBackups } from './continuous-backups.ts';
import type { Params } from './engine.ts';
import { createTable } from './table-actions.ts';
import { updateTimeToLive } from './time-to-live.ts';
import type { World } from './world.ts';

/** The properties of `AWS::DynamoDB::Table`, and items to begin with. */
export interface TableDefinition {
  readonly TableName: string;
  readonly KeySchema: readonly { readonly AttributeName: string; readonly KeyType: string }[];
  readonly AttributeDefinitions: readonly { readonly AttributeName: string; readonly AttributeType: string }[];
  /** PAY_PER_REQUEST unless said otherwise. */
  readonly BillingMode?: string;
  readonly StreamSpecification?: { readonly StreamViewType: string };
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean };
  readonly PointInTimeRecoverySpecification?: { readonly PointInTimeRecoveryEnabled: boolean };
  readonly SSESpecification?: { readonly SSEEnabled: boolean };
  readonly DeletionProtectionEnabled?: boolean;
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
  readonly Items?: readonly Item[];
}

export async function seedTable(world: World, definition: TableDefinition): Promise<void> {
  const { Items, TimeToLiveSpecification, PointInTimeRecoverySpecification, SSESpecification, ...properties } =
    definition;
  const table: Params = {
    BillingMode: 'PAY_PER_REQUEST',
    ...properties,
    ...(SSESpecification === undefined ? {} : { SSESpecification: { Enabled: SSESpecification.SSEEnabled } }),
  };
  const { TableName } = definition;
  await createTable(world, table);
  if (TimeToLiveSpecification?.Enabled) updateTimeToLive(world, { TableName, TimeToLiveSpecification });
  if (PointInTimeRecoverySpecification !== undefined) {
    updateContinuousBackups(world, { TableName, PointInTimeRecoverySpecification });
  }
  for (const item of Items ?? []) await world.engine.call('PutItem', { TableName, Item: item });
}
