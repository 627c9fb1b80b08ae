import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { postgresListing } from '../../../src/registry/listing/postgres-listing.js';
import { sqliteListing } from '../../../src/registry/listing/sqlite-listing.js';
import { listingStoreContract } from '../../support/contracts/listing-store.js';
import { noPostgres, type Postgres, startPostgres } from '../../support/postgres.js';
import { temporaryFolder } from '../../support/toolwharf.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

listingStoreContract('a listing in SQLite', async () => sqliteListing(join(folder.path, 'listing.db')));

describe.skipIf(noPostgres !== '')(`PostgreSQL${noPostgres}`, () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.close());
  listingStoreContract('a listing in PostgreSQL', () => postgresListing(postgres.url));
});
