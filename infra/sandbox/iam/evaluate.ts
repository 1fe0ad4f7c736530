import type { Condition, Statement } from './statement.ts';

/** Condition keys of a call and their values; keys in lower case, as IAM does not distinguish. */
export type Context = ReadonlyMap<string, readonly string[]>;

/** One thing that a call needs permission for. */
export interface Need {
  /** `dynamodb:PutItem` */
  readonly action: string;
  /** ARN, or `*` where the action knows no resource. */
  readonly resource: string;
  readonly context: Context;
}

/** A denial wins, then an allowance; without either it is denied. */
export function isAllowed(need: Need, statements: readonly Statement[]): boolean {
  const matching = statements.filter((statement) => applies(statement, need));
  return matching.every(({ effect }) => effect === 'Allow') && matching.length > 0;
}

function applies({ actions, resources, conditions }: Statement, need: Need): boolean {
  const action = need.action.toLowerCase();
  return (
    actions.some((pattern) => like(pattern.toLowerCase(), action)) &&
    resources.some((pattern) => like(withVariables(pattern, need.context) ?? '', need.resource)) &&
    conditions.every((condition) => holds(condition, need.context))
  );
}

function holds({ operator, key, values }: Condition, context: Context): boolean {
  const found = context.get(key.toLowerCase());
  const base = operator.replace(/IfExists$/, '');
  if (base === 'Null') return values.includes(String(found === undefined));
  if (found === undefined && operator.endsWith('IfExists')) return true;
  const wanted = values.flatMap((value) => withVariables(value, context) ?? []);
  const [set, comparison] = base.includes(':') ? base.split(':') : [undefined, base];
  const test = comparisonOf(comparison ?? '');
  const matches = (value: string) => wanted.some((one) => test(one, value));
  // "For all values" is true of a key that is absent: the trap that the `Null` guards in policies close.
  if (set === 'ForAllValues') return (found ?? []).every(matches);
  if (comparison === 'StringNotEquals' || comparison === 'StringNotLike') return !(found ?? []).some(matches);
  return (found ?? []).some(matches);
}

function comparisonOf(comparison: string): (pattern: string, value: string) => boolean {
  const byPattern = comparison.endsWith('Like') || comparison.startsWith('Arn');
  return byPattern ? like : (pattern, value) => pattern === value;
}

/** The text with `${key}` filled in; undefined when a key is absent, so that nothing matches it. */
function withVariables(text: string, context: Context): string | undefined {
  let complete = true;
  const filled = text.replace(/\$\{([^}]+)\}/g, (_whole, key: string) => {
    const value = context.get(key.toLowerCase())?.[0];
    if (value === undefined) complete = false;
    return value ?? '';
  });
  return complete ? filled : undefined;
}

function like(pattern: string, value: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 's').test(value);
}
