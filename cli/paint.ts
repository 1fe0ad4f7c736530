/** Colours of plans on a terminal. */
import { createColors } from 'picocolors';
import type { Paint } from '../shared/domain/render-plan-text.ts';

export function paintFor(isTerminal: boolean): Paint {
  const colors = createColors(isTerminal);
  return {
    create: colors.green,
    replace: colors.yellow,
    delete: colors.red,
    warning: colors.magenta,
    heading: colors.bold,
    faint: colors.dim,
  };
}
