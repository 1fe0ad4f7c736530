/** The picture that the options ask for; a file's needs no SDK. */
import type { Console } from './console.ts';
import type { Picture } from './picture.ts';

export async function pictureFor(
  options: { readonly stack: string; readonly world?: string },
  terminal: Console,
): Promise<Picture> {
  if (options.world !== undefined) {
    const { pictureOfFile } = await import('./picture-world.ts');
    return await pictureOfFile(options.world, terminal);
  }
  const { pictureOfStack } = await import('./picture-live.ts');
  return await pictureOfStack(options.stack, terminal);
}
