/** A test that needs a real kernel: root, network namespaces, iproute2, nftables. It says so when it cannot run. */
import { spawnSync } from 'node:child_process';
import { type TestContext, test } from 'node:test';

function whyNot(): string | undefined {
  if (process.platform !== 'linux') return `needs Linux, this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'needs root';
  for (const tool of [
    ['ip', '-V'],
    ['bridge', '-V'],
    ['nft', '--version'],
  ] as const) {
    const [file, flag] = tool;
    if (spawnSync(file, [flag]).error) return `needs the program ${file}`;
  }
  const made = spawnSync('unshare', ['-n', 'nft', 'add', 'table', 'bridge', 'lw'], { encoding: 'utf8' });
  if (made.status !== 0) return `needs network namespaces and nft's bridge tables: ${made.stderr.trim()}`;
  return undefined;
}

const missing = whyNot();

/** Why kernel tests cannot run here; undefined when they can. */
export const cannotRun: string | undefined = missing;

/**
 * With LEASEWAY_MUST_NOT_SKIP=1 (CI) a test that cannot run fails. Each has a bound, so that a hanging tool becomes a
 * failure with a name; `seconds` raises it. `alsoMissing`: what this test needs beyond the others and is not there.
 */
export function kernelTest(
  name: string,
  body: (t: TestContext) => Promise<void>,
  seconds = 60,
  alsoMissing?: string,
): void {
  const options = { timeout: seconds * 1000 };
  const why = missing ?? alsoMissing;
  if (why === undefined) {
    test(name, options, body);
  } else if (process.env['LEASEWAY_MUST_NOT_SKIP'] === '1') {
    test(name, () => {
      throw new Error(`must not be skipped here, but ${why}`);
    });
  } else {
    test(name, { skip: why }, body);
  }
}
