import type { Database } from '../../store/database.js';
import { EndorsementRows } from '../../store/endorsements.js';
import { LabelSessionRows } from '../../store/label-sessions.js';
import { TaintHoldRows } from '../../store/taint-holds.js';
import { LabelSessions, type LabelSessionsOptions } from './label-sessions.js';
import { TaintHolds } from './taint-holds.js';

/** The labels of all sessions of a state directory. */
export function openLabels({
  database,
  ...options
}: Omit<LabelSessionsOptions, 'rows' | 'endorsements'> & { readonly database: Database }): {
  readonly labels: LabelSessions;
  readonly taintHolds: TaintHolds;
} {
  const rows = new LabelSessionRows(database, options.now);
  const labels = new LabelSessions({ ...options, rows, endorsements: new EndorsementRows(database) });
  return { labels, taintHolds: new TaintHolds(new TaintHoldRows(database), labels) };
}
