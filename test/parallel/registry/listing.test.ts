import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresListing } from '../../../src/registry/listing/postgres-listing.js';
import { sqliteListing } from '../../../src/registry/listing/sqlite-listing.js';
import { listingStoreContract } from '../../support/contracts/listing-store.js';
import { noPostgres, type Postgres, startPostgres } from '../../support/postgres.js';
import { temporaryFolder } from '../../support/toolwharf.js';

const folder = temporaryFolder();
afterAll(() => folder.remove());

listingStoreContract('a listing in SQLite', async () => sqliteListing(join(folder.path, 'listing.db')));

test('a damaged listing is made again, and one that cannot be used stops with the reason', async () => {
  const path = join(folder.path, 'damaged.db');
  writeFileSync(path, 'this is not a database, and it is long enough\n'.repeat(200));
  const store = sqliteListing(path);
  expect(await store.position()).toBeUndefined();
  await store.close();
  expect(() => sqliteListing(join(folder.path, 'missing/listing.db'))).toThrow(/cannot be used/);
});

describe.skipIf(noPostgres !== '')(`PostgreSQL${noPostgres}`, () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.close());
  listingStoreContract('a listing in PostgreSQL', () => postgresListing(postgres.url));
});
