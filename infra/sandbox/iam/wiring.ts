import { list, text } from '../params.ts';
import type { FunctionModel } from '../template/functions.ts';
import type { MappingModel } from '../template/mappings.ts';
import { TemplateError } from '../template/parse.ts';
import { queueUrl } from '../template/resource-types.ts';
import type { RuleModel } from '../template/rules.ts';
import type { Stack } from '../template/stack.ts';
import { isAllowed } from './evaluate.ts';
import { functionStatements } from './policies.ts';
import { events, needOfRule, permitsRule } from './queue-policy.ts';
import { statementsOf } from './statement.ts';

export interface Wiring {
  readonly stack: Stack;
  readonly endpoint: string;
  readonly functions: readonly FunctionModel[];
  readonly rules: readonly RuleModel[];
  readonly mappings: readonly MappingModel[];
}

/**
 * Throws a `TemplateError` for a wire that AWS would deploy and then not carry: a rule without permission for its
 * target or dead-letter queue, a function whose role may not read its source or write its on-failure destination.
 * (Schedules of EventBridge Scheduler deliver by a role of their own, which is not checked.)
 */
export function checkWiring(wiring: Wiring): void {
  // SAM makes the permission together with a rule that it makes of a function's event.
  const isRule = (logicalId: string) =>
    wiring.stack.resources.some((one) => one.logicalId === logicalId && one.type === 'AWS::Events::Rule');
  for (const rule of wiring.rules) if (isRule(rule.logicalId)) checkRule(rule, wiring);
  for (const mapping of wiring.mappings) if (!mapping.bySam) checkMapping(mapping, wiring);
  for (const model of wiring.functions) {
    const { onFailureArn } = model.asynchronous;
    // SAM adds the right for a destination that stands in the function itself.
    const bySam = model.properties['EventInvokeConfig'] !== undefined;
    if (onFailureArn !== undefined && !bySam) checkRole(model, ['sqs:SendMessage'], onFailureArn, wiring.stack);
  }
}

function checkRule(rule: RuleModel, wiring: Wiring): void {
  for (const target of rule.targets) {
    const permitted = target.arn.includes(':function:')
      ? mayInvoke(rule, target.arn, wiring)
      : maySend(rule, target.arn, wiring);
    if (!permitted) throw new TemplateError(`${rule.logicalId}: nothing permits ${events} to deliver to ${target.arn}`);
    if (target.deadLetterArn !== undefined && !maySend(rule, target.deadLetterArn, wiring)) {
      throw new TemplateError(
        `${rule.logicalId}: nothing permits ${events} to send dead letters to ${target.deadLetterArn}`,
      );
    }
  }
}

function mayInvoke(rule: RuleModel, functionArn: string, { stack, functions }: Wiring): boolean {
  const target = functions.find((model) => model.arn === functionArn);
  const permissions = stack.resources.filter((one) => one.type === 'AWS::Lambda::Permission');
  // A function that is not in the template is found missing at delivery.
  return (
    target === undefined ||
    permissions.some(({ properties }) => {
      const source = text(properties, 'SourceArn') ?? '*';
      const statement = {
        Effect: 'Allow',
        Action: properties['Action'],
        Resource: '*',
        Condition: { ArnLike: { 'aws:SourceArn': source } },
      };
      return (
        [target.name, target.arn].includes(text(properties, 'FunctionName') ?? '') &&
        properties['Principal'] === events &&
        isAllowed(
          needOfRule(rule.arn, 'lambda:InvokeFunction', functionArn),
          statementsOf({ Statement: statement }, rule.logicalId),
        )
      );
    })
  );
}

function maySend(rule: RuleModel, queueArn: string, { stack, endpoint }: Wiring): boolean {
  const queue = stack.resources.find((one) => one.type === 'AWS::SQS::Queue' && one.arn === queueArn);
  if (!queue) return true;
  const policies = stack.resources.filter(
    ({ type, properties }) =>
      type === 'AWS::SQS::QueuePolicy' && list(properties, 'Queues').includes(queueUrl(endpoint, queue.name)),
  );
  const documents = policies.map(({ properties }) => properties['PolicyDocument']);
  return permitsRule(documents, rule.arn, queueArn);
}

const ofStreams = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
const ofQueues = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

function checkMapping(mapping: MappingModel, { functions, stack }: Wiring): void {
  const model = functions.find(({ name }) => name === mapping.functionName);
  if (!model) return;
  checkRole(model, mapping.sourceArn.includes(':sqs:') ? ofQueues : ofStreams, mapping.sourceArn, stack);
  if (mapping.onFailureArn !== undefined) checkRole(model, ['sqs:SendMessage'], mapping.onFailureArn, stack);
}

function checkRole(model: FunctionModel, actions: readonly string[], resource: string, stack: Stack): void {
  const statements = functionStatements(model, stack);
  for (const action of actions) {
    if (isAllowed({ action, resource, context: new Map() }, statements)) continue;
    throw new TemplateError(`${model.logicalId}: its role does not allow ${action} on ${resource}`);
  }
}
