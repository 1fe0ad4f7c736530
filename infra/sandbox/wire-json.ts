import { isRecord } from './params.ts';
import { AwsError } from './service.ts';
import type { Decoded, Encoding, HttpRequest } from './wire.ts';

/** Services that name the action in `X-Amz-Target`, by its prefix. */
const services: Readonly<Record<string, string>> = {
  DynamoDB_20120810: 'dynamodb',
  DynamoDBStreams_20120810: 'streams.dynamodb',
  AWSEvents: 'events',
  AmazonSQS: 'sqs',
};

/** SQS clients older than its JSON protocol know errors by these names, which travel in a header. */
const sqsQueryErrors: Readonly<Record<string, string>> = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  QueueNameExists: 'QueueAlreadyExists',
  QueueDeletedRecently: 'AWS.SimpleQueueService.QueueDeletedRecently',
  ReceiptHandleIsInvalid: 'ReceiptHandleIsInvalid',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
};

/** Decodes a call of an AWS JSON protocol (1.0 and 1.1). Throws an `AwsError` for a service or body it does not know. */
export function decodeJson(request: HttpRequest): Decoded {
  const [prefix = '', action = ''] = (request.headers['x-amz-target'] ?? '').split('.');
  const service = services[prefix];
  if (service === undefined) {
    throw new AwsError('UnknownOperationException', `The sandbox has no service for the target ${prefix}.${action}.`);
  }
  const encoding = jsonEncoding(request.headers['content-type'] ?? 'application/x-amz-json-1.0', service);
  return { service, action, params: parsed(request.body), encoding };
}

function parsed(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body === '' ? '{}' : body);
    if (isRecord(value)) return value;
  } catch {
    // Answered below, together with JSON that is no object.
  }
  throw new AwsError('SerializationException', 'The body is no JSON object.');
}

export function jsonEncoding(contentType: string, service?: string): Encoding {
  return {
    contentType,
    answer: (answer, requestId) => ({
      status: 200,
      headers: headers(contentType, requestId),
      body: JSON.stringify(answer),
    }),
    error(error, requestId) {
      const query = service === 'sqs' ? (sqsQueryErrors[error.code] ?? error.code) : undefined;
      return {
        status: error.status,
        headers: {
          ...headers(contentType, requestId),
          'x-amzn-errortype': error.code,
          ...(query !== undefined && {
            'x-amzn-query-error': `${query};${error.status < 500 ? 'Sender' : 'Receiver'}`,
          }),
        },
        body: JSON.stringify({ __type: typeOf(error.code, service), message: error.message, ...error.members }),
      };
    },
  };
}

function typeOf(code: string, service: string | undefined): string {
  if (service === 'dynamodb') return `com.amazonaws.dynamodb.v20120810#${code}`;
  return service === 'sqs' ? `com.amazonaws.sqs#${code}` : code;
}

function headers(contentType: string, requestId: string): Readonly<Record<string, string>> {
  return { 'content-type': contentType, 'x-amzn-requestid': requestId };
}
