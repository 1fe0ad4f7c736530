/** Who may put messages into a queue by the queue's own policy, as far as EventBridge is concerned. */
import { isRecord, type Params, records } from '../params.ts';
import { sandboxAccount } from '../service.ts';
import { isAllowed, type Need } from './evaluate.ts';
import { type Statement, statementsOf } from './statement.ts';

export const events = 'events.amazonaws.com';

/** The need of a rule to do something with its target. */
export function needOfRule(ruleArn: string, action: string, resource: string): Need {
  const context = new Map([
    ['aws:sourcearn', [ruleArn]],
    ['aws:sourceaccount', [sandboxAccount]],
  ]);
  return { action, resource, context };
}

/** Whether the policies of a queue permit a rule's deliveries. */
export function permitsRule(policies: readonly unknown[], ruleArn: string, queueArn: string): boolean {
  const statements = policies.flatMap((policy) => statementsFor(policy, queueArn));
  return isAllowed(needOfRule(ruleArn, 'sqs:SendMessage', queueArn), statements);
}

/** Throws a `TemplateError` for what of a policy the sandbox could not enforce. */
export function checkQueuePolicy(policy: Params): void {
  statementsFor(policy, 'Policy');
}

/** The statements of a resource's policy that concern EventBridge. */
function statementsFor(document: unknown, where: string): readonly Statement[] {
  return records({ statements: isRecord(document) ? [document['Statement']].flat() : [] }, 'statements')
    .filter(({ Principal: principal }) => [principal, of(principal, 'AWS')].flat().includes('*') || isEvents(principal))
    .flatMap(({ Principal: _, ...statement }) => statementsOf({ Statement: statement }, where));
}

const isEvents = (principal: unknown) => [of(principal, 'Service')].flat().includes(events);

function of(principal: unknown, kind: string): unknown {
  return isRecord(principal) ? principal[kind] : undefined;
}
