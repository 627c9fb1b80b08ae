/** The status of a call in the audit log, as people see it. */

const badInput = new Set(['invalid_input', 'tool_not_found', 'not_found', 'usage']);

/** Shown statuses that differ from the stored ones. */
const renamed: Readonly<Record<string, string>> = {
  unknown: 'outcome_unknown',
  held: 'confirmation_required',
};

/** The status of an outcome in the log, from the word that people see. */
export function storedStatus(shown: string): string {
  return renamed[shown] ?? shown;
}

/** The word that people see for the status of an outcome. */
export function shownStatus(stored: string): string {
  return Object.entries(renamed).find(([, it]) => it === stored)?.[0] ?? stored;
}

/** `rejected`: the input was wrong. `denied`: the host did not allow the call. */
export function refusalStatus(code: string): 'rejected' | 'denied' {
  return badInput.has(code) ? 'rejected' : 'denied';
}
