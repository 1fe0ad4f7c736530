import type { MapListener } from '../../../agent/reconcile/ports.ts';
import type { AgentMap } from '../../../shared/domain/read-map.ts';

export interface Heard extends MapListener {
  readonly maps: AgentMap[];
  readonly problems: string[];
}

/** What a map source said, in order. */
export function listener(): Heard {
  const maps: AgentMap[] = [];
  const problems: string[] = [];
  return { maps, problems, map: (map) => void maps.push(map), unreadable: (problem) => void problems.push(problem) };
}

export function subnetsOf(map: AgentMap | undefined): readonly string[] {
  return map?.leases.map(({ name }) => name) ?? [];
}
