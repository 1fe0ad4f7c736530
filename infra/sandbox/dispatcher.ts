import { setTimeout as wait } from 'node:timers/promises';
import type { Call, CallLog } from './control/calls.ts';
import type { Fault } from './control/fault.ts';
import type { Faults } from './control/faults.ts';
import { authorize } from './iam/authorize.ts';
import type { Callers, Principal } from './iam/callers.ts';
import type { Surroundings } from './iam/needs.ts';
import type { Params } from './params.ts';
import { type ApiRequest, AwsError, type SandboxClock, type Service } from './service.ts';

/** What the caller of an API call gets. `silence`: no answer, ever. `reset`: the connection breaks. */
export type Reply =
  | { readonly kind: 'answer'; readonly answer: Params }
  | { readonly kind: 'error'; readonly error: AwsError }
  | { readonly kind: 'raw'; readonly status: number; readonly body: string }
  | { readonly kind: 'silence' }
  | { readonly kind: 'reset' };

export interface DispatcherOptions {
  readonly services: readonly Service[];
  readonly callers: Callers;
  readonly surroundings: Surroundings;
  readonly faults: Faults;
  readonly calls: CallLog;
  readonly clock: SandboxClock;
  /** Ends the function process that owns the access key. */
  readonly kill: (accessKeyId: string) => Promise<void>;
}

/** The way of every API call: recorded, befallen by faults, judged by policies, carried out. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #services: ReadonlyMap<string, Service>;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#services = new Map(options.services.map((service) => [service.name, service]));
  }

  async call(wanted: Omit<ApiRequest, 'caller'>, accessKeyId: string): Promise<Reply> {
    const { callers, calls, clock, faults } = this.#options;
    const principal = callers.principal(accessKeyId);
    const request: ApiRequest = { ...wanted, caller: principal.caller };
    const call = calls.add({
      service: request.service,
      action: request.action,
      parameters: request.params,
      time: clock.now(),
      caller: accessKeyId,
      ...(principal.functionName !== undefined && { function: principal.functionName }),
    });
    const fault = faults.take(request, namesOf(principal));
    if (fault && fault.delayMs > 0) await wait(fault.delayMs);
    const instead = fault && !fault.after ? await this.#befall(fault, accessKeyId) : undefined;
    if (instead) return finish(call, instead, false);
    const reply = await this.#carryOut(request, principal);
    const lost = fault?.after ? ((await this.#befall(fault, accessKeyId)) ?? { kind: 'reset' as const }) : undefined;
    return finish(call, lost ?? reply, reply.kind === 'answer');
  }

  async #carryOut(request: ApiRequest, principal: Principal): Promise<Reply> {
    const { surroundings, faults } = this.#options;
    try {
      authorize(request, principal, surroundings);
      const service = this.#services.get(request.service);
      if (!service) throw new AwsError('UnknownOperationException', `The sandbox has no service ${request.service}.`);
      const answer = await service.handle(request);
      faults.pages.answered(request, answer);
      return { kind: 'answer', answer };
    } catch (error) {
      if (error instanceof AwsError) return { kind: 'error', error };
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return { kind: 'error', error: new AwsError('InternalFailure', `The sandbox failed: ${message}`, 500) };
    }
  }

  /** What a fault gives in place of the answer; nothing when it only delays. */
  async #befall(fault: Fault, accessKeyId: string): Promise<Reply | undefined> {
    if (fault.kill) {
      await this.#options.kill(accessKeyId);
      return { kind: 'reset' };
    }
    if (fault.hang) return { kind: 'silence' };
    const error = faultError(fault);
    if (error) return { kind: 'error', error };
    return fault.body === undefined ? undefined : { kind: 'raw', status: fault.status ?? 200, body: fault.body };
  }
}

/** Statuses of errors that AWS answers otherwise than with 400. */
const statuses: Readonly<Record<string, number>> = {
  RequestLimitExceeded: 503,
  Unavailable: 503,
  ServiceUnavailable: 503,
  InternalError: 500,
  InternalFailure: 500,
  InternalServerError: 500,
  UnauthorizedOperation: 403,
  TooManyRequestsException: 429,
};

export function faultError(fault: Fault): AwsError | undefined {
  if (fault.error === undefined) return undefined;
  const message = fault.message ?? `${fault.error}, as a fault of the sandbox asked for.`;
  return new AwsError(fault.error, message, fault.status ?? statuses[fault.error] ?? 400);
}

function namesOf({ caller, functionName }: Principal): readonly string[] {
  const [, logicalId] = /^LAMBDA\.([^.]+)\./.exec(caller.accessKeyId) ?? [];
  return [caller.accessKeyId, functionName, logicalId].filter((name) => name !== undefined);
}

function finish(call: Call, reply: Reply, carriedOut: boolean): Reply {
  call.outcome = { ...told(reply), carriedOut };
  return reply;
}

function told(reply: Reply): { status: number; error?: string } {
  switch (reply.kind) {
    case 'answer':
      return { status: 200 };
    case 'error':
      return { status: reply.error.status, error: reply.error.code };
    case 'raw':
      return { status: reply.status };
    case 'silence':
      return { status: 0, error: 'NoAnswer' };
    case 'reset':
      return { status: 0, error: 'ConnectionReset' };
  }
}
