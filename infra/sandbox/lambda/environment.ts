import { sandboxRegion } from '../service.ts';
import type { FunctionModel } from '../template/functions.ts';

/** A call made with an access key of this form is a function's: `LAMBDA.<logical id>.<number of the process>`. */
export function functionAccessKey(logicalId: string, processNumber: number): string {
  return `LAMBDA.${logicalId}.${processNumber}`;
}

/**
 * The whole environment of a function's process: Lambda's own variables, then the template's. Nothing of the machine's
 * comes in but what a program needs to start, so that no profile or proxy of the developer's changes a run.
 */
export function functionEnvironment(
  model: FunctionModel,
  accessKeyId: string,
  endpoint: string,
): Readonly<Record<string, string>> {
  const lambda = {
    PATH: process.env['PATH'] ?? '',
    LANG: 'en_US.UTF-8',
    TZ: 'UTC',
    NODE_ENV: 'production',
    AWS_REGION: sandboxRegion,
    AWS_DEFAULT_REGION: sandboxRegion,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'sandbox',
    AWS_SESSION_TOKEN: 'sandbox',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL: endpoint,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: model.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(model.memoryMegabytes),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${model.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'sandbox',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    LAMBDA_TASK_ROOT: model.codeFolder,
    _HANDLER: model.handler,
  };
  return { ...lambda, ...model.environment };
}
