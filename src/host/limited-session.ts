import type { Session, SessionIntent } from './host.js';
import type { Installations } from './lifecycle/installations.js';
import { onlyLooks } from './session-setup.js';

/**
 * The session without what its intent excludes. Listing, explaining and reviewing stay; everything that runs, reads from
 * a program or stores something fails. A `review` session may also accept.
 */
export function limitSession(session: Session, intent: SessionIntent): Session {
  if (intent === 'use') return session;
  const denied = (what: string) => async (): Promise<never> => {
    throw onlyLooks(what);
  };
  const { packages, tools, explain, prompts, resources, waivers, onChange, review, close } = session;
  return {
    ...{ packages, tools, explain, prompts, resources, waivers, onChange, review, close },
    call: denied('call a tool'),
    message: denied('run hooks'),
    prompt: denied('get a prompt'),
    promptMessages: denied('get a prompt'),
    resource: denied('read a resource'),
    accept: intent === 'review' ? session.accept : denied('accept a package'),
    acceptWaiver: intent === 'review' ? session.acceptWaiver : denied('accept a setting'),
    installations: limitInstallations(session.installations, denied),
    install: async (id, options = {}) => {
      if (options.dryRun !== true) throw onlyLooks('install anything');
      return session.install(id, options);
    },
  };
}

/** Plans and lists only look. */
function limitInstallations(
  { plan, checkValue, list, history, outdated }: Installations,
  denied: (what: string) => () => Promise<never>,
): Installations {
  return {
    ...{ plan, checkValue, list, history, outdated },
    install: denied('install a package'),
    verify: denied('run a smoke test'),
    rollback: denied('roll back a package'),
    remove: denied('remove a package'),
    revoke: denied('revoke a package'),
    collectGarbage: denied('remove old generations'),
  };
}
