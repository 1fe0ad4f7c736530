/**
 * The answer of a function that calls back, or an error when it throws, fails or stays silent for `patienceMs`.
 *
 * `begin` also gets a way to fail from elsewhere, for what is thrown in callbacks that it cannot reach.
 */
export async function patientAnswer<T>(
  patienceMs: number,
  begin: (done: (error: Error | null, value?: T) => void, fail: (error: unknown) => void) => void,
): Promise<T | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
  const timer = setTimeout(() => reject(new Error(`no answer in ${patienceMs} ms`)), patienceMs);
  try {
    begin((error, value) => (error ? reject(error) : resolve(value)), reject);
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
