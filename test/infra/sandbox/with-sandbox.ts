import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { STSClient } from '@aws-sdk/client-sts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../infra/sandbox/sandbox.ts';

export const fixtureTemplate = fileURLToPath(new URL('./fixtures/template.yaml', import.meta.url));

/** How a client is told where the sandbox is and who calls; one attempt, so that an injected fault is seen. */
export function clientConfig(sandbox: Pick<Sandbox, 'url'>, accessKeyId = 'admin') {
  return {
    endpoint: sandbox.url,
    region: 'eu-central-1',
    credentials: { accessKeyId, secretAccessKey: 'x' },
    maxAttempts: 1,
  };
}

/** A sandbox of the fixture template for one test file, with short waits, closed at its end. */
export async function fixtureSandbox(options: Partial<SandboxOptions> = {}) {
  const sandbox = await startSandbox({
    templateFile: fixtureTemplate,
    stackName: 'fixture',
    transitionMs: 1,
    asyncRetrySeconds: [0.01, 0.01],
    streamRetryMs: 1,
    deliveryRetryMs: 1,
    ...options,
  });
  after(() => sandbox.close());
  return sandbox;
}

export function clients(sandbox: Pick<Sandbox, 'url'>, accessKeyId?: string) {
  const config = clientConfig(sandbox, accessKeyId);
  return {
    dynamodb: new DynamoDBClient(config),
    ec2: new EC2Client(config),
    events: new EventBridgeClient(config),
    lambda: new LambdaClient(config),
    sqs: new SQSClient(config),
    sts: new STSClient(config),
  };
}

/** Asks the sandbox's control endpoint. Throws what it refuses. */
export async function control(
  sandbox: Pick<Sandbox, 'url'>,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}
