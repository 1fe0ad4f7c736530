import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentMetrics } from '../../../agent/serve/agent-metrics.ts';
import { metricsText } from '../../../agent/serve/metrics-text.ts';
import { report, status } from './report.ts';

/** Prometheus' own grammar of a sample line. */
const sampleLine = /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)*\})? (-?[0-9.e+]+|NaN)$/;

test('every line is a comment or a sample of the metric announced above it', () => {
  let announced = '';
  for (const line of metricsText(agentMetrics(report)).trimEnd().split('\n')) {
    const type = /^# TYPE (\S+) (gauge|counter)$/.exec(line)?.[1];
    if (type !== undefined) announced = type;
    else if (!line.startsWith('# HELP ')) {
      assert.match(line, sampleLine);
      assert.equal(line.split(/[ {]/, 1)[0], announced);
    }
  }
  assert.notEqual(announced, '');
});

test('names are unique, and counters end in _total', () => {
  const metrics = agentMetrics(report);
  assert.equal(new Set(metrics.map(({ name }) => name)).size, metrics.length);
  for (const { name, type } of metrics) assert.equal(name.endsWith('_total'), type === 'counter', name);
});

test('the numbers are those of the report', () => {
  const text = metricsText(agentMetrics(report));
  for (const line of [
    'leaseway_agent_info{version="0.1.0",network="default"} 1',
    'leaseway_agent_ready 1',
    'leaseway_agent_map_revision 7',
    'leaseway_agent_leases{path="host-gw"} 1',
    'leaseway_agent_leases{path="vpc"} 0',
    'leaseway_agent_leases{path="none"} 1',
    'leaseway_agent_changes_total 9',
    'leaseway_agent_claim_granted 1',
    `leaseway_agent_lease_expiry_time_seconds ${report.now / 1000 + 3_600}`,
  ]) {
    assert.ok(text.includes(`\n${line}\n`) || text.startsWith(line), line);
  }
});

test('what is not known has no sample; a refused claim is a zero', () => {
  const before = metricsText(
    agentMetrics({ ...report, pass: null, claim: null, map: { problem: 'away', readAt: null } }),
  );
  assert.doesNotMatch(before, /map_revision|claim|passes_total/);
  assert.match(before, /^leaseway_agent_map_unreadable 1$/m);
  assert.match(before, /^leaseway_agent_ready 0$/m);
  const claim = report.claim && { ...report.claim, state: 'refused' as const };
  assert.match(metricsText(agentMetrics({ ...report, claim })), /^leaseway_agent_claim_granted 0$/m);
});

test('labels are escaped', () => {
  const text = metricsText(agentMetrics({ ...report, pass: { status: { ...status, network: 'a"b\\c\nd' }, at: 1 } }));
  assert.ok(text.includes('network="a\\"b\\\\c\\nd"'));
});
