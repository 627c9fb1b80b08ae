import { effect, signal } from '@preact/signals';
import type { ChangeTopic } from '../../host/host.js';
import type { ConsoleState } from '../../serve/http/console/console-site.js';
import type { ConsoleEvent } from '../../serve/http/console/event-feed.js';
import { announce } from './announcement.js';

/** How the page stands with the host. `signed-out`: with the reason, if there is one. */
export type ConnectionState = 'starting' | 'live' | 'lost' | 'signed-out';

export const connection = signal<ConnectionState>('starting');
export const state = signal<ConsoleState | null>(null);
/** Why the browser is not signed in. */
export const signOutReason = signal('');
/** Counts up when a topic changed. Pages read again what they show. */
const versions = signal<Readonly<Partial<Record<ChangeTopic, number>>>>({});

let source: EventSource | undefined;
let position: string | undefined;
let retryMs = 500;
let hostVersion: string | undefined;

/** Signs in with the code of the link, if there is one, and begins to follow the host. */
export async function start(): Promise<void> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    history.replaceState(null, '', location.pathname);
    const answer = await post('sign-in', { code }).catch(() => undefined);
    if (answer !== undefined && !answer.ok) return signedOut(await messageOf(answer));
  }
  if (await readState()) follow();
}

/** Reads the state of the sign-in. False if the browser is not signed in or the host cannot be reached. */
export async function readState(): Promise<boolean> {
  const answer = await fetch('/console/api/state', { cache: 'no-store' }).catch(() => undefined);
  if (answer === undefined) {
    lost();
    return false;
  }
  if (!answer.ok) {
    signedOut(state.peek() === null ? '' : 'Your sign-in has expired.');
    return false;
  }
  state.value = (await answer.json()) as ConsoleState;
  return true;
}

/** A request that changes something, with the proof that this page sent it. */
export function post(path: string, body: unknown, signal?: AbortSignal, accept?: string): Promise<Response> {
  return fetch(`/console/api/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'toolwharf-csrf': state.peek()?.csrf ?? '',
      ...(accept === undefined ? {} : { accept }),
    },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

export async function signOut(): Promise<void> {
  await post('sign-out', {}).catch(() => undefined);
  signedOut('You are signed out.');
}

export function signedOut(reason: string): void {
  source?.close();
  source = undefined;
  signOutReason.value = reason;
  connection.value = 'signed-out';
}

/** Calls `listener` now, and whenever one of the topics may have changed. Returns a function that stops it. */
export function onTopics(topics: readonly ChangeTopic[], listener: () => void): () => void {
  let seen: string | undefined;
  return effect(() => {
    const now = topics.map((it) => versions.value[it] ?? 0).join();
    if (now === seen) return;
    seen = now;
    listener();
  });
}

function follow(): void {
  source?.close();
  const query = position === undefined ? '' : `?after=${encodeURIComponent(position)}`;
  const opened = new EventSource(`/console/api/events${query}`);
  source = opened;
  opened.onmessage = (event: MessageEvent<string>) => {
    const change = JSON.parse(event.data) as ConsoleEvent;
    // A new version of the host brings new pages.
    if (hostVersion !== undefined && hostVersion !== change.version) return location.reload();
    hostVersion = change.version;
    position = change.position;
    retryMs = 500;
    if (connection.peek() === 'lost') announce('Connected again.');
    connection.value = 'live';
    const topics = change.topics ?? allTopics;
    // Only operations of the operator have this topic; one of them may have set or removed the PIN.
    if (topics.includes('clients')) void readState();
    touch(topics);
  };
  opened.onerror = () => {
    opened.close();
    if (source === opened) lost();
  };
}

function lost(): void {
  if (connection.peek() !== 'lost') announce('The host does not answer. Trying again.');
  connection.value = 'lost';
  setTimeout(() => {
    if (connection.peek() === 'lost') void readState().then((isKnown) => isKnown && follow());
  }, retryMs);
  retryMs = Math.min(retryMs * 1.6, 5000);
}

const allTopics: readonly ChangeTopic[] = [
  'approvals',
  'calls',
  'kills',
  'requests',
  'outcomes',
  'values',
  'clients',
  'packages',
];

/** Has everything that depends on the topics read again. */
export function touch(topics: readonly ChangeTopic[]): void {
  if (topics.length === 0) return;
  const next = { ...versions.peek() };
  for (const it of topics) next[it] = (next[it] ?? 0) + 1;
  versions.value = next;
}

async function messageOf(answer: Response): Promise<string> {
  const body = (await answer.json().catch(() => ({}))) as { error?: { message?: string } };
  return body.error?.message ?? `the host answered with status ${answer.status}`;
}

// Keeps the sign-in alive while the page is open and visible.
setInterval(() => {
  if (connection.peek() === 'live' && document.visibilityState === 'visible') void readState();
}, 4 * 60_000);
