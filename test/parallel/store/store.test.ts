import { afterAll, beforeAll, describe } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres-database.js';
import { postgresPlace } from '../../../src/store/postgres/postgres-url.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import { storeContract } from '../../support/contracts/store.js';
import { newDatabase, noPostgres, type Postgres, startPostgres } from '../../support/postgres.js';
import { temporaryFolder } from '../../support/toolwharf.js';

storeContract('a store in SQLite', async () => {
  const folder = temporaryFolder();
  const database = openDatabase(folder.path);
  return {
    database,
    again: async () => openDatabase(folder.path),
    async close() {
      await database.destroy();
      folder.remove();
    },
  };
});

describe.skipIf(noPostgres !== '')(`PostgreSQL${noPostgres}`, () => {
  let postgres: Postgres;
  let databases = 0;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.close());

  storeContract('a store in PostgreSQL', async () => {
    const place = postgresPlace(await newDatabase(postgres, `store${databases++}`), undefined);
    const database = await openPostgres(place);
    return { database, again: () => openPostgres(place), close: () => database.destroy() };
  });
});
