import { isRecord, type Params } from '../params.ts';

/**
 * Event patterns as EventBridge rules and Lambda event filters have them: exact values, `prefix`, `suffix`,
 * `equals-ignore-case`, `wildcard`, `anything-but`, `numeric`, `exists` and `$or`, at any depth.
 */
export type Matcher = (event: unknown) => boolean;

type Leaf = (value: unknown) => boolean;

/** Throws an `Error` that names the place for a pattern that the service would refuse. */
export function compilePattern(pattern: unknown, where = 'pattern'): Matcher {
  if (!isRecord(pattern)) throw new Error(`${where}: a pattern is a map`);
  const parts = Object.entries(pattern).map(([key, value]): Matcher => {
    if (key === '$or') return either(value, where);
    if (Array.isArray(value)) return member(key, value, `${where}.${key}`);
    const inner = compilePattern(value, `${where}.${key}`);
    return (event) => {
      const found = isRecord(event) ? event[key] : undefined;
      // A map in a list of maps: any of them may match.
      return Array.isArray(found) ? found.some(inner) : inner(isRecord(found) ? found : {});
    };
  });
  return (event) => parts.every((part) => part(event));
}

function either(value: unknown, where: string): Matcher {
  if (!Array.isArray(value) || value.length < 2)
    throw new Error(`${where}.$or: a list of at least two patterns is wanted`);
  const choices = value.map((one) => compilePattern(one, `${where}.$or`));
  return (event) => choices.some((choice) => choice(event));
}

function member(key: string, alternatives: readonly unknown[], where: string): Matcher {
  if (alternatives.length === 0) throw new Error(`${where}: an empty list matches nothing`);
  const wantsAbsence = alternatives.some((one) => isRecord(one) && one['exists'] === false);
  const leaves = alternatives.map((one) => leaf(one, where));
  return (event) => {
    const found = isRecord(event) ? event[key] : undefined;
    const values = found === undefined || isRecord(found) ? [] : Array.isArray(found) ? found : [found];
    if (values.length === 0) return wantsAbsence;
    return values.some((value) => leaves.some((matches) => matches(value)));
  };
}

function leaf(alternative: unknown, where: string): Leaf {
  if (!isRecord(alternative)) return (value) => value === alternative;
  const entries = Object.entries(alternative);
  const [entry] = entries;
  if (!entry || entries.length > 1) throw new Error(`${where}: one matcher at a time is wanted`);
  const [name, argument] = entry;
  switch (name) {
    case 'exists':
      if (typeof argument !== 'boolean') throw new Error(`${where}: exists is true or false`);
      return () => argument;
    case 'numeric':
      return numeric(argument, where);
    case 'anything-but':
      return anythingBut(argument, where);
    case 'prefix':
    case 'suffix':
    case 'equals-ignore-case':
    case 'wildcard':
      return ofText(name, argument, where);
    default:
      throw new Error(`${where}: the matcher ${name} is not understood`);
  }
}

function ofText(name: string, argument: unknown, where: string): Leaf {
  if (
    isRecord(argument) &&
    (name === 'prefix' || name === 'suffix') &&
    typeof argument['equals-ignore-case'] === 'string'
  ) {
    const wanted = argument['equals-ignore-case'].toLowerCase();
    return onText((value) =>
      name === 'prefix' ? value.toLowerCase().startsWith(wanted) : value.toLowerCase().endsWith(wanted),
    );
  }
  if (typeof argument !== 'string') throw new Error(`${where}: ${name} wants a text`);
  if (name === 'prefix') return onText((value) => value.startsWith(argument));
  if (name === 'suffix') return onText((value) => value.endsWith(argument));
  if (name === 'equals-ignore-case') return onText((value) => value.toLowerCase() === argument.toLowerCase());
  const expression = new RegExp(`^${argument.split('*').map(escaped).join('.*')}$`, 's');
  return onText((value) => expression.test(value));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function onText(test: (value: string) => boolean): Leaf {
  return (value) => typeof value === 'string' && test(value);
}

function anythingBut(argument: unknown, where: string): Leaf {
  const refused: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
  const leaves = refused.flatMap((one) => {
    if (!isRecord(one)) return [leaf(one, where)];
    // { "anything-but": { "prefix": ["a", "b"] } }
    return Object.entries(one).flatMap(([name, values]) =>
      (Array.isArray(values) ? values : [values]).map((value) => leaf({ [name]: value }, where)),
    );
  });
  return (value) => !leaves.some((matches) => matches(value));
}

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

function numeric(argument: unknown, where: string): Leaf {
  const parts: readonly unknown[] = Array.isArray(argument) ? argument : [];
  const tests: ((value: number) => boolean)[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const compare = comparisons[String(parts[at])];
    const bound = parts[at + 1];
    if (!compare || typeof bound !== 'number') throw new Error(`${where}: numeric wants operators and numbers in turn`);
    tests.push((value) => compare(value, bound));
  }
  if (tests.length === 0) throw new Error(`${where}: numeric wants operators and numbers in turn`);
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}

/** A matcher of several patterns, one of which is enough; without any, everything matches. */
export function compileFilters(patterns: readonly Params[], where: string): Matcher {
  const matchers = patterns.map((pattern) => compilePattern(pattern, where));
  return (event) => matchers.length === 0 || matchers.some((matches) => matches(event));
}
