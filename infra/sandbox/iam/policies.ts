import { isRecord, list, type Params, records, text } from '../params.ts';
import type { FunctionModel } from '../template/functions.ts';
import { TemplateError } from '../template/parse.ts';
import type { Resource, Stack } from '../template/stack.ts';
import { type Statement, statementsOf } from './statement.ts';

/** AWS's own policies that grant logs, traces and the polling that event source mappings do: nothing a function calls. */
const awsManaged = new Set([
  'AWSLambdaBasicExecutionRole',
  'AWSLambdaDynamoDBExecutionRole',
  'AWSLambdaSQSQueueExecutionRole',
  'AWSXRayDaemonWriteAccess',
  'AWSXrayWriteOnlyAccess',
  'CloudWatchLambdaInsightsExecutionRolePolicy',
]);

/** What a function's role allows: its `Role`, or the role that SAM makes of its `Policies`. */
export function functionStatements(model: FunctionModel, stack: Stack): readonly Statement[] {
  const roleArn = text(model.properties, 'Role');
  const given = model.properties['Policies'] ?? [];
  if (roleArn === undefined) {
    const policies = Array.isArray(given) ? given : [given];
    return policies.flatMap((policy, index) => ofSamPolicy(policy, `${model.logicalId}.Policies[${index}]`, stack));
  }
  const role = stack.resources.find((one) => one.type === 'AWS::IAM::Role' && one.arn === roleArn);
  if (!role) throw new TemplateError(`${model.logicalId}: the role ${roleArn} is not in the template`);
  return roleStatements(role, stack);
}

/** What a managed policy of the template allows, by its logical id. */
export function managedStatements(logicalId: string, stack: Stack): readonly Statement[] {
  const policy = stack.resources.find((one) => one.logicalId === logicalId);
  return policy ? statementsOf(policy.properties['PolicyDocument'], logicalId) : [];
}

function roleStatements(role: Resource, stack: Stack): readonly Statement[] {
  const { properties, logicalId } = role;
  const inline = records(properties, 'Policies').flatMap((policy) => statementsOf(policy['PolicyDocument'], logicalId));
  const managed = list(properties, 'ManagedPolicyArns').flatMap((one) => ofManaged(String(one), logicalId, stack));
  const attached = stack.resources
    .filter((one) => isAttached(one, role))
    .flatMap((one) => statementsOf(one.properties['PolicyDocument'], one.logicalId));
  return [...inline, ...managed, ...attached];
}

function isAttached({ type, properties }: Resource, role: Resource): boolean {
  return (
    ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].includes(type) && list(properties, 'Roles').includes(role.name)
  );
}

function ofSamPolicy(policy: unknown, where: string, stack: Stack): readonly Statement[] {
  if (typeof policy === 'string') return ofManaged(policy, where, stack);
  if (isRecord(policy) && 'Statement' in policy) return statementsOf(policy, where);
  const [name] = Object.keys((policy ?? {}) as Params);
  throw new TemplateError(`${where}: the SAM policy template ${name} is not understood, only statements are`);
}

function ofManaged(nameOrArn: string, where: string, stack: Stack): readonly Statement[] {
  const own = stack.resources.find((one) => one.type === 'AWS::IAM::ManagedPolicy' && one.arn === nameOrArn);
  if (own) return statementsOf(own.properties['PolicyDocument'], own.logicalId);
  if (awsManaged.has(nameOrArn.split('/').at(-1) ?? '')) return [];
  throw new TemplateError(`${where}: the managed policy ${nameOrArn} is not known`);
}
