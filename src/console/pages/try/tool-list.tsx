import { signal } from '@preact/signals';
import type { ListedTool } from '../../../host/host.js';
import { Link } from '../../parts/link.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Empty, Loaded } from '../../parts/section.js';
import { type Column, Table } from '../../parts/table.js';
import { pathOfTool } from '../../shell/prepared-call.js';
import { navigate } from '../../shell/route.js';
import { effectText } from './effect-text.js';
import { RecentRuns } from './recent-runs.js';
import { prepare, tools } from './try-state.js';

/** Stays while other pages are open. */
const query = signal('');
const searchTexts = new WeakMap<ListedTool, string>();

const columns: readonly Column<ListedTool>[] = [
  {
    title: 'Tool',
    cell: ({ name }) => (
      <Link to={pathOfTool(name)}>
        <RevealedText text={name} />
      </Link>
    ),
  },
  {
    title: 'What it does',
    grows: true,
    wideOnly: true,
    cell: ({ tool }) => <RevealedText text={firstLine(tool.description)} />,
  },
  {
    title: 'Effect',
    wideOnly: true,
    cell: ({ tool }) => effectText(tool),
  },
];

/** All tools that can be called now, to choose one. */
export function ToolList() {
  return (
    <div class="page">
      <header>
        <h1>Try</h1>
        <p class="dim">Call a tool yourself, or see what the host would decide about a call.</p>
      </header>
      <Loaded from={tools.value}>
        {(all) => {
          const found = matching(all, query.value);
          return (
            <>
              <label class="search">
                <span class="sr-only">Search tools</span>
                <input
                  type="search"
                  placeholder="Search by name and description"
                  value={query.value}
                  onInput={(event) => {
                    query.value = event.currentTarget.value;
                  }}
                  onKeyDown={(event) => {
                    const [first] = found;
                    if (event.key === 'Enter' && first !== undefined) navigate(...pathOfTool(first.name));
                  }}
                />
                <span class="dim" role="status">
                  {found.length === all.length
                    ? `${all.length.toLocaleString('en')} ${all.length === 1 ? 'tool' : 'tools'}`
                    : `${found.length.toLocaleString('en')} of ${all.length.toLocaleString('en')} tools`}
                </span>
              </label>
              {found.length === 0 ? (
                <Empty title={all.length === 0 ? 'No tool can be called now' : 'No tool matches'}>
                  <p>{all.length === 0 ? 'The page of each package says why.' : 'Search for other words.'}</p>
                </Empty>
              ) : (
                <Table
                  label="Tools"
                  columns={columns}
                  rows={found}
                  keyOf={(it) => it.name}
                  onOpen={({ name }) => navigate(...pathOfTool(name))}
                />
              )}
            </>
          );
        }}
      </Loaded>
      <RecentRuns
        onOpen={(run) => {
          prepare(run.tool, run.arguments, run);
          navigate(...pathOfTool(run.tool));
        }}
      />
    </div>
  );
}

function matching(all: readonly ListedTool[], text: string): readonly ListedTool[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((it) => it !== '');
  if (words.length === 0) return all;
  return all.filter((it) => {
    const own = searchTextOf(it);
    return words.every((word) => own.includes(word));
  });
}

function searchTextOf(it: ListedTool): string {
  let text = searchTexts.get(it);
  if (text === undefined) {
    text = `${it.name} ${it.exposed} ${it.tool.description}`.toLowerCase();
    searchTexts.set(it, text);
  }
  return text;
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length > 140 ? `${line.slice(0, 139)}…` : line;
}
