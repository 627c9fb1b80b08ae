// The package that is being written. It stays in memory while other pages are open.
import { computed, signal } from '@preact/signals';
import type { CheckedDraft, DraftFile, ManifestDraft } from '../../../host/host.js';
import type { JsonObject } from '../../../model/json.js';
import { type Draft, type DraftProblem, finished } from '../../parts/form/draft.js';
import { sentence } from '../../parts/sentence.js';
import { hostApi } from '../../shell/operations.js';

export interface Build extends ManifestDraft {
  /** What the form shows; null: the source cannot be shown as a form, and `reason` says why. */
  readonly form: Draft | null;
  readonly reason: string | null;
  /** Why a change of the form is not in the source; null: it is. */
  readonly unwritten: string | null;
  readonly checked: CheckedDraft | null;
  /** Files of the package that are not here. */
  readonly leftOut: readonly string[];
  /** Something was typed that was not downloaded. */
  readonly isChanged: boolean;
}

export type BuildView = 'form' | 'source' | 'files';

export const currentBuild = signal<Build | null>(null);
export const view = signal<BuildView>('form');
/** Whether a change of the form is on its way into the source. */
export const isWriting = signal(false);
/** Why the host could not be asked the last time. */
export const syncError = signal<string | null>(null);

export const manifestText = computed(() => {
  const now = currentBuild.value;
  return now?.files.find((it) => it.path === now.manifest)?.text ?? '';
});

const delayMs = 250;
let revision = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let pending: (() => Promise<void>) | undefined;
/** What is on its way to the host. */
let running: Promise<unknown> = Promise.resolve();

/** Begins with these files. */
export async function begin(draft: ManifestDraft, leftOut: readonly string[] = []): Promise<void> {
  currentBuild.value = {
    ...{ format: draft.format, manifest: draft.manifest, files: draft.files, leftOut },
    ...{ form: null, reason: null, unwritten: null, checked: null, isChanged: false },
  };
  view.value = 'form';
  clearTimeout(timer);
  await readSource(++revision);
}

export function discard(): void {
  revision++;
  clearTimeout(timer);
  pending = undefined;
  running = Promise.resolve();
  isWriting.value = false;
  currentBuild.value = null;
}

/** A change in the form: the source follows. */
export function changeForm(form: Draft): void {
  change({ form, isChanged: true });
  isWriting.value = true;
  later(writeForm);
}

/** A change in the source of the manifest: the form follows where it can. */
export function changeSource(text: string): void {
  const now = currentBuild.peek();
  if (now === null) return;
  change({ files: withText(now.files, now.manifest, text), unwritten: null, isChanged: true });
  later(readSource);
}

/** A change of other files. They decide what is right too. */
export function changeFiles(files: readonly DraftFile[]): void {
  change({ files, isChanged: true });
  later(check);
}

/** Writes what the form still waits to write, and waits for what is on its way. */
export async function settled(): Promise<void> {
  clearTimeout(timer);
  const work = pending;
  pending = undefined;
  if (work !== undefined) running = Promise.all([running, work()]);
  await running;
}

export function markSaved(): void {
  change({ isChanged: false });
}

function change(part: Partial<Build>): void {
  const now = currentBuild.peek();
  if (now !== null) currentBuild.value = { ...now, ...part };
}

function later(work: (mine: number) => Promise<void>): void {
  const mine = ++revision;
  clearTimeout(timer);
  pending = () => work(mine);
  timer = setTimeout(() => void settled(), delayMs);
}

async function readSource(mine: number): Promise<void> {
  const now = currentBuild.peek();
  if (now === null) return;
  await asking(mine, async () => {
    const { value, reason } = await hostApi.manifests.read(now.format, manifestText.peek());
    if (mine === revision) change({ form: value, reason, unwritten: null });
  });
  await check(mine);
}

async function writeForm(mine: number): Promise<void> {
  const now = currentBuild.peek();
  if (now === null || now.form === null) return;
  const { value, problems } = finished(now.form);
  if (problems.length > 0) {
    change({ unwritten: 'a value in the form is not complete' });
    isWriting.value = false;
    return;
  }
  await asking(mine, async () => {
    const before = manifestText.peek();
    const { text, reason } = await hostApi.manifests.write(now.format, before, value as JsonObject);
    if (mine !== revision) return;
    if (text === null) change({ unwritten: reason });
    else change({ files: withText(now.files, now.manifest, text), unwritten: null });
  });
  if (mine === revision) isWriting.value = false;
  await check(mine);
}

async function check(mine: number): Promise<void> {
  const now = currentBuild.peek();
  if (now === null || mine !== revision) return;
  await asking(mine, async () => {
    const { format, manifest, files } = now;
    const checked = await hostApi.manifests.check({ format, manifest, files });
    if (mine === revision) change({ checked });
  });
}

async function asking(mine: number, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    if (mine === revision) syncError.value = null;
  } catch (error) {
    if (mine === revision) syncError.value = (error as Error).message;
  }
}

function withText(files: readonly DraftFile[], path: string, text: string): readonly DraftFile[] {
  return files.map((it) => (it.path === path ? { path, text } : it));
}

/** What is wrong in the manifest, at the places of the form. */
export function formProblems({ checked, manifest, form }: Build): readonly DraftProblem[] {
  const found = (checked?.diagnostics ?? [])
    .filter((it) => it.file === manifest && it.severity !== 'info' && it.pointer !== undefined)
    .map((it) => ({
      pointer: it.pointer ?? '',
      message: [it.message, it.hint]
        .flatMap((text) => (text === undefined ? [] : [sentence(text)]))
        .join(' '),
    }));
  return [...(form === null ? [] : finished(form).problems), ...found];
}

// What was typed is only in this page.
addEventListener('beforeunload', (event) => {
  if (currentBuild.peek()?.isChanged === true) event.preventDefault();
});
