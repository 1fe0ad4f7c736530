import type { AgentStatus } from '../../../agent/reconcile/status.ts';
import type { AgentReport } from '../../../agent/serve/agent-report.ts';
import { parseCidr } from '../../../shared/domain/cidr.ts';

export const status: AgentStatus = {
  ready: true,
  epoch: 1_000,
  revision: 7,
  network: 'default',
  subnets: ['10.244.1.0/24'],
  leases: [
    { subnet: '10.244.2.0/24', instanceId: 'i-2', path: 'host-gw', via: '10.0.1.12', dev: 'ens5', why: 'same segment' },
    { subnet: '10.244.3.0/24', instanceId: 'i-3', path: 'vxlan', via: '10.244.3.0', dev: 'lw-1', why: 'other segment' },
    { subnet: '10.244.4.0/24', instanceId: 'i-4', path: null, via: null, dev: null, why: 'no VTEP MAC' },
  ],
  problems: [],
  conflicts: [],
  counts: { passes: 12, changes: 9, failedRows: 0, skippedLeases: 1, heldPeers: 0 },
};

const now = Date.parse('2026-11-01T00:00:00Z');

export const report: AgentReport = {
  version: '0.1.0',
  startedAt: now - 60_000,
  now,
  pass: { status, at: now - 1_000 },
  claim: {
    state: 'granted',
    subnet: parseCidr('10.244.1.0/24', 'subnet'),
    ipv6Subnet: null,
    expiresAt: now / 1000 + 3_600,
    written: 2,
    answered: 1,
    problems: [],
  },
  map: { problem: null, readAt: now - 30_000 },
};
