import { isAlias, isMap, isPair, isScalar, isSeq, parseDocument } from 'yaml';

/** A template cannot be used: says which part of it, in words a template's author knows. */
export class TemplateError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`template: ${message}`, options);
    this.name = 'TemplateError';
  }
}

/** CloudFormation's short forms that are not spelt `Fn::` + name in full. */
const plainNames = new Set(['Ref', 'Condition']);

/** Reads a template's YAML; a short form such as `!Sub x` becomes its full form `{ "Fn::Sub": "x" }`. */
export function parseTemplate(source: string): unknown {
  const document = parseDocument(source, { logLevel: 'silent', merge: true });
  const [error] = document.errors;
  if (error) throw new TemplateError(error.message, { cause: error });
  return toValue(document.contents);
}

function toValue(node: unknown): unknown {
  const tag = tagOf(node);
  if (!tag) return withoutTag(node);
  const value = withoutTag(node);
  if (plainNames.has(tag)) return { [tag]: value };
  // `!GetAtt Queue.Arn` is short for the list form; only the first dot separates.
  if (tag === 'GetAtt' && typeof value === 'string') {
    const dot = value.indexOf('.');
    return { 'Fn::GetAtt': [value.slice(0, dot), value.slice(dot + 1)] };
  }
  return { [`Fn::${tag}`]: value };
}

function tagOf(node: unknown): string | undefined {
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return undefined;
  return node.tag?.startsWith('!') && node.tag.length > 1 ? node.tag.slice(1) : undefined;
}

function withoutTag(node: unknown): unknown {
  if (isAlias(node)) throw new TemplateError('a YAML alias (*name) is not understood');
  if (isSeq(node)) return node.items.map(toValue);
  if (!isMap(node)) return isScalar(node) ? node.value : node;
  const entries = node.items
    .filter((item) => isPair(item))
    .map((pair) => [String(toValue(pair.key)), toValue(pair.value)]);
  return Object.fromEntries(entries);
}
