/** The endpoints, the same over TCP and over the socket in the state directory. All are reads. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { agentMetrics } from './agent-metrics.ts';
import { type AgentReport, hindrances, sickness } from './agent-report.ts';
import { metricsContentType, metricsText } from './metrics-text.ts';
import { statusJson } from './status-json.ts';

const plain = 'text/plain; charset=utf-8';

export function answerRequest(report: () => AgentReport, request: IncomingMessage, response: ServerResponse): void {
  const { status, type, body } = answerTo(report, request.method ?? '', (request.url ?? '').split('?', 1)[0] ?? '');
  response.writeHead(status, {
    'content-type': type,
    'cache-control': 'no-store',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

export interface EndpointAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export function answerTo(report: () => AgentReport, method: string, path: string): EndpointAnswer {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, type: plain, body: 'only reads\n' };
  switch (path) {
    case '/healthz': {
      const problem = sickness(report());
      return { status: problem === null ? 200 : 503, type: plain, body: `${problem ?? 'ok'}\n` };
    }
    case '/readyz': {
      const problems = hindrances(report());
      return { status: problems.length === 0 ? 200 : 503, type: plain, body: `${problems.join('\n') || 'ok'}\n` };
    }
    case '/metrics':
      return { status: 200, type: metricsContentType, body: metricsText(agentMetrics(report())) };
    case '/status':
      return { status: 200, type: 'application/json', body: `${JSON.stringify(statusJson(report()))}\n` };
    default:
      return { status: 404, type: plain, body: 'there is /healthz, /readyz, /metrics and /status\n' };
  }
}
