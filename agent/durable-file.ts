/** A file of which readers see the old text or the new one, never a part, also after a loss of power. */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the folder where it is missing. @param mode permissions; 0o644 as flannel's own files have them */
export async function writeDurably(path: string, text: string, mode = 0o644): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const partial = `${path}.${process.pid}.partial`;
  try {
    const file = await open(partial, 'w', mode);
    try {
      // The umask does not decide what readers may see.
      await file.chmod(mode);
      await file.writeFile(text);
      // A rename that reaches the disk before the text does would leave an empty file.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  const opened = await open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
