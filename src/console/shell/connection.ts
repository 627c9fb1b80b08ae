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
/** Counts up when the host answers again. What could not be read before is read then. */
const returns = signal(0);
/** Aborted when the host is lost: a request that waits for ever would keep one of the few connections of the browser. */
let requests = new AbortController();

let source: EventSource | undefined;
let position: string | undefined;
let hostVersion: string | undefined;
/** The code of the link, until the host has answered to it. */
let code: string | undefined;
/** Why the host did not accept it. */
let refusal = '';

/** The pause before the next attempt, and its timer. There is never more than one. */
let retryMs = 500;
let retry: ReturnType<typeof setTimeout> | undefined;
let attempt: Promise<void> | undefined;
/** Ends a stream on which the host is silent: the connection may be lost without anybody closing it. */
let watch: ReturnType<typeof setTimeout> | undefined;

/** The next time that what failed is read again. */
let again: ReturnType<typeof setTimeout> | undefined;

const longestRetryMs = 5000;
const againMs = 2000;
/** The host answers these requests at once. */
const answerMs = 10_000;
/** A stream that lasted so long worked: its end is first taken for what it often is, a renewal. */
const workedMs = 2000;

/** Signs in with the code of the link, if there is one, and begins to follow the host. */
export function start(): Promise<void> {
  code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  // The code does not stay in the address.
  if (code !== undefined) history.replaceState(null, '', location.pathname);
  return followHost();
}

/** Asks the host whether this browser is signed in, and follows it if so. Two attempts at once are one. */
export function followHost(): Promise<void> {
  clearTimeout(retry);
  attempt ??= (async () => {
    if ((await codeSent()) && (await readState())) follow();
  })().finally(() => {
    attempt = undefined;
  });
  return attempt;
}

/** Sends the code of the link, if there is one. False if the host cannot be reached. */
async function codeSent(): Promise<boolean> {
  if (code === undefined) return true;
  const answer = await post('sign-in', { code }, AbortSignal.timeout(answerMs)).catch(() => undefined);
  if (answer === undefined || answer.status >= 500) {
    lost();
    return false;
  }
  code = undefined;
  // A browser that is signed in already needs no link.
  if (!answer.ok) refusal = await messageOf(answer);
  return true;
}

/** Reads the state of the sign-in. False if the browser is not signed in or the host cannot be reached. */
export async function readState(): Promise<boolean> {
  const signal = AbortSignal.timeout(answerMs);
  const answer = await fetch('/console/api/state', { cache: 'no-store', signal }).catch(() => undefined);
  if (answer?.status === 401) {
    if (connection.peek() !== 'signed-out')
      signedOut(state.peek() === null ? refusal : 'Your sign-in has expired.');
    return false;
  }
  if (answer?.status === 403) {
    signedOut(await messageOf(answer));
    return false;
  }
  // Anything else says nothing about the sign-in: a proxy answers by itself while the host starts again.
  const known = answer?.ok === true ? await answer.json().catch(() => undefined) : undefined;
  if (known === undefined) {
    lost();
    return false;
  }
  state.value = known as ConsoleState;
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

/** Aborted as soon as the host does not answer any more. */
export function untilLost(): AbortSignal {
  return requests.signal;
}

/** Called when a request failed: finds out whether the host answers, and if so, has what failed read again. */
export async function checkConnection(): Promise<void> {
  if (connection.peek() !== 'live' || !(await readState())) return;
  clearTimeout(again);
  again = setTimeout(() => {
    returns.value++;
  }, againMs);
}

export async function signOut(): Promise<void> {
  const answer = await post('sign-out', {}, AbortSignal.timeout(answerMs)).catch(() => undefined);
  // Without an answer, this browser is still signed in.
  if (answer?.ok === true || answer?.status === 401) signedOut('You are signed out.');
  else lost();
}

export function signedOut(reason: string): void {
  leave();
  clearTimeout(retry);
  signOutReason.value = reason;
  connection.value = 'signed-out';
}

/**
 * Calls `listener` now, and whenever one of the topics may have changed. Returns a function that stops it. `hasFailed`: whether
 * the last reading failed. Then it is called too when the host answers again, also if nothing changed.
 */
export function onTopics(
  topics: readonly ChangeTopic[],
  listener: () => void,
  hasFailed: () => boolean,
): () => void {
  let seen: string | undefined;
  let seenReturns = returns.peek();
  return effect(() => {
    const now = topics.map((it) => versions.value[it] ?? 0).join();
    const isBack = returns.value !== seenReturns;
    seenReturns = returns.value;
    if (now === seen && !(isBack && hasFailed())) return;
    seen = now;
    listener();
  });
}

function follow(): void {
  leave();
  const query = position === undefined ? '' : `?after=${encodeURIComponent(position)}`;
  const opened = new EventSource(`/console/api/events${query}`);
  const openedAt = performance.now();
  source = opened;
  const isOver = () => {
    opened.close();
    if (source !== opened) return;
    leave();
    // The host ends a stream when its sign-in would end, also if that was renewed. Then nothing is wrong.
    if (connection.peek() === 'live' && performance.now() - openedAt > workedMs) void followHost();
    else lost();
  };
  opened.onmessage = (event: MessageEvent<string>) => {
    const change = JSON.parse(event.data) as ConsoleEvent;
    // A new version of the host brings new pages.
    if (hostVersion !== undefined && hostVersion !== change.version) return location.reload();
    hostVersion = change.version;
    position = change.position;
    retryMs = 500;
    clearTimeout(watch);
    watch = setTimeout(isOver, change.nextWithinMs * 2.5);
    const before = connection.peek();
    if (before === 'lost') announce('Connected again.');
    connection.value = 'live';
    if (before !== 'live') returns.value++;
    const topics = change.topics ?? allTopics;
    // Only operations of the operator have this topic; one of them may have set or removed the PIN.
    if (topics.includes('clients')) void readState();
    touch(topics);
  };
  opened.onerror = isOver;
  watch = setTimeout(isOver, answerMs);
}

/** Ends the stream, if there is one. */
function leave(): void {
  clearTimeout(watch);
  source?.close();
  source = undefined;
}

function lost(): void {
  if (connection.peek() === 'signed-out') return;
  leave();
  if (connection.peek() !== 'lost') announce('The host does not answer. Trying again.');
  connection.value = 'lost';
  requests.abort();
  requests = new AbortController();
  clearTimeout(retry);
  retry = setTimeout(() => void followHost(), retryMs);
  retryMs = Math.min(retryMs * 1.6, longestRetryMs);
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

/**
 * A phone that wakes up, or finds a network again, does not wait for the next attempt. A page that was signed out goes on if
 * another tab of this browser was opened with a new link.
 */
function wake(): void {
  if (document.visibilityState !== 'visible') return;
  if (connection.peek() === 'live') void readState();
  else if (connection.peek() !== 'starting') void followHost();
}
addEventListener('online', wake);
document.addEventListener('visibilitychange', wake);
