import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly contents: Uint8Array;
}

/** 1980-01-01, the earliest date of the format: the same files always give the same bytes. */
const date = 0x0021;
const deflate = 8;
/** Names are UTF-8. */
const flags = 0x0800;
const version = 20;
const madeOnUnix = (3 << 8) | version;
const regularFile = 0o100644;

/** A ZIP archive of a few files in memory, as Lambda takes it. The files lie at its root, sorted by name. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, contents } of [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = Buffer.from(name);
    const packed = deflateRawSync(contents, { level: 9 });
    const about = description(contents, packed, path);
    const file = Buffer.concat([numbers([4, 0x04034b50]), about, path, packed]);
    const attributes = numbers([2, 0], [2, 0], [2, 0], [4, regularFile * 0x10000], [4, offset]);
    files.push(file);
    directory.push(numbers([4, 0x02014b50], [2, madeOnUnix]), about, attributes, path);
    offset += file.length;
  }
  const listed = Buffer.concat(directory);
  const count = entries.length;
  const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, listed.length], [4, offset], [2, 0]);
  return Buffer.concat([...files, listed, end]);
}

/** What the header of a file and its entry in the directory have in common. */
function description(contents: Uint8Array, packed: Buffer, path: Buffer): Buffer {
  const sizes: Field[] = [
    [4, crc32(contents)],
    [4, packed.length],
    [4, contents.length],
  ];
  return numbers([2, version], [2, flags], [2, deflate], [2, 0], [2, date], ...sizes, [2, path.length], [2, 0]);
}

type Field = readonly [bytes: number, value: number];

/** The values one after the other, little-endian. */
function numbers(...fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );
}
