/**
 * The SDK's clients, made in one place: reused connections, short time-outs, few attempts.
 *
 * A function keeps its clients over invocations and hands each adapter the signal of its present deadline. Region,
 * credentials and endpoints (`AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_EC2`) come from the SDK's own environment.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export interface ClientOptions {
  readonly region?: string;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * A function that cannot reach an endpoint (wrong subnet, no NAT gateway) must say so well before it is itself ended:
 * three attempts at a black hole are six seconds.
 */
const http = {
  connectionTimeout: 2_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
  httpsAgent: { keepAlive: true, maxSockets: 50 },
} as const;

/** The SDK's standard mode waits with full jitter between attempts. */
const standard = { retryMode: 'standard', maxAttempts: 3, requestHandler: http } as const;

/** Reads, and what may be repeated at will. */
export function ec2Client(options: ClientOptions = {}): EC2Client {
  // A page of a hundred tables with all their routes takes a moment.
  return new EC2Client({ ...standard, ...options, requestHandler: { ...http, requestTimeout: 10_000 } });
}

/**
 * Writes of routes, once each: the reconcile paces them by EC2's own budget and wants to hear of a throttle at once, not
 * after the SDK has spent two more calls of that budget on it.
 */
export function ec2WriteClient(options: ClientOptions = {}): EC2Client {
  return new EC2Client({ ...standard, ...options, maxAttempts: 1 });
}

export function documentClient(options: ClientOptions = {}): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient({ ...standard, ...options }), {
    marshallOptions: { removeUndefinedValues: true },
    // Nodes write claims as they like: a number that JavaScript cannot hold must reach the validation, not throw here.
    unmarshallOptions: { wrapNumbers: (text: string) => Number(text) },
  });
}

export function eventsClient(options: ClientOptions = {}): EventBridgeClient {
  return new EventBridgeClient({ ...standard, ...options });
}

export function queueClient(options: ClientOptions = {}): SQSClient {
  return new SQSClient({ ...standard, ...options });
}
