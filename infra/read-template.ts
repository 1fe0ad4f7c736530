import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonMap = { readonly [key: string]: Json };

/** Sections of a template by name, with intrinsics in full: `!Sub x` is `{ "Fn::Sub": "x" }`. */
export function readTemplate(): { readonly [section: string]: JsonMap } {
  return mapOfMaps(parseTemplate(readFileSync(join(import.meta.dirname, 'template.yaml'), 'utf8')));
}

/** CloudFormation's YAML as plain values. Throws on YAML that is malformed or has an anchor. */
function parseTemplate(text: string): Json {
  const document = parseDocument(text, { logLevel: 'silent' });
  const [error] = document.errors;
  if (error) throw error;
  return toJson(document.contents);
}

export function isJsonMap(value: Json | undefined): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapOfMaps(template: Json): { readonly [section: string]: JsonMap } {
  if (!isJsonMap(template)) throw new Error('template.yaml: not a map');
  const sections = Object.entries(template).filter((entry): entry is [string, JsonMap] => isJsonMap(entry[1]));
  return Object.fromEntries(sections);
}

function toJson(node: unknown): Json {
  if (node === null) return null;
  if (!isMap(node) && !isSeq(node) && !isScalar(node)) throw new Error(`template.yaml: cannot read ${String(node)}`);
  const value = untagged(node);
  if (!node.tag?.startsWith('!')) return value;
  const name = node.tag.slice(1);
  if (name === 'Ref' || name === 'Condition') return { [name]: value };
  const isPath = name === 'GetAtt' && typeof value === 'string';
  return { [`Fn::${name}`]: isPath ? value.split(/\.(.*)/, 2) : value };
}

function untagged(node: unknown): Json {
  if (isSeq(node)) return node.items.map(toJson);
  if (isMap(node)) return Object.fromEntries(node.items.map(({ key, value }) => [String(key), toJson(value)]));
  return isScalar(node) ? (node.value as Json) : null;
}
