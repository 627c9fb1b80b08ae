import { type NotifyTarget, notifySecretOwner, notifyTargetName } from '../../model/notify-target.js';
import { noticeState } from '../../store/notice-log.js';
import type { Check } from '../host.js';
import type { SessionPolicy } from '../session-policy.js';

/** Whether people learn about held calls: the secrets of each target, and how its last notice ended. */
export function checkNotices(state: string, { webhook, notify = [] }: SessionPolicy): readonly Check[] {
  const id = 'notices';
  const targets: readonly NotifyTarget[] = [
    ...(webhook === undefined ? [] : [{ kind: 'webhook', url: webhook } as const]),
    ...notify,
  ];
  if (targets.length === 0) return [];
  try {
    const { last, secrets } = noticeState(state);
    return targets.map((target): Check => {
      const to = notifyTargetName(target);
      const missing = [target.urlSecret, target.tokenSecret].find(
        (it) => it !== undefined && !secrets.includes(it),
      );
      if (missing !== undefined)
        return {
          id,
          status: 'warn',
          message: `notices to ${to} cannot be sent: the value ${missing} is not set`,
          fix: `toolwharf secret set ${notifySecretOwner} ${missing}`,
        };
      const known = last.find((it) => it.to === to);
      if (known?.problem !== undefined)
        return {
          id,
          status: 'warn',
          message: `the last notice to ${to} failed: ${known.problem}`,
          fix: 'check the target in the configuration (docs/config.md)',
        };
      const message =
        known === undefined
          ? `held calls are reported to ${to}; nothing was sent yet`
          : `the last notice to ${to} was sent`;
      return { id, status: 'ok', message };
    });
  } catch (error) {
    const message = `cannot read how notices ended: ${error instanceof Error ? error.message : error}`;
    return [{ id, status: 'fail', message, fix: 'toolwharf audit verify' }];
  }
}
