/** A port's contract as a suite for one of the things that claim to keep it. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';

/** Titles of the cases that a subject is known to answer otherwise, each with how. */
export type Differences = Readonly<Record<string, string>>;

export type Case<Subject> = (title: string, run: (subject: Subject) => Promise<void>) => void;

/**
 * Each case gets a subject of its own.
 *
 * @param differs such a case must fail, so that a difference which has gone is noticed; one that the suite does not have
 *   fails the suite
 */
export function describeContract<Subject>(
  name: string,
  make: (t: TestContext) => Promise<Subject>,
  differs: Differences,
  define: (contract: Case<Subject>) => void,
): void {
  describe(name, () => {
    const titles = new Set<string>();
    define((title, run) => {
      titles.add(title);
      const how = differs[title];
      if (how === undefined) test(title, async (t) => run(await make(t)));
      else test(`${title} (differs: ${how})`, async (t) => mustFail(run, await make(t)));
    });
    for (const title of Object.keys(differs)) {
      if (!titles.has(title)) throw new Error(`${name}: no case is called "${title}"`);
    }
  });
}

async function mustFail<Subject>(run: (subject: Subject) => Promise<void>, subject: Subject): Promise<void> {
  await assert.rejects(run(subject), { name: 'AssertionError' }, 'this difference has gone: take it from the list');
}
