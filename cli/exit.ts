/** How commands end. */
export const exit = {
  /** Nothing to do, or done. */
  ok: 0,
  error: 1,
  /** Changes are pending, or something else is not as it should be. */
  pending: 2,
  /** The guard refuses. */
  refused: 3,
} as const;

/** What is wrong for the one who called: printed as one line after `leaseway: `, without a stack. */
export class UserError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UserError';
  }
}
