/** The picture that the options ask for, with what the tables do with packets to `host`; a file's needs no SDK. */
import type { Cidr } from '../shared/domain/cidr.ts';
import type { Console } from './console.ts';
import type { Picture } from './picture.ts';

export async function pictureFor(
  options: { readonly stack: string; readonly world?: string },
  terminal: Console,
  host: Cidr | null = null,
): Promise<Picture> {
  if (options.world !== undefined) {
    const { pictureOfFile } = await import('./picture-world.ts');
    return await pictureOfFile(options.world, terminal, host);
  }
  const { pictureOfStack } = await import('./picture-live.ts');
  return await pictureOfStack(options.stack, terminal, host);
}
