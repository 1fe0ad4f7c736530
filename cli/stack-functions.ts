/** Calls the functions of a deployed stack. Account, region and endpoint come from the usual AWS environment. */
import { InvokeCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import { UserError } from './exit.ts';

/** Functions that people call. */
type StackFunction = 'resync' | 'keep-leases';

export interface Stack {
  /** The members of the answer. A refused request (`{ok: false, error}`) and a function that failed are `UserError`s. */
  call(name: StackFunction, request: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
}

/** `config` is for a stack that the environment does not lead to. */
export function stackNamed(stack: string, config: LambdaClientConfig = {}): Stack {
  const client = new LambdaClient(config);
  return {
    async call(name, request) {
      const functionName = `${stack}-${name}`;
      const answer = await client
        .send(new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(request) }))
        .catch((error: unknown) => {
          throw new UserError(problemOf(error, functionName, stack), { cause: error });
        });
      const text = Buffer.from(answer.Payload ?? []).toString('utf8');
      if (answer.FunctionError !== undefined) throw new UserError(`${functionName}: failed: ${messageIn(text)}`);
      return accepted(parsed(text, functionName), functionName);
    },
  };
}

function parsed(text: string, functionName: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const problem = `${functionName}: gave an answer that is not JSON (got ${JSON.stringify(text.slice(0, 80))})`;
    throw new UserError(problem, { cause: error });
  }
}

function accepted(answer: unknown, functionName: string): Readonly<Record<string, unknown>> {
  if (typeof answer !== 'object' || answer === null || !('ok' in answer)) {
    throw new UserError(`${functionName}: gave no answer that is known here (got ${JSON.stringify(answer)})`);
  }
  if (answer.ok === true) return answer as Readonly<Record<string, unknown>>;
  const { field = '', message = '' } = (answer as { error?: { field?: string; message?: string } }).error ?? {};
  if (message === '') throw new UserError(`${functionName}: refused (got ${JSON.stringify(answer)})`);
  throw new UserError(field === '' || message.startsWith(`${field}:`) ? message : `${field}: ${message}`);
}

function problemOf(error: unknown, functionName: string, stack: string): string {
  const { name, message } = error as Error;
  // The SDK has no name for it.
  if (message === 'Region is missing') return 'AWS region: is missing: set AWS_REGION, or a region in the profile';
  switch (name) {
    case 'ResourceNotFoundException':
      return `--stack: there is no function ${functionName} in this account and region (got ${JSON.stringify(stack)})`;
    case 'CredentialsProviderError':
      return `AWS credentials: ${message}`;
    default:
      return `${functionName}: ${name}: ${message}`;
  }
}

/** The message in the payload of a function that threw. */
function messageIn(payload: string): string {
  try {
    const { errorType, errorMessage } = JSON.parse(payload) as { errorType?: string; errorMessage?: string };
    return [errorType, errorMessage].filter((part) => part !== undefined).join(': ');
  } catch {
    return payload.slice(0, 200);
  }
}
