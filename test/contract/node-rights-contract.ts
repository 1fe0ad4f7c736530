/** What the policy of nodes lets a node do, wherever policies are enforced. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DescribeInstancesCommand, DescribeRouteTablesCommand, type EC2Client } from '@aws-sdk/client-ec2';
import { type Differences, describeContract } from './describe-contract.ts';
import { arnOf } from './lease-samples.ts';

/** Clients of the instance `i-1`, whose role has the policy and nothing else; the tables of the template, empty. */
export interface NodeRightsSubject {
  readonly dynamodb: DynamoDBClient;
  readonly ec2: EC2Client;
  readonly tables: { readonly claims: string; readonly leases: string; readonly map: string };
}

const key = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });
const own = key(arnOf('i-1'), 'claim');
const head = key('network#default', 'head');

const denied = { name: 'AccessDeniedException' };

/** @param differs see `describeContract` */
export function runNodeRightsContract(
  name: string,
  make: (t: TestContext) => Promise<NodeRightsSubject>,
  differs: Differences = {},
): void {
  describeContract(name, make, differs, (contract) => {
    contract('lets a node claim, read the answer and the map, and go', async ({ dynamodb, tables }) => {
      const said = [];
      for (const command of [
        new PutItemCommand({ TableName: tables.claims, Item: own }),
        new GetItemCommand({ TableName: tables.claims, Key: { ...own, sk: { S: 'answer' } } }),
        new GetItemCommand({ TableName: tables.map, Key: head }),
        new DeleteItemCommand({ TableName: tables.claims, Key: own }),
      ]) {
        said.push(
          await dynamodb.send(command as GetItemCommand).then(
            () => 'allowed',
            (error: Error) => error.name,
          ),
        );
      }
      assert.deepEqual(said, ['allowed', 'allowed', 'allowed', 'allowed']);
    });

    contract('lets no node reach the claim of another, or the map of another network', async (subject) => {
      const { dynamodb, tables } = subject;
      const others = key(arnOf('i-2'), 'claim');
      const TableName = tables.claims;
      await assert.rejects(dynamodb.send(new GetItemCommand({ TableName, Key: others })), denied);
      await assert.rejects(dynamodb.send(new PutItemCommand({ TableName, Item: others })), denied);
      await assert.rejects(dynamodb.send(new DeleteItemCommand({ TableName, Key: others })), denied);
      const another = { TableName: tables.map, Key: key('network#another', 'head') };
      await assert.rejects(dynamodb.send(new GetItemCommand(another)), denied);
    });

    contract('lets no node list, collect or change claims', async ({ dynamodb, tables }) => {
      const TableName = tables.claims;
      const UpdateExpression = 'SET a = pk';
      await assert.rejects(dynamodb.send(new UpdateItemCommand({ TableName, Key: own, UpdateExpression })), denied);
      await assert.rejects(dynamodb.send(new ScanCommand({ TableName })), denied);
      const RequestItems = { [TableName]: { Keys: [own] } };
      await assert.rejects(dynamodb.send(new BatchGetItemCommand({ RequestItems })), denied);
      const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': own.pk } };
      await assert.rejects(dynamodb.send(new QueryCommand({ TableName, ...query })), denied);
    });

    contract('lets no node write the map or list it, or read leases', async ({ dynamodb, tables }) => {
      const TableName = tables.map;
      await assert.rejects(dynamodb.send(new PutItemCommand({ TableName, Item: head })), denied);
      await assert.rejects(dynamodb.send(new DeleteItemCommand({ TableName, Key: head })), denied);
      const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': head.pk } };
      await assert.rejects(dynamodb.send(new QueryCommand({ TableName, ...query })), denied);
      await assert.rejects(dynamodb.send(new GetItemCommand({ TableName: tables.leases, Key: head })), denied);
    });

    contract('lets no node call EC2', async ({ ec2 }) => {
      for (const command of [new DescribeRouteTablesCommand({}), new DescribeInstancesCommand({})]) {
        await assert.rejects(ec2.send(command as DescribeInstancesCommand), { name: 'UnauthorizedOperation' });
      }
    });
  });
}
