/** EC2's error codes and texts that several actions share; those of one action stand beside it. */
import { AwsError } from '../service.ts';

export const missingParameter = (name: string) =>
  new AwsError('MissingParameter', `The request must contain the parameter ${name}`);

const wireParameter = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

/** `InvalidParameterValue` in EC2's usual words. `parameter` may come in either case. */
export const invalidValue = (parameter: string, value: string, why = '') =>
  new AwsError(
    'InvalidParameterValue',
    `Value (${value}) for parameter ${wireParameter(parameter)} is invalid. ${why}`.trimEnd(),
  );

export const invalidParameter = (message: string) => new AwsError('InvalidParameterValue', message);

export const invalidCombination = (message: string) => new AwsError('InvalidParameterCombination', message);

export const dependencyViolation = (kind: string, id: string) =>
  new AwsError('DependencyViolation', `The ${kind} '${id}' has dependencies and cannot be deleted.`);

/** Text of AWS itself, for CreateRoute as for ModifyInstanceAttribute. */
export const severalInterfaces = (instanceId: string) =>
  new AwsError(
    'InvalidInstanceID',
    `There are multiple interfaces attached to instance '${instanceId}'. Please specify an interface ID for the operation instead.`,
  );
