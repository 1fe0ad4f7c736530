import { isRecord, type Params, record, records, text } from '../params.ts';
import { type ApiRequest, sandboxAccount, sandboxRegion } from '../service.ts';
import type { Context, Need } from './evaluate.ts';

/** What IAM must know of the world to judge a call. */
export interface Surroundings {
  /** Tags of an EC2 resource. */
  tags(resourceId: string): Readonly<Record<string, string>>;
  /** Partition key attribute of a table. */
  partitionKey(table: string): string;
}

/** Everything a call needs permission for; a call of many items needs it for each. */
export function needsOf(request: ApiRequest, caller: Context, surroundings: Surroundings): readonly Need[] {
  const context = new Map([...caller, ['aws:requestedregion', [sandboxRegion]]]);
  const needs = perService[request.service]?.(request, surroundings) ?? [];
  return needs.map((need) => ({ ...need, context: new Map([...context, ...need.context]) }));
}

type Needs = (request: ApiRequest, surroundings: Surroundings) => readonly Need[];

const none: Context = new Map();
const arn = (service: string, rest: string) => `arn:aws:${service}:${sandboxRegion}:${sandboxAccount}:${rest}`;

const perService: Readonly<Record<string, Needs>> = {
  dynamodb: dynamoDbNeeds,
  'streams.dynamodb': ({ action, params }) => [
    { action: `dynamodb:${action}`, resource: text(params, 'StreamArn') ?? '*', context: none },
  ],
  ec2: ec2Needs,
  events: ({ action, params }) => {
    const rule = text(params, 'Rule') ?? text(params, 'Name');
    if (action !== 'PutEvents') {
      const resource = rule === undefined ? '*' : arn('events', `rule/${rule}`);
      return [{ action: `events:${action}`, resource, context: none }];
    }
    return records(params, 'Entries').map((entry: Params) => ({
      action: `events:${action}`,
      resource: arn('events', `event-bus/${(text(entry, 'EventBusName') ?? 'default').split('/').at(-1)}`),
      context: new Map([
        ['events:source', [text(entry, 'Source') ?? '']],
        ['events:detail-type', [text(entry, 'DetailType') ?? '']],
      ]),
    }));
  },
  sqs: ({ action, params }) => {
    const queue = text(params, 'QueueUrl')?.split('/').at(-1) ?? text(params, 'QueueName');
    const single = action.replace(/Batch$/, '');
    return [{ action: `sqs:${single}`, resource: queue === undefined ? '*' : arn('sqs', queue), context: none }];
  },
  lambda: ({ action, params }) => {
    const name = text(params, 'FunctionName')?.split(':').at(-1) ?? '*';
    return [
      {
        action: `lambda:${action === 'Invoke' ? 'InvokeFunction' : action}`,
        resource: arn('lambda', `function:${name}`),
        context: none,
      },
    ];
  },
  // Anyone may ask who he is.
  sts: () => [],
};

function dynamoDbNeeds({ action, params }: ApiRequest, surroundings: Surroundings): readonly Need[] {
  if (action.startsWith('Transact')) {
    return records(params, 'TransactItems').flatMap((item) =>
      Object.entries(item).flatMap(([kind, part]) =>
        isRecord(part) ? itemNeed(transactAction(kind), part, surroundings) : [],
      ),
    );
  }
  if (action.startsWith('Batch')) {
    return Object.entries(record(params, 'RequestItems') ?? {}).map(([table, requests]) => ({
      action: `dynamodb:${action}`,
      resource: tableArn(table),
      context: leadingKeys(batchKeys(requests), table, surroundings),
    }));
  }
  return [itemNeed(action, params, surroundings)];
}

function transactAction(kind: string): string {
  return kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`;
}

function itemNeed(action: string, params: Params, surroundings: Surroundings): Need {
  const table = text(params, 'TableName');
  if (table === undefined) return { action: `dynamodb:${action}`, resource: '*', context: none };
  const key = record(params, 'Key') ?? record(params, 'Item') ?? queriedKey(params, table, surroundings);
  return {
    action: `dynamodb:${action}`,
    resource: tableArn(table),
    context: leadingKeys(key ? [key] : [], table, surroundings),
  };
}

function batchKeys(requests: unknown): readonly Params[] {
  if (isRecord(requests)) return records(requests, 'Keys');
  return (Array.isArray(requests) ? requests : []).filter(isRecord).flatMap((request: Params): readonly Params[] => {
    const put = record(request, 'PutRequest');
    const removed = record(request, 'DeleteRequest');
    return [put && record(put, 'Item'), removed && record(removed, 'Key')].filter((key) => key !== undefined);
  });
}

/** The partition key that a query's condition pins with `=`. */
function queriedKey(params: Params, table: string, surroundings: Surroundings): Params | undefined {
  const condition = text(params, 'KeyConditionExpression');
  if (condition === undefined) return undefined;
  const names = record(params, 'ExpressionAttributeNames') ?? {};
  const values = record(params, 'ExpressionAttributeValues') ?? {};
  const wanted = surroundings.partitionKey(table);
  for (const [, name = '', value = ''] of condition.matchAll(/([#\w]+)\s*=\s*(:\w+)/g)) {
    if ((names[name] ?? name) === wanted) return { [wanted]: values[value] };
  }
  return undefined;
}

function leadingKeys(keys: readonly Params[], table: string, surroundings: Surroundings): Context {
  const attribute = surroundings.partitionKey(table);
  const values = keys.flatMap((key) => {
    const value = record(key, attribute) ?? {};
    return text(value, 'S') ?? text(value, 'N') ?? text(value, 'B') ?? [];
  });
  return values.length === 0 ? none : new Map([['dynamodb:leadingkeys', values]]);
}

function tableArn(nameOrArn: string): string {
  return nameOrArn.startsWith('arn:') ? nameOrArn : arn('dynamodb', `table/${nameOrArn}`);
}

/** Parameters of writes that name the resource IAM judges, and the word for it in an ARN. */
const ec2Resources: Readonly<Record<string, string>> = {
  RouteTableId: 'route-table',
  NetworkInterfaceId: 'network-interface',
  InstanceId: 'instance',
};

const onRouteTables = new Set([
  'CreateRoute',
  'ReplaceRoute',
  'DeleteRoute',
  'DeleteRouteTable',
  'AssociateRouteTable',
]);

function ec2Needs({ action, params }: ApiRequest, surroundings: Surroundings): readonly Need[] {
  const name = `ec2:${action}`;
  if (action.startsWith('Describe') || action.startsWith('Get'))
    return [{ action: name, resource: '*', context: none }];
  // A route's next hop is a parameter; the resource of the call is the table alone.
  const keys = onRouteTables.has(action) ? ['RouteTableId'] : Object.keys(ec2Resources);
  const needs = keys.flatMap((key) =>
    [params[key] ?? []].flat().map((id): Need => {
      const tags = Object.entries(surroundings.tags(String(id)));
      const context = new Map(tags.map(([tag, value]) => [`ec2:resourcetag/${tag}`.toLowerCase(), [value]]));
      return { action: name, resource: arn('ec2', `${ec2Resources[key]}/${id}`), context };
    }),
  );
  return needs.length > 0 ? needs : [{ action: name, resource: '*', context: none }];
}
