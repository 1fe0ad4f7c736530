import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DescribeRouteTablesCommand } from '@aws-sdk/client-ec2';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import {
  type ClientOptions,
  documentClient,
  ec2Client,
  ec2WriteClient,
  eventsClient,
  queueClient,
} from '../../../shared/aws/clients.ts';
import { type Answer, type Call, ec2Answer, json, scriptedEndpoint } from './scripted-endpoint.ts';

/** The shortest time-out of the template's functions, in milliseconds. */
const shortestTimeout = 30_000;

interface Client {
  readonly config: {
    readonly maxAttempts: () => Promise<number>;
    readonly requestHandler: object;
  };
  destroy(): void;
}

/** Each client with one call of it: its handler has no configuration before. */
const clients: Record<string, (options: ClientOptions) => { client: Client; call: () => Promise<unknown> }> = {
  ec2: (options) => {
    const client = ec2Client(options);
    return { client, call: () => client.send(new DescribeRouteTablesCommand({})) };
  },
  'ec2 writes': (options) => {
    const client = ec2WriteClient(options);
    return { client, call: () => client.send(new DescribeRouteTablesCommand({})) };
  },
  dynamodb: (options) => {
    const client = documentClient(options);
    return { client, call: () => client.send(new GetCommand({ TableName: 't', Key: { pk: 'a', sk: 'b' } })) };
  },
  events: (options) => {
    const client = eventsClient(options);
    return { client, call: () => client.send(new PutEventsCommand({ Entries: [] })) };
  },
  sqs: (options) => {
    const client = queueClient(options);
    return { client, call: () => client.send(new GetQueueUrlCommand({ QueueName: 'q' })) };
  },
};

function anything({ action, form }: Call): Answer {
  return form.size > 0 ? ec2Answer(action, '<routeTableSet/>') : json({});
}

function httpConfig({ config }: Client): Readonly<Record<string, unknown>> {
  const { requestHandler } = config as { requestHandler: { httpHandlerConfigs(): Record<string, unknown> } };
  return requestHandler.httpHandlerConfigs();
}

for (const [name, make] of Object.entries(clients)) {
  test(`H11: a black hole behind the endpoint fails well before a function is ended: ${name}`, async (t) => {
    const { options } = await scriptedEndpoint(t, anything);
    const { client, call } = make(options);
    t.after(() => client.destroy());
    await call();
    const attempts = await client.config.maxAttempts();
    const handler = httpConfig(client);
    const connect = Number(handler['connectionTimeout']);
    const request = Number(handler['requestTimeout']);
    assert.ok(connect > 0 && attempts * connect <= shortestTimeout / 3, `${attempts} times ${connect} ms`);
    assert.ok(request > connect && request <= shortestTimeout / 3, `${request} ms`);
    // Without it the SDK logs that the time is over and waits on.
    assert.equal(handler['throwOnRequestTimeout'], true);
  });

  test(`connections are used again: ${name}`, async (t) => {
    const { calls, options } = await scriptedEndpoint(t, anything);
    const { client, call } = make(options);
    t.after(() => client.destroy());
    await call();
    await call();
    assert.equal(calls.length, 2);
    assert.equal(new Set(calls.map(({ port }) => port)).size, 1);
  });
}

test('a route write is tried once, by the client itself', async () => {
  assert.equal(await ec2WriteClient({ region: 'eu-central-1' }).config.maxAttempts(), 1);
});
