/**
 * EC2's instance metadata service, version 2 only: a session token first, then reads by path.
 *
 * The token is a secret: it goes into one header and into no message. Proxies are never used, whatever the environment
 * says: the service is the link's own neighbour.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { backoff } from '../../shared/aws/backoff.ts';
import type { Clock } from '../../shared/reconcile/ports.ts';

export interface Imds {
  /** What stands at a path such as `/latest/meta-data/mac`; null: nothing does. @throws ImdsUnavailable */
  get(path: string): Promise<string | null>;
}

export class ImdsUnavailable extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(`${problem}; ${advice}`, options);
    this.name = 'ImdsUnavailable';
  }
}

const advice =
  "on EC2 a container needs the host's network or a metadata hop limit of 2, elsewhere --instance has to give the ARN";

/** IPv6 is asked where IPv4 does not answer: a subnet may have IPv6 only. */
const usualEndpoints = ['http://169.254.169.254', 'http://[fd00:ec2::254]'] as const;

/** The SDK's own settings, so that identity and credentials come from one service. */
export function imdsEndpoints(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const given = env['AWS_EC2_METADATA_SERVICE_ENDPOINT'];
  if (given) return [given.replace(/\/+$/, '')];
  const isIpv6 = env['AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE']?.toLowerCase() === 'ipv6';
  return isIpv6 ? usualEndpoints.toReversed() : usualEndpoints;
}

export interface ImdsOptions {
  readonly clock: Clock;
  /** In order of preference; the first that gives a token is kept. */
  readonly endpoints: readonly string[];
  /** Milliseconds of patience for one answer. */
  readonly timeout?: number;
  /** Rounds over all endpoints before it is given up. */
  readonly attempts?: number;
}

/** The longest that the service grants. */
const tokenSeconds = 21_600;

interface Session {
  readonly endpoint: string;
  readonly token: string;
}

export function openImds({ clock, endpoints, timeout = 2_000, attempts = 5 }: ImdsOptions): Imds {
  let session: Session | null = null;

  const openSession = async (): Promise<Session> => {
    const problems: string[] = [];
    for (const endpoint of endpoints) {
      try {
        const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': String(tokenSeconds) };
        const { status, body } = await ask('PUT', `${endpoint}/latest/api/token`, headers, timeout);
        if (status === 200 && body !== '') return { endpoint, token: body };
        if (status === 403) throw new ImdsUnavailable(`${endpoint} refuses: the metadata service is switched off`);
        problems.push(`${endpoint} answered ${status} to the request for a token`);
      } catch (error) {
        if (error instanceof ImdsUnavailable) throw error;
        problems.push(`${endpoint} does not answer (${reasonOf(error)})`);
      }
    }
    throw new Error(problems.join(', '));
  };

  const tryGet = async (path: string): Promise<string | null> => {
    session ??= await openSession();
    const { endpoint, token } = session;
    const { status, body } = await ask('GET', endpoint + path, { 'x-aws-ec2-metadata-token': token }, timeout);
    if (status === 200) return body;
    if (status === 404) return null;
    // A token ends with its time, and with the instance that was copied into an image.
    if (status === 401) session = null;
    throw new Error(`${endpoint}${path} answered ${status}`);
  };

  return {
    get: async (path) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await tryGet(path);
        } catch (error) {
          if (error instanceof ImdsUnavailable) throw error;
          if (attempt >= attempts) {
            throw new ImdsUnavailable(`the instance metadata service: ${reasonOf(error)}`, { cause: error });
          }
          await clock.sleep(backoff(attempt, 200, 2_000));
        }
      }
    },
  };
}

/** A pool of its own: Node's global one follows HTTP_PROXY where NODE_USE_ENV_PROXY is set. */
const pool = new Agent();

async function ask(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  timeout: number,
): Promise<{ status: number; body: string }> {
  const signal = AbortSignal.timeout(timeout);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { method, headers, signal, agent: pool }, resolve).on('error', reject).end();
  });
  return { status: response.statusCode ?? 0, body: await text(response) };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.name === 'AbortError' || error.name === 'TimeoutError' ? 'time-out' : error.message;
}
