import { isRecord, type Params, record } from '../params.ts';
import { TemplateError } from '../template/parse.ts';

/** One statement of a policy document, its one-or-many members as lists. */
export interface Statement {
  readonly sid: string;
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions: readonly Condition[];
}

export interface Condition {
  readonly operator: string;
  readonly key: string;
  readonly values: readonly string[];
}

const operators = new Set([
  'StringEquals',
  'StringNotEquals',
  'StringLike',
  'StringNotLike',
  'ArnEquals',
  'ArnLike',
  'ForAllValues:StringEquals',
  'ForAllValues:StringLike',
  'ForAnyValue:StringEquals',
  'ForAnyValue:StringLike',
  'Null',
  'Bool',
]);

/** Reads a policy document. Throws a `TemplateError` for what the sandbox could not enforce. */
export function statementsOf(document: unknown, where: string): readonly Statement[] {
  if (!isRecord(document)) throw new TemplateError(`${where}: a policy document is a map`);
  const statements = document['Statement'];
  return (Array.isArray(statements) ? statements : [statements]).map((one, index) =>
    statementOf(one, `${where}[${index}]`),
  );
}

function statementOf(given: unknown, where: string): Statement {
  if (!isRecord(given)) throw new TemplateError(`${where}: a statement is a map`);
  for (const key of Object.keys(given)) {
    if (!['Sid', 'Effect', 'Action', 'Resource', 'Condition'].includes(key)) {
      throw new TemplateError(`${where}: ${key} of a statement is not understood`);
    }
  }
  const effect = given['Effect'];
  if (effect !== 'Allow' && effect !== 'Deny') throw new TemplateError(`${where}: Effect is Allow or Deny`);
  return {
    sid: String(given['Sid'] ?? ''),
    effect,
    actions: strings(given['Action']),
    resources: strings(given['Resource']),
    conditions: conditionsOf(given, where),
  };
}

function conditionsOf(given: Params, where: string): readonly Condition[] {
  return Object.entries(record(given, 'Condition') ?? {}).flatMap(([operator, keys]) => {
    if (!operators.has(operator.replace(/IfExists$/, ''))) {
      throw new TemplateError(`${where}: the condition operator ${operator} is not understood`);
    }
    return Object.entries(isRecord(keys) ? keys : {}).map(([key, values]) => ({
      operator,
      key,
      values: strings(values),
    }));
  });
}

function strings(value: unknown): readonly string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}
