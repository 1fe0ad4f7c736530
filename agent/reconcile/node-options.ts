/** What the one who starts the agent decides. */
import type { NodeChoices } from '../linux/uplink.ts';

export interface NodeOptions extends NodeChoices {
  readonly stateDir: string;
  /** Null: none is written. */
  readonly subnetEnv: string | null;
  /** `auto`: loose with a fallback, else only a warning. */
  readonly rpFilter: 'auto' | 'loose' | 'keep';
  readonly masquerade: boolean;
  /** Ranges whose traffic keeps its source although masquerade is on, such as the VPC's. */
  readonly masqueradeExempt: readonly string[];
  /** Whether to switch IP forwarding on. */
  readonly forwarding: boolean;
}
