/** Tables with the keys of the template's, on a third party's DynamoDB. */
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';

export async function createTables(client: Pick<DynamoDBClient, 'send'>, names: readonly string[]): Promise<void> {
  for (const TableName of names) {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      }),
    );
  }
}
