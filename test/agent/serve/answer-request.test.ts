import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentReport } from '../../../agent/serve/agent-report.ts';
import { answerTo } from '../../../agent/serve/answer-request.ts';
import { report, status } from './report.ts';

const get = (path: string, more: Partial<AgentReport> = {}) => answerTo(() => ({ ...report, ...more }), 'GET', path);
const pass = (more: Partial<typeof status>, at = report.now) => ({ pass: { status: { ...status, ...more }, at } });

test('health is the loop going on, whatever it finds', () => {
  assert.equal(get('/healthz').status, 200);
  assert.equal(get('/healthz', pass({ ready: false, problems: ['ens5 is gone'] })).status, 200);
  assert.equal(get('/healthz', { pass: null }).status, 200, 'before the first map');
});

test('a loop that stands still is not healthy', () => {
  const { status: code, body } = get('/healthz', pass({}, report.now - 125_000));
  assert.deepEqual([code, body], [503, 'no pass for 125 s\n']);
});

test('readiness is the pass being complete, and says what is missing', () => {
  assert.deepEqual(get('/readyz'), { status: 200, type: 'text/plain; charset=utf-8', body: 'ok\n' });
  const claim = report.claim && { ...report.claim, problems: ['the claim is refused: out of subnets'] };
  const notReady = get('/readyz', { ...pass({ ready: false, problems: ['ens5 is gone'] }), claim });
  assert.deepEqual([notReady.status, notReady.body], [503, 'the claim is refused: out of subnets\nens5 is gone\n']);
  assert.deepEqual(get('/readyz', { pass: null, claim: null }).body, 'no map was applied yet\n');
});

test('a ready node stays ready while the map cannot be read: nothing is withdrawn', () => {
  assert.equal(get('/readyz', { map: { problem: 'connect ECONNREFUSED', readAt: 1 } }).status, 200);
});

test('the status has the members of the contract', () => {
  const body = JSON.parse(get('/status').body);
  assert.deepEqual(Object.keys(body).slice(0, 3), ['ready', 'revision', 'leases']);
  assert.deepEqual(body.leases[0], {
    subnet: '10.244.2.0/24',
    instanceId: 'i-2',
    path: 'host-gw',
    via: '10.0.1.12',
    dev: 'ens5',
    why: 'same segment',
  });
  assert.equal(body.claim.subnet, '10.244.1.0/24');
  assert.equal(body.agent.pid, process.pid);
});

test('nothing can be written, and unknown paths say which are known', () => {
  assert.equal(answerTo(() => report, 'POST', '/status').status, 405);
  const unknown = get('/');
  assert.deepEqual([unknown.status, unknown.body], [404, 'there is /healthz, /readyz, /metrics and /status\n']);
});
