import type { Activity } from './activity.ts';
import type { SandboxEvent } from './service.ts';

/** States that an instance leaves by itself. */
const passing = new Set(['pending', 'stopping', 'shutting-down']);

/**
 * Counts instances on their way from one state to another as activity, by the state-change events EC2 sends: whoever
 * waits for the sandbox to be idle wants the last of them too.
 */
export function followTransitions(activity: Activity): (event: SandboxEvent) => void {
  const ends = new Map<string, () => void>();
  return ({ detail }) => {
    const id = String(detail['instance-id']);
    const state = String(detail['state']);
    const previous = ends.get(id);
    ends.delete(id);
    if (passing.has(state)) ends.set(id, activity.begin(`instance ${id} ${state}`));
    previous?.();
  };
}
