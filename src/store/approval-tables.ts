// Tables beside the one of held calls.

/** What the caller of a denied call is told, once, when it asks again. */
export interface DenialTable {
  /** Id of the held call. */
  approval: string;
  /** What the person wrote for the caller; null if nothing. */
  note: string | null;
  /** 1 after the caller was told. */
  told: number;
}

export const denialTable = `-- Denied calls, and whether their caller was told.
   create table denial (
     approval text primary key,
     note text,
     told integer not null
   ) strict;`;
