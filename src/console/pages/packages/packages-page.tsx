import type { PackageState } from '../../../host/host.js';
import { Link } from '../../parts/link.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Empty, Loaded } from '../../parts/section.js';
import { type Column, Table } from '../../parts/table.js';
import { navigate } from '../../shell/route.js';
import { packages } from '../inbox/inbox.js';
import type { ConsolePage } from '../page.js';
import { PackageFrame } from './package-frame.js';
import { PackagePage } from './package-page.js';
import { PackageStatusText } from './package-status-text.js';

export const packagesPage: ConsolePage = {
  path: 'packages',
  title: 'Packages',
  key: 'p',
  icon: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  view: Packages,
};

const columns: readonly Column<PackageState>[] = [
  {
    title: 'Package',
    cell: ({ id, path, version }) => (
      <>
        {id === null ? (
          <RevealedText text={path} />
        ) : (
          <Link to={['packages', id]}>
            <RevealedText text={id} />
          </Link>
        )}
        <div class="dim">
          <RevealedText text={version} />
        </div>
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ state, reasons }) => (
      <>
        <PackageStatusText state={state} />
        {reasons.length > 0 && (
          <div class="dim narrow-only clamped">
            <RevealedText text={reasons.join('; ')} />
          </div>
        )}
      </>
    ),
  },
  {
    title: 'Why',
    grows: true,
    wideOnly: true,
    cell: ({ reasons }) => <RevealedText text={reasons.join('; ')} />,
  },
  { title: 'Sandbox', wideOnly: true, cell: ({ sandbox }) => sandbox },
  { title: 'Tools', align: 'end', wideOnly: true, cell: ({ tools }) => tools.length },
];

function Packages({ rest: [id, part] }: { readonly rest: readonly string[] }) {
  if (id === undefined) return <PackageList />;
  return part === 'page' ? <PackageFrame id={id} /> : <PackagePage id={id} />;
}

/** What waits for a person comes first; within that, the order of the host stays. */
function isFine({ state, announcedChanges }: PackageState): boolean {
  return state === 'ready' && announcedChanges !== true;
}

function summaryOf(list: readonly PackageState[]): string {
  const fine = list.filter(isFine).length;
  const rest = list.length - fine;
  if (rest === 0) return `${fine} ready.`;
  return `${fine} ready, ${rest} ${rest === 1 ? 'needs' : 'need'} attention.`;
}

function PackageList() {
  return (
    <div class="page">
      <header>
        <h1>Packages</h1>
        {packages.value.value !== undefined && <p class="dim">{summaryOf(packages.value.value)}</p>}
      </header>
      <Loaded from={packages.value}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No packages" />
          ) : (
            <Table
              label="Packages"
              columns={columns}
              rows={[...list].sort((a, b) => Number(isFine(a)) - Number(isFine(b)))}
              keyOf={(it) => it.path}
              onOpen={({ id }) => id !== null && navigate('packages', id)}
            />
          )
        }
      </Loaded>
    </div>
  );
}
