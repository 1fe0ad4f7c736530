import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseJsonText } from '../../../shared/domain/json-text.ts';
import { refusesWith } from './refusal.ts';

function accepts(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('JSON text', () => {
  for (const [name, text, problem] of [
    ['nothing', '', /a value is expected at line 1 column 1 \(the text ends there\)/],
    ['a comma too many', '{\n  "Network": "10.3.0.0/16",\n}', /key in double quotes.*at line 3 column 1 \(got "}"\)/],
    ['a comma too few', '{"a": 1\n "b": 2}', /a comma or } is expected at line 2 column 2 \(got "\\"b\\": 2}"\)/],
    ['a comma too few in a list', '[1 2]', /a comma or \] is expected at line 1 column 4/],
    ['a misspelt word', '{"a": tru}', /a value is expected at line 1 column 7/],
    ['a number with a leading zero', '{"a": 024}', /a value is expected at line 1 column 7/],
    ['single quotes', "{'a': 1}", /key in double quotes is expected at line 1 column 2/],
    ['a comment', '{ // first\n}', /key in double quotes is expected at line 1 column 3/],
    ['an open object', '{"a": {"b": 1}', /a comma or } is expected at line 1 column 15 \(the text ends there\)/],
    ['an open string', '{"a": "b}', /a value is expected at line 1 column 7/],
    ['no colon', '{"a" 1}', /a colon is expected at line 1 column 6/],
    ['two values', '{} {}', /more text after its end at line 1 column 4/],
    ['a byte order mark', '\ufeff{}', /begins with a byte-order mark at line 1 column 1/],
    ['a bottomless pit', '['.repeat(200_000), /nested too deeply at line 1 column 102/],
  ] as const) {
    it(`is refused with its place: ${name}`, () => {
      refusesWith(() => parseJsonText(text, 'config'), 'config', problem);
    });
  }

  it('is refused where it gives a key twice, which JSON.parse drops in silence', () => {
    const text = '{"a": [{"b c": 1,\r\n  "b\\u0020c": 2}]}';
    refusesWith(() => parseJsonText(text, 'f'), 'f.a[0]["b c"]', /given a second time at line 2 column 3/);
    assert.deepEqual(parseJsonText('[{"a":1},{"a":2}]', 'f'), [{ a: 1 }, { a: 2 }]);
  });

  it('means what it means to JSON.parse', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        assert.deepEqual(parseJsonText(text, 'f'), JSON.parse(text));
      }),
    );
  });

  it('is refused exactly where JSON.parse refuses it', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"a"',
        '"b\\n"',
        '"\\x"',
        '"\t"',
        '1',
        '-',
        '0',
        '.5',
        'e3',
        'true',
        'null',
        ' ',
        '\n',
      ],
    );
    const broken = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(broken, (text) => {
        if (accepts(text) && !/"a".*"a"|"b.*"b/s.test(text))
          return assert.deepEqual(parseJsonText(text, 'f'), JSON.parse(text));
        if (!accepts(text)) refusesWith(() => parseJsonText(text, 'f'), 'f', /is not JSON: .* at line \d+ column \d+/);
      }),
      { numRuns: 5000 },
    );
  });
});
