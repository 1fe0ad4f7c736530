/** Whether the tools can do what the agent asks of them. */
import type { Runner } from './runner.ts';

/** The first with `-N`, which prints protocols as numbers, in both `-json` and text. */
const oldest = { release: [5, 3], snapshot: 190_924, name: 'iproute2-5.3.0' } as const;

/**
 * A sentence where the tools are missing, too old or others (busybox has an `ip` without JSON and batches).
 *
 * Until 5.6 iproute2 named itself by a date: `iproute2-ss200127`.
 */
export async function toolProblem(runner: Runner): Promise<string | null> {
  try {
    const problem = versionProblem(await runner.output(['ip', '-V']));
    // bridge says a version of its own, 0.0 for years; it comes in the same package.
    if (problem === null) await runner.output(['bridge', '-V']);
    return problem;
  } catch (error) {
    return `iproute2 is needed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** @param said What `ip -V` printed. */
export function versionProblem(said: string): string | null {
  const version = /iproute2-(?:ss(\d{6})|v?(\d+)\.(\d+))/.exec(said);
  const shown = said.trim().split('\n')[0] ?? '';
  if (version === null) return `ip is not of iproute2 (it says "${shown}"): ${oldest.name} or newer is needed`;
  const [, snapshot, major, minor] = version;
  const [oldMajor, oldMinor] = oldest.release;
  const isOld =
    snapshot === undefined
      ? Number(major) < oldMajor || (Number(major) === oldMajor && Number(minor) < oldMinor)
      : Number(snapshot) < oldest.snapshot;
  return isOld ? `ip is too old (${shown}): ${oldest.name} or newer is needed` : null;
}
