/** Reads a value by a valibot schema, with this project's own error. */
import * as v from 'valibot';
import { type Cidr, type Family, tryParseAddress, tryParseCidr } from './cidr.ts';
import { InvalidInput } from './invalid-input.ts';

/** Throws {@link InvalidInput} that names the first field that does not fit; `root` is the path of the input itself. */
export function parseWith<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  root: string,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return result.output;
  const issue = result.issues[0];
  const path = v.getDotPath(issue);
  const field = path === null ? root : root === '' ? path : `${root}.${path}`;
  // Whole objects stay out of the message: it is for one line, and may be logged.
  throw new InvalidInput(field, typeof issue.input === 'object' ? undefined : issue.input, issue.message);
}

/** A CIDR block in text; host bits are an error, because an item's key must be the canonical text. */
export function cidrText(family?: Family) {
  return v.pipe(
    v.string('is not text'),
    v.rawTransform<string, Cidr>(({ dataset, addIssue, NEVER }) => {
      const cidr = tryParseCidr(dataset.value);
      if (cidr !== null && cidr.text === dataset.value && (family === undefined || cidr.family === family)) return cidr;
      addIssue({ message: 'is not a canonical CIDR block such as 10.244.1.0/24' });
      return NEVER;
    }),
  );
}

/** An address in canonical text. */
export function addressField(family?: Family) {
  return v.pipe(
    v.string('is not text'),
    v.check((text) => {
      const address = tryParseAddress(text);
      return address?.text === text && (family === undefined || address.family === family);
    }, 'is not a canonical IP address'),
  );
}

/**
 * Whole epoch seconds. Milliseconds and texts are refused: as an expiry they would mean never. The bound is the year
 * 5138, which milliseconds passed in 1973.
 */
export const epochSeconds = v.pipe(
  v.number('is not a number of epoch seconds'),
  v.integer('is not a whole number of epoch seconds'),
  v.minValue(0, 'is before 1970'),
  v.maxValue(99_999_999_999, 'is not in epoch seconds (milliseconds?)'),
);

export const count = v.pipe(v.number('is not a number'), v.integer('is not whole'), v.minValue(0, 'is negative'));

export const shortText = v.pipe(
  v.string('is not text'),
  v.minLength(1, 'is empty'),
  v.maxLength(256, 'is longer than 256 characters'),
);

export const instanceIdText = v.pipe(v.string('is not text'), v.regex(/^i-[0-9a-f]{1,17}$/, 'is not an instance id'));
export const eniIdText = v.pipe(v.string('is not text'), v.regex(/^eni-[0-9a-f]{1,17}$/, 'is not an ENI id'));
export const macText = v.pipe(v.string('is not text'), v.regex(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/, 'is not a MAC'));
