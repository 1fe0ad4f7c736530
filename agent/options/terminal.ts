/** The process as the commands see it: handed in, so that only `main.ts` touches it. */
export interface AgentTerminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
  print(line: string): void;
  note(line: string): void;
}
