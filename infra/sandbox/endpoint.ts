import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Dispatcher, Reply } from './dispatcher.ts';
import { AwsError } from './service.ts';
import type { Decoded, Encoding, HttpReply, HttpRequest } from './wire.ts';
import { decodeJson, jsonEncoding } from './wire-json.ts';
import { decodeLambda, lambdaEncoding } from './wire-lambda.ts';
import { decodeQuery, ec2Encoding } from './wire-query.ts';

export interface EndpointHandlers {
  readonly dispatcher: Pick<Dispatcher, 'call'>;
  /** Answers what is below `/_sandbox/`. */
  readonly control: (request: HttpRequest) => Promise<HttpReply>;
}

/**
 * One HTTP server for every service. It listens before there is anything to serve, because URLs of queues and the
 * functions' environment hold its port; requests that come before `serve` wait.
 */
export class Endpoint {
  readonly url: string;
  readonly port: number;
  readonly #server: Server;
  readonly #handlers: PromiseWithResolvers<EndpointHandlers>;

  constructor(server: Server, handlers: PromiseWithResolvers<EndpointHandlers>) {
    this.#server = server;
    this.#handlers = handlers;
    this.port = (server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}`;
  }

  /** `port` 0: a free one. Rejects when the port is taken. */
  static async listen(port: number): Promise<Endpoint> {
    const handlers = Promise.withResolvers<EndpointHandlers>();
    const server = createServer((request, response) => {
      void handlers.promise.then((ready) => respond(request, response, ready));
    });
    // Clients keep connections open; one that the server closes just as it is used again breaks a call.
    server.keepAliveTimeout = 600_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
    return new Endpoint(server, handlers);
  }

  serve(handlers: EndpointHandlers): void {
    this.#handlers.resolve(handlers);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

async function respond(message: IncomingMessage, response: ServerResponse, handlers: EndpointHandlers): Promise<void> {
  const request = await read(message);
  if (!request) return;
  if (request.path.startsWith('/_sandbox/')) {
    write(response, await handlers.control(request));
    return;
  }
  const requestId = randomUUID();
  const decoded = decode(request);
  if (decoded instanceof AwsError) {
    write(response, encodingFor(request).error(decoded, requestId));
    return;
  }
  const reply = await handlers.dispatcher.call(decoded, accessKeyOf(request));
  answer(response, reply, decoded.encoding, requestId);
}

function answer(response: ServerResponse, reply: Reply, encoding: Encoding, requestId: string): void {
  switch (reply.kind) {
    case 'answer':
      write(response, encoding.answer(reply.answer, requestId));
      break;
    case 'error':
      write(response, encoding.error(reply.error, requestId));
      break;
    case 'raw':
      write(response, { status: reply.status, headers: { 'content-type': encoding.contentType }, body: reply.body });
      break;
    case 'reset':
      response.socket?.destroy();
      break;
    case 'silence':
      // The client gives up in its own time; the server's close ends what is left.
      break;
  }
}

function write(response: ServerResponse, { status, headers, body }: HttpReply): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** Undefined when the client went away before its request was complete. */
async function read(message: IncomingMessage): Promise<HttpRequest | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk);
  } catch {
    return undefined;
  }
  const url = new URL(message.url ?? '/', 'http://127.0.0.1');
  const headers = Object.entries(message.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value[0] : value,
  ]);
  return {
    method: message.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function decode(request: HttpRequest): Decoded | AwsError {
  try {
    if (request.headers['x-amz-target'] !== undefined) return decodeJson(request);
    return request.path === '/' ? decodeQuery(request) : decodeLambda(request);
  } catch (error) {
    if (error instanceof AwsError) return error;
    throw error;
  }
}

/** How to spell an error when it is not even known which service was meant. */
function encodingFor(request: HttpRequest): Encoding {
  if (request.headers['x-amz-target'] !== undefined) {
    return jsonEncoding(request.headers['content-type'] ?? 'application/x-amz-json-1.0');
  }
  return request.path === '/' ? ec2Encoding('') : lambdaEncoding;
}

/** The access key id of the SigV4 credential, in the header or a presigned URL; the signature is not verified. */
function accessKeyOf({ headers, query }: HttpRequest): string {
  const credential = /Credential=([^/,\s]+)/.exec(headers['authorization'] ?? '')?.[1];
  return credential ?? query.get('X-Amz-Credential')?.split('/')[0] ?? 'anonymous';
}
