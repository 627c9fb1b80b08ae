import { useEffect } from 'preact/hooks';
import type { ListedTool } from '../../../host/host.js';
import { initialValue } from '../../parts/form/schema-fit.js';
import { Link } from '../../parts/link.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Empty, Loaded } from '../../parts/section.js';
import { Status } from '../../parts/status.js';
import { pathOfTool } from '../../shell/prepared-call.js';
import { navigate } from '../../shell/route.js';
import type { ConsolePage } from '../page.js';
import { CallForm } from './call-form.js';
import { effectText } from './effect-text.js';
import { ExplanationView } from './explanation-view.js';
import { RecentRuns } from './recent-runs.js';
import { RunView } from './run-view.js';
import { ToolList } from './tool-list.js';
import { prepare, stateOf, tools } from './try-state.js';

export const tryPage: ConsolePage = {
  path: 'try',
  title: 'Try',
  key: 't',
  icon: 'M6 4l13 8-13 8z',
  view: Try,
};

function Try({ rest }: { readonly rest: readonly string[] }) {
  useEffect(() => tools.start(), []);
  return rest.length === 0 ? <ToolList /> : <ToolPage name={rest.join('/')} />;
}

function ToolPage({ name }: { readonly name: string }) {
  return (
    <div class="page try">
      <p class="crumbs">
        <Link to={['try']}>Try</Link>
      </p>
      <Loaded from={tools.value}>
        {(all) => {
          const tool = all.find((it) => it.name === name);
          return tool === undefined ? (
            <>
              <h1>
                <RevealedText text={name} />
              </h1>
              <Empty title="This tool cannot be called now">
                <p>
                  Its package may need a review or a value:{' '}
                  <Link to={['packages', name.split('/')[0] ?? '']}>see the package</Link>.
                </p>
              </Empty>
            </>
          ) : (
            <ToolDetails key={name} tool={tool} />
          );
        }}
      </Loaded>
    </div>
  );
}

function ToolDetails({ tool }: { readonly tool: ListedTool }) {
  const { name, fixed } = tool;
  const { description, effect, input } = tool.tool;
  const state = stateOf(name, () => initialValue(input, input) ?? {});
  return (
    <>
      <header class="title">
        <h1>
          <RevealedText text={name} />
        </h1>
        <Status tone={effect === 'destructive' ? 'bad' : 'neutral'}>{effectText(tool.tool)}</Status>
        <div class="actions">
          <Link class="button" to={['packages', name.split('/')[0] ?? '']}>
            Package
          </Link>
        </div>
      </header>
      <p class="description">
        <RevealedText text={description} />
      </p>
      {fixed !== undefined && Object.keys(fixed).length > 0 && (
        <p class="note">
          Fixed by a set: <RevealedText text={Object.keys(fixed).join(', ')} />
        </p>
      )}
      <CallForm tool={tool} state={state} />
      {state.explanation.value !== null && <ExplanationView explanation={state.explanation.value} />}
      {state.run.value !== null && <RunView key={state.run.value.number} run={state.run.value} />}
      <RecentRuns
        tool={name}
        onOpen={(run) => {
          prepare(name, run.arguments, run);
          navigate(...pathOfTool(name));
          scrollTo(0, 0);
        }}
      />
    </>
  );
}
