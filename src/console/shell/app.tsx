import { useEffect, useRef } from 'preact/hooks';
import { pages } from '../pages/pages.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';
import { openDialogs } from '../parts/open-dialogs.js';
import { connection, followHost, state } from './connection.js';
import { KeyHelp } from './key-help.js';
import { Navigation } from './navigation.js';
import { PinDialog } from './pin-dialog.js';
import { route } from './route.js';
import { SignInPage } from './sign-in-page.js';
import { LiveAnnouncement, Toasts } from './toasts.js';

export function App() {
  return (
    <>
      {connection.value === 'signed-out' ? <SignInPage /> : <Shell />}
      <PinDialog />
      <ConfirmationDialog />
      <KeyHelp />
      {openDialogs.value.length === 0 && <Toasts />}
      <LiveAnnouncement />
    </>
  );
}

function Shell() {
  const [first = 'inbox', ...rest] = route.value;
  const page = pages.find((it) => it.path === first);
  const firstPath = useRef(route.value.join('/'));
  const title = page?.title ?? 'Not found';
  useEffect(() => {
    const count = pages.reduce((sum, it) => sum + (it.count?.() ?? 0), 0);
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · Toolwharf`;
  });
  const path = route.value.join('/');
  useEffect(() => {
    // The link that led here may be gone. Then the keyboard and screen readers go on with the new content.
    if (document.activeElement === document.body && path !== firstPath.current)
      document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
  // Before the first answer of the host there is nothing to show.
  const isKnown = state.value !== null;
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Go to the content
      </a>
      <Navigation current={first} />
      <main id="content" tabIndex={-1}>
        <ConnectionNote />
        {!isKnown ? (
          <p class="dim loading">Loading…</p>
        ) : page === undefined ? (
          <div class="page">
            <h1>Not found</h1>
            <p>There is no such page.</p>
          </div>
        ) : (
          <page.view key={page.path} rest={rest} />
        )}
      </main>
    </div>
  );
}

function ConnectionNote() {
  if (connection.value !== 'lost') return null;
  return (
    <div class="note warning" role="alert">
      <p>
        <strong>The host does not answer.</strong> What you see may be out of date. The page connects again by
        itself.
      </p>
      <button type="button" class="button" onClick={() => void followHost()}>
        Try now
      </button>
    </div>
  );
}
