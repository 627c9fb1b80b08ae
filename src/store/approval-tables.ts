// The table of held calls, and tables beside it.

export interface ApprovalTable {
  id: string;
  principal: string;
  client: string;
  session: string;
  tool: string;
  definition: string;
  arguments: string;
  arguments_digest: string;
  policy: string;
  credentials: string;
  kind: string;
  reasons: string;
  /** A list as JSON. */
  evidence: string;
  created_at: number;
  expires_at: number;
  state: string;
  decided_at: number | null;
  decided_by: string | null;
  channel: string | null;
  /** 1 if the operator's PIN was given. */
  verified: number | null;
  void_reason: string | null;
  /** The answer of the executed call as JSON. */
  answer: string | null;
  /** Arguments that run instead, as JSON. */
  replacement: string | null;
}

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
