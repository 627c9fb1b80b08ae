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
  const {
    packages,
    tools,
    explain,
    prompts,
    resources,
    waivers,
    onChange,
    review,
    source,
    instructions,
    close,
  } = session;
  return {
    ...{
      packages,
      tools,
      explain,
      prompts,
      resources,
      waivers,
      onChange,
      review,
      source,
      instructions,
      close,
    },
    named: (sessionName) => limitSession(session.named(sessionName), intent),
    page: denied('show the page of a package'),
    call: denied('call a tool'),
    message: denied('run hooks'),
    note: denied('note content'),
    prompt: denied('get a prompt'),
    promptMessages: denied('get a prompt'),
    resource: denied('read a resource'),
    subscribe: denied('watch a resource'),
    complete: denied('ask a server for values'),
    accept: intent === 'review' ? session.accept : denied('accept a package'),
    acceptWaiver: intent === 'review' ? session.acceptWaiver : denied('accept a setting'),
    learning: {
      ...session.learning,
      watch: denied('watch a package'),
      apply: denied('narrow a package'),
      undo: denied('undo a narrowing'),
    },
    consoleLink: denied('open the console'),
    requestInstall: denied('ask for a package'),
    installations: limitInstallations(session.installations, denied),
    registries: { ...session.registries, decideReview: denied('decide about a package') },
    signIns: {
      list: () => session.signIns.list(),
      check: denied('sign in'),
      begin: denied('sign in'),
      finish: denied('sign in'),
      signOut: denied('sign out'),
    },
    install: async (id, options = {}) => {
      if (options.dryRun !== true) throw onlyLooks('install anything');
      return session.install(id, options);
    },
  };
}

/** Plans and lists only look. */
function limitInstallations(
  { plan, draftServer, checkValue, planRestore, why, list, history, outdated }: Installations,
  denied: (what: string) => () => Promise<never>,
): Installations {
  return {
    ...{ plan, draftServer, checkValue, planRestore, why, list, history, outdated },
    tryServer: denied('start a server'),
    install: denied('install a package'),
    restore: denied('install packages'),
    verify: denied('run a smoke test'),
    rollback: denied('roll back a package'),
    remove: denied('remove a package'),
    revoke: denied('revoke a package'),
    collectGarbage: denied('remove old generations'),
  };
}
