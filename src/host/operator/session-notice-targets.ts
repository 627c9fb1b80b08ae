import type { NotifyTarget } from '../../model/notify-target.js';
import { grantFor } from '../../policy/grant.js';
import type { SessionSetup } from '../session-setup.js';
import type { NoticeTarget } from './notice-target.js';

/**
 * Where notices of a session go. A loopback or private address needs a grant: for all packages, or for the host itself
 * (`toolwharf=net:…`).
 */
export function noticeTargetsOf({
  policy,
  grants,
}: Pick<SessionSetup, 'policy' | 'grants'>): readonly NoticeTarget[] {
  const { webhook, notify = [], caCertificates: certificates } = policy;
  const { network: granted } = grantFor(grants, 'toolwharf');
  const targets: readonly NotifyTarget[] = [
    ...(webhook === undefined ? [] : [{ kind: 'webhook', url: webhook } as const]),
    ...notify,
  ];
  return targets.map((it) => ({ ...it, granted, certificates }));
}
