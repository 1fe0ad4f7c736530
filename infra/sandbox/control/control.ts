import type { Ec2 } from '../ec2/ec2.ts';
import { flag, isRecord, list, number, type Params, record, required, text } from '../params.ts';
import { AwsError } from '../service.ts';
import type { SandboxState } from '../state.ts';
import type { HttpReply, HttpRequest } from '../wire.ts';
import { readFault } from './fault.ts';
import { functionsView, queuesView } from './views.ts';

interface ControlRequest {
  readonly body: unknown;
  readonly query: URLSearchParams;
  /** What follows the route's own part of the path. */
  readonly rest: string;
}

type Route = (state: SandboxState, request: ControlRequest) => unknown;

/** What is below `/_sandbox/`: looking into the sandbox and disturbing it. */
const routes: Readonly<Record<string, Route>> = {
  'GET calls': ({ calls }) => calls.calls,
  'DELETE calls': ({ calls }) => done(calls.clear()),
  'GET faults': plantedFaults,
  'POST faults': (state, { body }) => done(plantFaults(state, body)),
  'DELETE faults': ({ ec2, faults }) => {
    faults.clear();
    ec2.clearLags();
    return {};
  },
  'GET world': (state) => state.world(),
  'GET clock': ({ clock }) => ({ now: clock.now(), offsetSeconds: clock.offset() / 1000 }),
  'POST clock': ({ clock }, { body }) => {
    const seconds = number(map(body), 'advanceSeconds');
    if (seconds === undefined || seconds < 0) throw invalid('advanceSeconds is a number that is not negative');
    clock.advance(seconds);
    return { now: clock.now() };
  },
  'GET schedules': ({ schedules }) => schedules.names,
  'POST schedules': async ({ schedules }, { rest, query }) => {
    const { ended } = await schedules.run(rest);
    if (query.get('wait') === 'true') await ended;
    return { ran: rest };
  },
  'POST events': ({ bus, clock }, { body }) => ({
    events: (Array.isArray(body) ? body : [body]).map((event) => bus.publish(eventOf(map(event), clock.now()))),
  }),
  'POST routes': ({ ec2 }, { body }) => {
    ec2.plantRoute(required(map(body), 'RouteTableId'), texts(record(map(body), 'Route') ?? {}));
    return {};
  },
  'POST ec2': ({ ec2 }, { body }) => done(disturbEc2(ec2, map(body))),
  'POST deliveries': ({ deliveries }, { body }) => {
    deliveries.twice = flag(map(body), 'twice');
    return deliveries;
  },
  'GET idle': async ({ activity }, { query }) => {
    const left = await activity.idle(Number(query.get('timeout') ?? 60) * 1000);
    if (left.length > 0) throw new AwsError('NotIdle', `still in flight: ${left.join(', ')}`, 504);
    return { idle: true };
  },
  'GET queues': queuesView,
  'GET functions': functionsView,
};

/** Answers a control request; errors are `{ error, message }` with a status that fits. */
export async function answerControl(state: SandboxState, request: HttpRequest): Promise<HttpReply> {
  const [name = '', ...rest] = request.path.replace(/^\/_sandbox\//, '').split('/');
  const route = routes[`${request.method} ${name}`];
  try {
    if (!route)
      throw new AwsError(
        'NotFound',
        `there is no ${request.method} ${request.path}, only ${Object.keys(routes).join(', ')}`,
        404,
      );
    const body = request.body === '' ? {} : parsed(request.body);
    return json(200, await route(state, { body, query: request.query, rest: decodeURIComponent(rest.join('/')) }));
  } catch (error) {
    if (error instanceof AwsError) return json(error.status, { error: error.code, message: error.message });
    return json(400, { error: 'Failed', message: error instanceof Error ? error.message : String(error) });
  }
}

export function plantFaults(
  { ec2, faults, actions }: Pick<SandboxState, 'ec2' | 'faults' | 'actions'>,
  given: unknown,
): void {
  const planted = (Array.isArray(given) ? given : [given]).map((one) => readFault(one, actions));
  for (const fault of planted) {
    if (fault.lag === undefined) {
      faults.add(fault);
      continue;
    }
    const match = Object.fromEntries(Object.entries(fault.match ?? {}).map(([key, value]) => [key, String(value)]));
    ec2.lag({
      match,
      reads: fault.lag,
      ...(fault.action !== undefined && { action: fault.action }),
      ...(fault.backwards !== undefined && { backwards: fault.backwards }),
    });
  }
}

/** Late reads are EC2's own to keep; whoever planted them finds them among the other faults. */
function plantedFaults({ ec2, faults }: SandboxState): readonly Params[] {
  const late = ec2.lags.map(({ reads, ...lag }) => ({ service: 'ec2', ...lag, lag: reads }));
  return [...faults.list(), ...late];
}

function disturbEc2(ec2: Ec2, body: Params): void {
  const op = text(body, 'op');
  if (op === 'forgetInstance') ec2.forgetInstance(required(body, 'InstanceId'));
  else if (op === 'setRouteLimit') {
    const limit = number(body, 'limit');
    if (limit === undefined) throw invalid('limit is a number');
    ec2.setRouteLimit(text(body, 'RouteTableId'), limit);
  } else if (op === 'seed') ec2.seed(record(body, 'seed') ?? {});
  else if (op === 'throttle') ec2.throttle(flag(body, 'on'));
  else throw invalid(`op is one of forgetInstance, setRouteLimit, seed, throttle; not ${op}`);
}

function eventOf(event: Params, now: number) {
  const time = text(event, 'time');
  return {
    source: required(event, 'source'),
    detailType: required(event, 'detail-type'),
    time: time === undefined ? now : Date.parse(time),
    resources: list(event, 'resources').map(String),
    detail: record(event, 'detail') ?? {},
  };
}

function texts(members: Params): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]));
}

function done(_nothing: unknown): Params {
  return {};
}

function map(body: unknown): Params {
  if (!isRecord(body)) throw invalid('the body is a JSON object');
  return body;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw invalid(`the body is no JSON: ${cause instanceof Error ? cause.message : cause}`);
  }
}

function invalid(message: string): AwsError {
  return new AwsError('InvalidRequest', message);
}

function json(status: number, value: unknown): HttpReply {
  return { status, headers: { 'content-type': 'application/json' }, body: `${JSON.stringify(value, null, 1)}\n` };
}
