import type { Faults } from './control/faults.ts';
import { faultError } from './dispatcher.ts';
import type { TargetPort } from './events/delivery.ts';
import { permitsRule } from './iam/queue-policy.ts';
import type { SendToQueue } from './lambda/asynchronous.ts';
import type { Lambda } from './lambda/lambda.ts';
import type { Params } from './params.ts';
import { AwsError } from './service.ts';
import type { Sqs } from './sqs/sqs.ts';

/** Puts records of failures into the template's queues. Throws `QueueDoesNotExist`. */
export function sendTo(sqs: Sqs): SendToQueue {
  return (queueArn, body, attributes = {}) => deliverTo(sqs, queueArn, body, attributes);
}

/**
 * What rules deliver to. Deliveries are no calls of anybody's, so they are not in the log, but faults befall them like
 * calls of the caller `events`.
 */
export function targetPort(parts: { sqs: Sqs; lambda: Lambda; faults: Faults; runsFunctions: boolean }): TargetPort {
  const { sqs, lambda, faults, runsFunctions } = parts;
  const fail = (service: string, action: string, params: Params) => {
    const fault = faults.take({ service, action, params }, ['events']);
    const error = fault && faultError(fault);
    if (error) throw error;
  };
  return {
    async invoke(functionArn, payload) {
      if (!runsFunctions) return { ended: Promise.resolve() };
      fail('lambda', 'Invoke', {
        FunctionName: functionArn.split(':').at(-1),
        InvocationType: 'Event',
        Payload: payload,
      });
      return lambda.handOver(functionArn, payload);
    },
    async send(ruleArn, queueArn, { body, attributes = {}, groupId }) {
      const name = queueArn.split(':').at(-1);
      fail('sqs', 'SendMessage', { QueueName: name, MessageBody: body });
      refuseUnlessPermitted(sqs, ruleArn, queueArn);
      deliverTo(sqs, queueArn, body, attributes, groupId);
    },
  };
}

/** Schedules of EventBridge Scheduler deliver by a role of their own; a queue without a policy takes from every rule. */
function refuseUnlessPermitted(sqs: Sqs, ruleArn: string, queueArn: string): void {
  const policy = sqs.byArn(queueArn)?.model.policy;
  if (policy === undefined || !ruleArn.startsWith('arn:aws:events:')) return;
  if (permitsRule([policy], ruleArn, queueArn)) return;
  throw new AwsError('AccessDeniedException', `The policy of ${queueArn} does not permit ${ruleArn} to send to it.`);
}

function deliverTo(
  sqs: Sqs,
  arn: string,
  body: string,
  attributes: Readonly<Record<string, string>>,
  groupId?: string,
): void {
  const queue = sqs.byArn(arn);
  if (!queue) throw new AwsError('QueueDoesNotExist', `The queue ${arn} does not exist.`);
  const wrapped = Object.entries(attributes).map(([name, value]) => [name, { DataType: 'String', StringValue: value }]);
  queue.send({
    body,
    attributes: Object.fromEntries(wrapped),
    senderId: 'events.amazonaws.com',
    ...(groupId !== undefined && { groupId }),
  });
}
