/**
 * What came from outside does not say what it must. The message names the field and the value, so that whoever wrote
 * it can find the place.
 */
export class InvalidInput extends Error {
  /** Path of the field from the root of the input, such as `config.Backend.RouteTableID[1]`. */
  readonly field: string;
  readonly value: unknown;
  readonly problem: string;

  constructor(field: string, value: unknown, problem: string, options?: ErrorOptions) {
    super(`${field}: ${problem}${value === undefined ? '' : ` (got ${shown(value)})`}`, options);
    this.name = 'InvalidInput';
    this.field = field;
    this.value = value;
    this.problem = problem;
  }
}

/** Long values are cut: a message is for one line of a terminal or a log. */
function shown(value: unknown): string {
  const text = typeof value === 'object' || typeof value === 'string' ? jsonOf(value) : String(value);
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

/** An error about a value must not fail over that value: `JSON.stringify` throws for bigints inside, and for cycles. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
