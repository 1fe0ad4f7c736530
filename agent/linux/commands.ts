/** Steps as the commands that carry them out: what batches hold, what `--plan` prints. Pure text. */
import { type FdbEntry, type KernelRoute, type Neighbour, ourProtocol } from '../../shared/domain/kernel-rows.ts';
import type { Step } from '../../shared/domain/plan.ts';

/** A create is `add`, so that it can never replace a row that came meanwhile; a replace names a row read as ours. */
export function routeCommand(step: Step<KernelRoute>): readonly string[] {
  if (step.action === 'delete') {
    const { destination, tos, protocol, metric } = step.row;
    const type = ['proto', String(protocol), 'metric', String(metric)];
    return ['route', 'del', destination, ...(tos === 0 ? [] : ['tos', `0x${tos.toString(16)}`]), ...type];
  }
  const row = step.action === 'create' ? step.row : step.to;
  return [
    'route',
    step.action === 'create' ? 'add' : 'replace',
    ...(row.type === 'unicast' ? [] : [row.type]),
    row.destination,
    ...(row.via === null ? [] : ['via', row.via]),
    ...(row.dev === null ? [] : ['dev', row.dev]),
    ...(row.src === null ? [] : ['src', row.src]),
    ...(row.onlink ? ['onlink'] : []),
    'proto',
    String(ourProtocol),
    'metric',
    String(row.metric),
  ];
}

/** A flush does not mind an entry that is gone; `neigh del` would end the batch there, even a forced one. */
export function neighbourCommand(step: Step<Neighbour>): readonly string[] {
  if (step.action === 'delete') {
    return ['neigh', 'flush', 'to', step.row.address, 'dev', step.row.dev, 'nud', 'permanent'];
  }
  const row = step.action === 'create' ? step.row : step.to;
  return ['neigh', 'replace', row.address, 'lladdr', row.mac ?? '', 'dev', row.dev, 'nud', 'permanent'];
}

export function fdbCommand(step: Step<FdbEntry>): readonly string[] {
  if (step.action === 'delete') {
    const { mac, dev, dst } = step.row;
    return ['fdb', 'del', mac, 'dev', dev, ...(dst === null ? [] : ['dst', dst]), 'self'];
  }
  const row = step.action === 'create' ? step.row : step.to;
  return [
    'fdb',
    'replace',
    row.mac,
    'dev',
    row.dev,
    ...(row.dst === null ? [] : ['dst', row.dst]),
    'self',
    'permanent',
  ];
}
