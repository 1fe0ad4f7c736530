/** Targets as `PutTargets` names them, refused where EventBridge refuses them. */
import { number, type Params, record, text } from '../params.ts';
import { AwsError } from '../service.ts';
import { ofTarget, targetOf as readTarget, type TargetModel } from '../template/rules.ts';

const inputs = ['Input', 'InputPath', 'InputTransformer'];

export function targetOf(target: Params): TargetModel {
  const id = text(target, 'Id') ?? '';
  const arn = text(target, 'Arn') ?? '';
  if (!/^[.\-_A-Za-z0-9]{1,64}$/.test(id)) throw constraint(id, 'targets.1.member.id');
  const stranger = Object.keys(target).find((key) => !ofTarget.includes(key));
  if (stranger !== undefined) throw invalid(`The sandbox does not understand ${stranger} of target ${id}.`);
  if (!/^arn:aws:(sqs:[^:]+:\d+:.+|lambda:[^:]+:\d+:function:.+)$/.test(arn)) {
    throw invalid(`Parameter ${arn} is not valid. Reason: the sandbox delivers to queues and functions.`);
  }
  if (inputs.filter((name) => target[name] !== undefined).length > 1) {
    throw invalid(`Only one of Input, InputPath, or InputTransformer must be provided for target ${id}.`);
  }
  checkInput(target, id);
  checkGroup(target, id, arn);
  checkRetries(record(target, 'RetryPolicy') ?? {});
  return readTarget(arn, target);
}

function checkInput(target: Params, id: string): void {
  const input = text(target, 'Input');
  if (input !== undefined) {
    try {
      JSON.parse(input);
    } catch {
      throw invalid(`JSON syntax error in input for target ${id}.`);
    }
  }
  const transformer = record(target, 'InputTransformer');
  if (transformer !== undefined && text(transformer, 'InputTemplate') === undefined) {
    throw constraint('null', 'targets.1.member.inputTransformer.inputTemplate');
  }
}

function checkGroup(target: Params, id: string, arn: string): void {
  const group = text(record(target, 'SqsParameters') ?? {}, 'MessageGroupId');
  const fifo = arn.endsWith('.fifo');
  if (fifo && group === undefined) {
    throw invalid(`Parameter(s) SqsParameters must be specified for target: ${id}.`);
  }
}

function checkRetries(policy: Params): void {
  const within = (name: string, least: number, most: number) => {
    const value = number(policy, name);
    if (value === undefined || (value >= least && value <= most)) return;
    throw constraint(String(value), `targets.1.member.retryPolicy.${name}`);
  };
  within('MaximumRetryAttempts', 0, 185);
  within('MaximumEventAgeInSeconds', 60, 86_400);
}

export const invalid = (message: string) => new AwsError('ValidationException', message);

export const constraint = (value: string, at: string) =>
  invalid(`1 validation error detected: Value '${value}' at '${at}' failed to satisfy constraint.`);
