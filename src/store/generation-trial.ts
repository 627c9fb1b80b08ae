import type { Database } from './database.js';

/** Also inside a transaction. */
export async function setTrial(
  database: Pick<Database, 'updateTable'>,
  packageId: string,
  number: number,
  trial: string | null,
): Promise<void> {
  await database
    .updateTable('generation')
    .set({ trial })
    .where('package', '=', packageId)
    .where('number', '=', number)
    .execute();
}
