import { text } from './params.ts';
import { AwsError } from './service.ts';
import type { Decoded, Encoding, HttpRequest } from './wire.ts';

const functions = /^\/2015-03-31\/functions(?:\/([^/]*)(\/invocations|\/configuration)?)?\/?$/;

/** Decodes a call of Lambda's REST protocol. Throws an `AwsError` for a path it does not know. */
export function decodeLambda({ method, path, headers, body }: HttpRequest): Decoded {
  const [, name = '', part = ''] = functions.exec(path) ?? [];
  const FunctionName = decodeURIComponent(name);
  const of = (action: string, params: Readonly<Record<string, unknown>>) => ({
    service: 'lambda',
    action,
    params,
    encoding: lambdaEncoding,
  });
  if (method === 'POST' && part === '/invocations') {
    const type = headers['x-amz-invocation-type'];
    const log = headers['x-amz-log-type'];
    return of('Invoke', {
      FunctionName,
      Payload: body,
      ...(type !== undefined && { InvocationType: type }),
      ...(log !== undefined && { LogType: log }),
    });
  }
  if (method === 'GET' && part === '/configuration') return of('GetFunctionConfiguration', { FunctionName });
  if (method === 'GET' && part === '' && name !== '') return of('GetFunction', { FunctionName });
  if (method === 'GET' && functions.test(path) && name === '') return of('ListFunctions', {});
  throw new AwsError('UnknownOperationException', `The sandbox's Lambda has nothing at ${method} ${path}.`, 404);
}

export const lambdaEncoding: Encoding = {
  contentType: 'application/json',
  answer(answer, requestId) {
    const status = answer['StatusCode'];
    if (typeof status !== 'number') return { status: 200, headers: headersOf(requestId), body: JSON.stringify(answer) };
    const failed = text(answer, 'FunctionError');
    const version = text(answer, 'ExecutedVersion');
    const log = text(answer, 'LogResult');
    return {
      status,
      headers: {
        ...headersOf(requestId),
        ...(failed !== undefined && { 'x-amz-function-error': failed }),
        ...(version !== undefined && { 'x-amz-executed-version': version }),
        ...(log !== undefined && { 'x-amz-log-result': log }),
      },
      body: text(answer, 'Payload') ?? '',
    };
  },
  error: (error, requestId) => ({
    status: error.status,
    headers: { ...headersOf(requestId), 'x-amzn-errortype': error.code },
    body: JSON.stringify({ message: error.message, ...error.members }),
  }),
};

function headersOf(requestId: string): Readonly<Record<string, string>> {
  return { 'content-type': 'application/json', 'x-amzn-requestid': requestId };
}
