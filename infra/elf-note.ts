/**
 * Adds a note to a 64-bit little-endian ELF program, where the program itself can find it at run time.
 *
 * The table of segments cannot grow in place, so two entries that a started program does without make room: the table's
 * description of itself (PT_PHDR, which only position-independent programs need) and the notes of the linker (PT_NOTE:
 * build id and ABI tag). Source of the format: `elf(5)`.
 */

/** Offsets in the file's header, and in an entry of the table of segments. */
const header = { tableOffset: 32, entrySize: 54, entryCount: 56, type: 16 };
const segment = { type: 0, flags: 4, offset: 8, address: 16, physical: 24, fileSize: 32, memorySize: 40, align: 48 };

const kinds = { load: 1, note: 4, self: 6 };
const readable = 4;
/** ET_EXEC: linked to fixed addresses. */
const fixedProgram = 2;
/** The largest page that Linux has on the machines at hand (arm64). */
const page = 0x1_0000n;

/** @throws Error when it is another kind of program, or its table has no two entries to spare */
export function withNote(program: Buffer, name: string, data: Uint8Array): Buffer {
  if (!program.subarray(0, 6).equals(Buffer.from('7f454c460201', 'hex'))) throw new Error('no 64-bit ELF program');
  if (program.readUInt16LE(header.type) !== fixedProgram) throw new Error('a position-independent program');
  const entries = segmentsOf(program);
  const kept = entries.filter((entry) => !isSpare(entry));
  if (entries.length - kept.length < 2) throw new Error('no two segments to spare');

  const note = noteOf(name, data);
  const place = { offset: upTo(BigInt(program.length)), address: upTo(endOfMemory(kept)), size: BigInt(note.length) };
  // Entries of memory to load have to be in the order of their addresses.
  const last = kept.findLastIndex((entry) => kindOf(entry) === kinds.load);
  const table = [
    ...kept.slice(0, last + 1),
    entryOf(kinds.load, place, page),
    ...kept.slice(last + 1),
    entryOf(kinds.note, place, 4n),
  ];
  const result = Buffer.concat([program, Buffer.alloc(Number(place.offset) - program.length), note]);
  Buffer.concat(table).copy(result, Number(program.readBigUInt64LE(header.tableOffset)));
  result.writeUInt16LE(table.length, header.entryCount);
  return result;
}

function segmentsOf(program: Buffer): readonly Buffer[] {
  const start = Number(program.readBigUInt64LE(header.tableOffset));
  const size = program.readUInt16LE(header.entrySize);
  const count = program.readUInt16LE(header.entryCount);
  return Array.from({ length: count }, (_, index) =>
    program.subarray(start + index * size, start + (index + 1) * size),
  );
}

function kindOf(entry: Buffer): number {
  return entry.readUInt32LE(segment.type);
}

function isSpare(entry: Buffer): boolean {
  return kindOf(entry) === kinds.self || kindOf(entry) === kinds.note;
}

/** Entries of memory to load are in the order of their addresses. */
function endOfMemory(entries: readonly Buffer[]): bigint {
  const last = entries.findLast((entry) => kindOf(entry) === kinds.load);
  return last === undefined ? 0n : last.readBigUInt64LE(segment.address) + last.readBigUInt64LE(segment.memorySize);
}

function entryOf(kind: number, place: { offset: bigint; address: bigint; size: bigint }, align: bigint): Buffer {
  const entry = Buffer.alloc(56);
  entry.writeUInt32LE(kind, segment.type);
  entry.writeUInt32LE(readable, segment.flags);
  entry.writeBigUInt64LE(place.offset, segment.offset);
  entry.writeBigUInt64LE(place.address, segment.address);
  entry.writeBigUInt64LE(place.address, segment.physical);
  entry.writeBigUInt64LE(place.size, segment.fileSize);
  entry.writeBigUInt64LE(place.size, segment.memorySize);
  entry.writeBigUInt64LE(align, segment.align);
  return entry;
}

function noteOf(name: string, data: Uint8Array): Buffer {
  const text = Buffer.from(`${name}\0`);
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(text.length, 0);
  sizes.writeUInt32LE(data.length, 4);
  return Buffer.concat([sizes, inWords(text), inWords(data)]);
}

function inWords(bytes: Uint8Array): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
}

function upTo(value: bigint): bigint {
  return ((value + page - 1n) / page) * page;
}
