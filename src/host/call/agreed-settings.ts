import { parseRequest } from '../../policy/review/request.js';
import type { AgreementRows } from '../../store/agreements.js';
import type { AgreedSettings } from './secret-scanner.js';

/** Which slots are settings, according to the agreements. Agreements that cannot be read make every slot a secret. */
export function agreedSettings(rows: AgreementRows): AgreedSettings {
  return {
    version: () => rows.version,
    async settingsOf(packageId) {
      const requests = (await rows.requestsOf(packageId)).map(parseRequest);
      const [first, ...others] = requests.map((request) => request?.slots.filter((it) => !it.secret));
      return (first ?? [])
        .map((it) => it.name)
        .filter((name) => others.every((slots) => slots?.some((it) => it.name === name) === true));
    },
  };
}
