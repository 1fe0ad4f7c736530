/** What a test must undo, last made first undone: node:test runs its own hooks in the order they were registered in. */
type Undo = () => void | Promise<void>;

/** A test, or whatever else has an end. */
export interface Ending {
  after(undo: Undo): void;
}

const stacks = new WeakMap<Ending, Undo[]>();

/** Every step runs, also after one that fails; the first failure is the test's. */
export function atEnd(t: Ending, undo: Undo): void {
  const stack = stacks.get(t);
  if (stack !== undefined) {
    stack.push(undo);
    return;
  }
  const fresh = [undo];
  stacks.set(t, fresh);
  t.after(async () => {
    const failures: unknown[] = [];
    for (const step of fresh.reverse()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  });
}
