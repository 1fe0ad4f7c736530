/** What tests of the configuration expect of a refusal: the field, and the field again at the start of the message. */
import assert from 'node:assert/strict';
import { InvalidInput } from '../../../shared/domain/invalid-input.ts';

export function refusesWith(run: () => unknown, field: string, problem: RegExp): void {
  assert.throws(run, (error) => {
    assert.ok(error instanceof InvalidInput, `not an InvalidInput: ${error}`);
    assert.equal(error.field, field);
    assert.match(error.message, problem);
    assert.ok(error.message.startsWith(`${field}: `), error.message);
    return true;
  });
}
