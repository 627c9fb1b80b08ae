import { useSignal } from '@preact/signals';
import { Button } from '../../parts/button.js';
import { confirmWith } from '../../parts/confirmation-dialog.js';
import { download } from '../../parts/download.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Loaded } from '../../parts/section.js';
import { sentence } from '../../parts/sentence.js';
import { Status } from '../../parts/status.js';
import { live } from '../../shell/live.js';
import { hostApi } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';
import type { ConsolePage } from '../page.js';
import { tgzOf, zipOf } from './archive-file.js';
import { BuildStart } from './build-start.js';
import {
  type Build,
  type BuildView,
  changeSource,
  currentBuild,
  discard,
  isWriting,
  manifestText,
  markSaved,
  settled,
  syncError,
  view,
} from './build-state.js';
import { DiagnosticList } from './diagnostic-list.js';
import { FileList } from './file-list.js';
import { ManifestForm } from './manifest-form.js';
import { SourceView } from './source-view.js';

export const buildPage: ConsolePage = {
  path: 'build',
  title: 'Build',
  key: 'b',
  icon: 'M4 20l4-1L19 8l-3-3L5 16zM14 7l3 3',
  view: BuildPage,
};

const formats = live([], () => hostApi.manifests.formats());

function BuildPage() {
  formats.start();
  const now = currentBuild.value;
  return (
    <div class="page build">
      <header>
        <h1>{now === null ? 'Build' : <RevealedText text={titleOf(now)} />}</h1>
        {now !== null && <CheckedStatus now={now} />}
        {now !== null && <BuildActions now={now} />}
        <p class="dim">
          {now === null
            ? 'Write a package: with a form, with its source, or both. Nothing is stored on the host.'
            : `${now.format} · ${now.manifest}`}
        </p>
      </header>
      <Loaded from={formats.value}>
        {(all) =>
          now === null ? (
            <BuildStart formats={all.map((it) => it.name)} />
          ) : (
            <BuildEditor now={now} schema={all.find((it) => it.name === now.format)?.schema ?? {}} />
          )
        }
      </Loaded>
    </div>
  );
}

const views: readonly (readonly [BuildView, string])[] = [
  ['form', 'Form'],
  ['source', 'Source'],
  ['files', 'Other files'],
];

type FormSchema = Parameters<typeof ManifestForm>[0]['schema'];

function BuildEditor({ now, schema }: { readonly now: Build; readonly schema: FormSchema }) {
  const show = async (next: BuildView) => {
    await settled();
    view.value = next;
  };
  const own = (now.checked?.diagnostics ?? []).filter((it) => it.file === now.manifest);
  return (
    <>
      {syncError.value !== null && (
        <p class="note bad" role="alert">
          <span>
            The host could not check this: <RevealedText text={sentence(syncError.value)} /> What you typed is
            still here.
          </span>
        </p>
      )}
      <div class="view-tabs">
        {views.map(([name, title]) => (
          <button
            key={name}
            type="button"
            class="button"
            aria-pressed={view.value === name}
            onClick={() => void show(name)}
          >
            {title}
            {name === 'files' && now.files.length > 1 && <span class="dim">{now.files.length - 1}</span>}
          </button>
        ))}
      </div>
      {view.value === 'form' && <ManifestForm now={now} schema={schema} />}
      {view.value === 'source' && (
        <section class="card" aria-label="Source">
          {now.reason !== null && (
            <p class="note warning">
              <span>
                The form cannot show this: <RevealedText text={sentence(now.reason)} />
              </span>
            </p>
          )}
          {now.unwritten !== null && (
            <p class="note warning">
              <span>
                A change of the form is not here: <RevealedText text={sentence(now.unwritten)} /> Typing here
                replaces it.
              </span>
            </p>
          )}
          <SourceView
            label={`Source of ${now.manifest}`}
            text={manifestText.value}
            diagnostics={own}
            readOnly={isWriting.value}
            onChange={changeSource}
          />
        </section>
      )}
      {view.value === 'files' && <FileList now={now} />}
      <DiagnosticList now={now} />
      <PackageSummary now={now} />
    </>
  );
}

function CheckedStatus({ now: { checked } }: { readonly now: Build }) {
  if (checked === null) return <Status tone="neutral">checking</Status>;
  if (checked.package === null) return <Status tone="bad">has errors</Status>;
  const hasWarnings = checked.diagnostics.some((it) => it.severity === 'warning');
  return (
    <Status tone={hasWarnings ? 'warning' : 'good'}>{hasWarnings ? 'valid, with warnings' : 'valid'}</Status>
  );
}

/** What the manifest means to the host. */
function PackageSummary({ now: { checked } }: { readonly now: Build }) {
  const pkg = checked?.package;
  if (pkg === null || pkg === undefined) return null;
  return (
    <section class="section" aria-label="What it means">
      <header>
        <h2>What it means</h2>
      </header>
      <p>
        The package <RevealedText text={pkg.id} /> offers{' '}
        {pkg.tools.length === 1 ? '1 tool' : `${pkg.tools.length} tools`}
        {pkg.slots.length > 0 &&
          ` and needs ${pkg.slots.length === 1 ? '1 value' : `${pkg.slots.length} values`}`}
        .
      </p>
      {pkg.tools.length > 0 && (
        <ul class="tools">
          {pkg.tools.slice(0, 50).map((it) => (
            <li key={it.name}>
              <code>
                <RevealedText text={it.name} />
              </code>{' '}
              <span class="dim">{it.effectDeclared ? it.effect : 'effect not declared'}</span>
              <p class="dim">
                <RevealedText text={it.description} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function BuildActions({ now }: { readonly now: Build }) {
  const isOpen = useSignal(false);
  const name = folderOf(now);
  const save = (kind: 'file' | 'zip' | 'tgz') =>
    attempt(async () => {
      await settled();
      const { files, manifest } = currentBuild.peek() ?? now;
      if (kind === 'file') {
        const text = files.find((it) => it.path === manifest)?.text ?? '';
        download(manifest.split('/').at(-1) ?? manifest, 'text/plain', text);
      } else if (kind === 'zip') download(`${name}.zip`, 'application/zip', zipOf(name, files));
      else download(`${name}.tgz`, 'application/gzip', await tgzOf(name, files));
      if (kind !== 'file' || files.length === 1) markSaved();
      isOpen.value = false;
      return undefined;
    });
  const close = async () => {
    const isSure =
      !now.isChanged ||
      (await confirmWith({
        title: 'Discard what you wrote?',
        text: <p>It was not downloaded since the last change. It cannot be brought back.</p>,
        yes: 'Discard',
        danger: true,
      }));
    if (isSure) discard();
  };
  return (
    <div class="actions">
      {now.files.length > 1 && (
        <>
          <Button kind="primary" onClick={() => save('zip')}>
            Download ZIP
          </Button>
          <Button onClick={() => save('tgz')}>.tgz</Button>
        </>
      )}
      <Button kind={now.files.length > 1 ? 'plain' : 'primary'} onClick={() => save('file')}>
        {now.files.length > 1 ? 'Manifest only' : 'Download'}
      </Button>
      <Button kind="quiet" onClick={close}>
        Close
      </Button>
    </div>
  );
}

function titleOf(now: Build): string {
  return now.checked?.package?.id ?? folderOf(now);
}

/** A name for the folder of the package. Some formats require the id. */
function folderOf({ checked, form, manifest }: Build): string {
  const members =
    typeof form === 'object' && form !== null ? (form as { readonly [name: string]: unknown }) : {};
  const given = [checked?.package?.id, members.id, members.name].find(
    (it) => typeof it === 'string' && it !== '',
  );
  return String(given ?? manifest.replace(/\.[^.]*$/, '')).replace(/[^\w.-]+/g, '-') || 'package';
}
