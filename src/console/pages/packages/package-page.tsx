import type { PackageState } from '../../../host/host.js';
import { Link } from '../../parts/link.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Empty, Loaded, Section } from '../../parts/section.js';
import { packages } from '../inbox/inbox.js';
import { PackageActions, RevokedDialog } from './package-actions.js';
import { PackageGenerations } from './package-generations.js';
import { PackageLearning } from './package-learning.js';
import { PackagePermissions } from './package-permissions.js';
import { PackageSetup } from './package-setup.js';
import { PackageStatusText } from './package-status-text.js';
import { PackageValues } from './package-values.js';

/** Everything about one package. */
export function PackagePage({ id }: { readonly id: string }) {
  return (
    <div class="page">
      <p class="crumbs">
        <Link to={['packages']}>Packages</Link>
      </p>
      <Loaded from={packages.value}>
        {(list) => {
          const state = list.find((it) => it.id === id);
          return state === undefined ? (
            <Empty title="No such package">
              <p>It was removed, or it is not served here.</p>
            </Empty>
          ) : (
            <PackageDetails key={id} id={id} state={state} />
          );
        }}
      </Loaded>
      <RevokedDialog />
    </div>
  );
}

function PackageDetails({ id, state }: { readonly id: string; readonly state: PackageState }) {
  const { package: pkg, reasons, path, version, format, tools, diagnostics } = state;
  return (
    <>
      <header class="title">
        <h1>
          <RevealedText text={id} />
        </h1>
        <PackageStatusText state={state.state} />
        <PackageActions id={id} state={state.state} />
        <p class="dim">
          <RevealedText text={`${version === '' ? 'no version' : version} · ${format} · ${path}`} />
        </p>
      </header>
      {pkg !== undefined && pkg.description !== '' && (
        <p>
          <RevealedText text={pkg.description} />
        </p>
      )}
      {reasons.length > 0 && (
        <ul class="note warning reasons-note">
          {reasons.map((it) => (
            <li key={it}>
              <RevealedText text={it} />
            </li>
          ))}
        </ul>
      )}
      {(state.state === 'needs-review' || state.announcedChanges === true) && (
        <p>
          <Link to={['inbox']}>Review the change in the inbox</Link>
        </p>
      )}
      {pkg?.interface !== undefined && state.state === 'ready' && (
        <p>
          <Link to={['packages', id, 'page']}>Open its page</Link>{' '}
          <span class="dim">
            <RevealedText text={pkg.interface} />
          </span>
        </p>
      )}
      {state.state === 'needs-setup' && <PackageSetup id={id} />}
      {pkg !== undefined && <PackageValues pkg={pkg} />}
      <PackagePermissions id={id} state={state} />
      <Section title={tools.length === 1 ? '1 tool' : `${tools.length} tools`}>
        <ul class="tools">
          {tools.map((it) => (
            <li key={it.name}>
              <code>
                {state.state === 'ready' ? (
                  <Link to={['try', id, it.name]}>
                    <RevealedText text={it.name} />
                  </Link>
                ) : (
                  <RevealedText text={it.name} />
                )}
              </code>
              <p class="dim">
                <RevealedText text={it.description} />
              </p>
            </li>
          ))}
        </ul>
      </Section>
      <PackageGenerations id={id} />
      {state.state === 'ready' && <PackageLearning id={id} isNarrowed={state.narrowed !== undefined} />}
      {diagnostics.length > 0 && (
        <Section title="Findings in the manifest">
          <ul class="tools">
            {diagnostics.map((it) => (
              <li key={`${it.code}${it.range.line}:${it.range.column}`}>
                <code>{it.code}</code> <RevealedText text={it.message} />
                <p class="dim">
                  <RevealedText text={`${it.file}:${it.range.line}:${it.range.column}`} />
                </p>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}
