/** A terminal that keeps what is written to it: for commands that run within the test. */
import type { Console } from '../../cli/console.ts';
import { noPaint } from '../../shared/domain/render-plan-text.ts';

export interface CapturedConsole {
  readonly terminal: Console;
  /** What was written to standard output, without a last newline. */
  printed(): string;
  /** The same of standard error. */
  noted(): string;
}

export function capturedConsole(input = '', isTerminal = false): CapturedConsole {
  const printed: string[] = [];
  const noted: string[] = [];
  return {
    terminal: {
      env: {},
      print: (line) => void printed.push(line),
      note: (line) => void noted.push(line),
      isTerminal,
      readInput: async () => input,
      ask: async () => null,
      paint: async () => noPaint,
    },
    printed: () => printed.join('\n'),
    noted: () => noted.join('\n'),
  };
}
