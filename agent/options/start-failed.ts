/** The agent cannot start, for a reason that lies outside of it: one line for whoever started it, and exit code 1. */
export class StartFailed extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'StartFailed';
  }
}

/** Whatever `step` throws is a reason not to start. */
export async function starting<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    throw new StartFailed(error);
  }
}
