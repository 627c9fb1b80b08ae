import { useSignal } from '@preact/signals';
import type { RegistryPackage, RegistryPackageRelease } from '../../../host/host.js';
import { Button } from '../../parts/button.js';
import { CommandText } from '../../parts/command-text.js';
import { InstallDialog } from '../../parts/install-dialog.js';
import { Link } from '../../parts/link.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Loaded, Section } from '../../parts/section.js';
import { type Column, Table } from '../../parts/table.js';
import { useLive } from '../../shell/live.js';
import { sessionApi } from '../../shell/operations.js';
import { ReleaseMarks } from './release-marks.js';

/** One package of a registry: what it is, its versions, and its plan. */
export function RegistryPackagePage({ name }: { readonly name: string }) {
  const found = useLive([], () => sessionApi.registries.info({ name }), name);
  return (
    <div class="page registry">
      <p class="crumbs">
        <Link to={['registry']}>Registry</Link>
      </p>
      <header>
        <h1>
          <RevealedText text={name} />
        </h1>
      </header>
      <Loaded from={found}>{(it) => <PackageDetail found={it} />}</Loaded>
    </div>
  );
}

function PackageDetail({ found }: { readonly found: RegistryPackage }) {
  const chosen = useSignal<string | null>(null);
  const { registry, name, summary, releases, expired } = found;
  const installed = useLive(['packages'], () => sessionApi.installations.list(), name);
  const own = (installed.value ?? []).filter(
    ({ source }) => source === `registry:${name}` || source.startsWith(`registry:${name}@`),
  );
  const plan = (version?: string) => {
    chosen.value = version === undefined ? `registry:${name}` : `registry:${name}@${version}`;
  };
  const isOffered = releases.some((it) => it.withdrawn === null && it.quarantined === null);
  const columns: readonly Column<RegistryPackageRelease>[] = [
    {
      title: 'Version',
      cell: ({ version, sha256 }) => (
        <>
          <RevealedText text={version} />
          <div class="dim hash" title="SHA-256 of the archive">
            {sha256.slice(0, 16)}
          </div>
        </>
      ),
    },
    { title: 'Size', wideOnly: true, align: 'end', cell: ({ bytes }) => `${Math.ceil(bytes / 1024)} kB` },
    {
      title: 'Status',
      grows: true,
      cell: (it) =>
        it.withdrawn === null && it.quarantined === null ? (
          it.hasStatements ? (
            'with signed statements'
          ) : (
            'offered'
          )
        ) : (
          <ReleaseMarks {...it} />
        ),
    },
    {
      title: 'Plan',
      cell: ({ version, quarantined }) => (
        <Button label={`Plan ${version}`} disabled={quarantined !== null} onClick={() => plan(version)}>
          Plan…
        </Button>
      ),
    },
  ];
  return (
    <>
      {expired.map((it) => (
        <p key={it} class="note warning">
          The registry {registry} is an old copy: <RevealedText text={it} />
        </p>
      ))}
      <div class="card">
        {summary === null ? (
          <p class="dim">The search index of the registry says nothing about it.</p>
        ) : (
          <>
            <p>
              <RevealedText text={summary.description} />
            </p>
            <dl class="facts">
              <dt>Title</dt>
              <dd>
                <RevealedText text={summary.title} />
              </dd>
              <dt>Format</dt>
              <dd>
                <RevealedText text={summary.format} />
              </dd>
              <dt>Tools</dt>
              <dd>
                <RevealedText text={summary.tools.join(', ') || 'none'} />
              </dd>
              {summary.tags.length > 0 && [
                <dt key="tags">Tags</dt>,
                <dd key="tags-text">
                  <RevealedText text={summary.tags.join(', ')} />
                </dd>,
              ]}
              <dt>Registry</dt>
              <dd>{registry}</dd>
            </dl>
            <p class="dim">Its publisher wrote this.</p>
          </>
        )}
        {own.map((it) => (
          <p key={it.package}>
            Installed as <Link to={['packages', it.package]}>{it.package}</Link>{' '}
            <RevealedText text={it.version} />.
          </p>
        ))}
        <div class="actions">
          <Button kind="primary" disabled={!isOffered} onClick={() => plan()}>
            {own.length === 0 ? 'Plan and install…' : 'Plan an update…'}
          </Button>
        </div>
        <CommandText text={`toolwharf install registry:${name}`} />
      </div>
      <Section title="Versions">
        <Table label="Versions" columns={columns} rows={releases} keyOf={(it) => it.version} />
      </Section>
      {chosen.value !== null && (
        <InstallDialog
          what={{ source: chosen.value }}
          source={chosen.value}
          onClose={() => {
            chosen.value = null;
          }}
        />
      )}
    </>
  );
}
