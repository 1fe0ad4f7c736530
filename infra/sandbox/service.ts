/**
 * What an AWS service of the sandbox is, whatever wire protocol reaches it.
 *
 * The endpoint (`endpoint.ts`) decodes a request, records it, lets faults and policies have their say, calls the
 * service and encodes the answer; a service knows only parameters and answers.
 */

/** Who calls: taken from the access key in the request's SigV4 credential, never verified. */
export interface Caller {
  readonly accessKeyId: string;
  /** ARN of the principal, as `sts:GetCallerIdentity` prints it. */
  readonly arn: string;
  readonly account: string;
}

export interface ApiRequest {
  /** `ec2`, `dynamodb`, `streams.dynamodb`, `events`, `sqs`, `lambda`, `sts`. */
  readonly service: string;
  readonly action: string;
  /**
   * JSON services: the parsed body. Query services (EC2, STS): the parameters with `Name.1.Part` unfolded into arrays
   * and objects, keys as the API spells them, scalars still strings (`{ RouteTableId: ['rtb-1'], DryRun: 'true' }`).
   */
  readonly params: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
}

/** An error as AWS answers it; the endpoint puts it into the wire form of the service's protocol. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  /** Members beside the message (`CancellationReasons`, `Item`). */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, status = 400, members: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = code;
    this.code = code;
    this.status = status;
    this.members = members;
  }
}

export interface Service {
  readonly name: string;
  /** All that it knows. */
  readonly actions: readonly string[];
  /**
   * Answers one call, or throws an `AwsError`. Query services answer with the members as the API model names them
   * (`{ RouteTables: [...], NextToken }`); the endpoint knows how each list is spelt on the wire.
   */
  handle(request: ApiRequest): Promise<Readonly<Record<string, unknown>>>;
}

/** The sandbox's time: begins with real time, or a world's `now`, and runs with it, plus what `POST /_sandbox/clock` adds. */
export interface SandboxClock {
  /** Milliseconds since the epoch. */
  now(): number;
  advance(seconds: number): void;
}

/** An event on its way into the default event bus, before the bus gives it id, account and region. */
export interface SandboxEvent {
  readonly source: string;
  readonly detailType: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

export const sandboxAccount = '123456789012';
export const sandboxRegion = 'eu-central-1';
