/**
 * dynalite's store with every callback guarded.
 *
 * dynalite evaluates expressions inside callbacks of its database; what throws there would end the process. Here it
 * reaches `onTrouble`, so that one odd expression costs one answer.
 */
import { create } from 'dynalite/db/index.js';
import type { DynaliteCallback, DynaliteDb, DynaliteStore } from './dynalite-store.ts';

export function guardedStore(onTrouble: (error: unknown) => void): DynaliteStore {
  const store = create({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  const guarded = new WeakSet<DynaliteDb>();
  const guard = <D extends DynaliteDb>(db: D): D => {
    if (!guarded.has(db)) guardDatabase(db, onTrouble);
    guarded.add(db);
    return db;
  };
  guard(store.tableDb);
  const { getItemDb, getIndexDb, getTagDb } = store;
  store.getItemDb = (table) => guard(getItemDb(table));
  store.getIndexDb = (kind, table, index) => guard(getIndexDb(kind, table, index));
  store.getTagDb = (table) => guard(getTagDb(table));
  return store;
}

function guardDatabase(db: DynaliteDb, onTrouble: (error: unknown) => void): void {
  const guardCall =
    (done: DynaliteCallback): DynaliteCallback =>
    (error, value) => {
      try {
        done(error, value);
      } catch (trouble) {
        onTrouble(trouble);
      }
    };
  const guardStream = (stream: NodeJS.EventEmitter): NodeJS.EventEmitter => {
    const emit = stream.emit.bind(stream);
    stream.emit = (name, ...args) => {
      try {
        return emit(name, ...args);
      } catch (trouble) {
        onTrouble(trouble);
        return true;
      }
    };
    return stream;
  };
  const { get, put, del, batch, createKeyStream, createValueStream } = db;
  db.get = (key, done) => get.call(db, key, guardCall(done));
  db.put = (key, value, done) => put.call(db, key, value, guardCall(done));
  db.del = (key, done) => del.call(db, key, guardCall(done));
  db.batch = (operations, done) => batch.call(db, operations, guardCall(done));
  db.createKeyStream = (options) => guardStream(createKeyStream.call(db, options));
  db.createValueStream = (options) => guardStream(createValueStream.call(db, options));
}
