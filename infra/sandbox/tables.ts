import type { DynamoDb } from './dynamodb/dynamodb.ts';
import type { TableDefinition } from './dynamodb/table-definition.ts';
import type { Params } from './params.ts';
import type { Stack } from './template/stack.ts';
import { worldItems } from './world.ts';

/**
 * Creates the template's tables; the one with the given logical id begins with a world's leases and configuration,
 * which make no stream records. Returns that table's name.
 */
export async function seedTables(
  stack: Stack,
  dynamodb: DynamoDb,
  { world, network, logicalId, now }: { world: Params; network: string; logicalId: string; now: number },
): Promise<string | undefined> {
  let leasesTable: string | undefined;
  for (const resource of stack.resources.filter((one) => one.type === 'AWS::DynamoDB::Table')) {
    const isLeases = resource.logicalId === logicalId;
    if (isLeases) leasesTable = resource.name;
    const Items = isLeases ? worldItems(world, network, now) : [];
    await dynamodb.seedTable({
      ...(resource.properties as unknown as TableDefinition),
      TableName: resource.name,
      Items,
    });
  }
  return leasesTable;
}
