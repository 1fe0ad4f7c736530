/** An HTTP endpoint that answers as a test says: for what no emulator does (pages in a circle, proxies, silence). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

export interface Call {
  /** EC2: the `Action` parameter. JSON services: the last part of `X-Amz-Target`. */
  readonly action: string;
  /** EC2: the form's parameters. */
  readonly form: URLSearchParams;
  /** JSON services: the body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The caller's port: the same one means the same connection. */
  readonly port: number | undefined;
}

export type Answer =
  | { readonly status?: number; readonly body: string; readonly type?: string }
  /** `reset`: the connection breaks. `silence`: no answer. `stall`: headers and no end. */
  | 'reset'
  | 'silence'
  | 'stall';

export interface ScriptedEndpoint {
  readonly calls: readonly Call[];
  readonly options: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
}

/** @param answer what to answer the call, whose index counts from 0 */
export async function scriptedEndpoint(
  t: TestContext,
  answer: (call: Call, index: number) => Answer,
): Promise<ScriptedEndpoint> {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const raw = await text(request);
    const target = request.headers['x-amz-target'];
    const isJson = typeof target === 'string';
    const form = new URLSearchParams(isJson ? '' : raw);
    const action = isJson ? (target.split('.').at(-1) ?? '') : (form.get('Action') ?? '');
    const call = { action, form, body: isJson ? JSON.parse(raw) : {}, port: request.socket.remotePort };
    calls.push(call);
    const what = answer(call, calls.length - 1);
    if (what === 'reset') request.socket.destroy();
    else if (what === 'stall') response.writeHead(200, { 'content-type': 'text/xml' }).write('<');
    else if (what !== 'silence') {
      const type = what.type ?? (isJson ? 'application/x-amz-json-1.0' : 'text/xml');
      response.writeHead(what.status ?? 200, { 'content-type': type }).end(what.body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    calls,
    options: {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    },
  };
}

/** An error as EC2 answers it. */
export function ec2Error(code: string, status = 400, message = `about ${code}`): Answer {
  const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, body: `<Response><Errors>${error}</Errors><RequestID>request</RequestID></Response>` };
}

export function ec2Answer(action: string, members: string): Answer {
  const namespace = 'http://ec2.amazonaws.com/doc/2016-11-15/';
  return { body: `<${action}Response xmlns="${namespace}"><requestId>r</requestId>${members}</${action}Response>` };
}

/** An error as the JSON services answer it. */
export function jsonError(code: string, status = 400, members: object = {}): Answer {
  return { status, body: JSON.stringify({ __type: `com.amazonaws#${code}`, message: `about ${code}`, ...members }) };
}

export function json(body: object): Answer {
  return { body: JSON.stringify(body) };
}
