import { isObject } from '../../../model/json.js';
import { Button } from '../../parts/button.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { Status } from '../../parts/status.js';
import { TimeText } from '../../parts/time-text.js';
import { recentRuns } from './run-tool.js';
import { statusOf } from './run-view.js';
import type { ToolRun } from './try-state.js';

interface RecentRunsProps {
  /** Undefined: of all tools. */
  readonly tool?: string;
  readonly onOpen: (run: ToolRun) => void;
}

/** The calls of this page, newest first. Each can be opened again with its arguments. */
export function RecentRuns({ tool, onOpen }: RecentRunsProps) {
  const runs = recentRuns.value.filter((it) => tool === undefined || it.tool === tool);
  if (runs.length === 0) return null;
  return (
    <Section title="Recent calls">
      <ul class="tools recent-runs">
        {runs.map((run) => {
          const [tone, word] = statusOf(run);
          return (
            <li key={run.number}>
              <div>
                <Status tone={tone}>{word}</Status>{' '}
                <code>
                  <RevealedText text={run.tool} />
                </code>{' '}
                <span class="dim">
                  <TimeText at={run.startedAt} />
                </span>
                <p class="dim arguments-line">
                  <RevealedText text={shortText(run)} />
                </p>
              </div>
              <Button onClick={() => onOpen(run)} label={`Open call ${run.number} of ${run.tool} again`}>
                Open
              </Button>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function shortText({ arguments: args }: ToolRun): string {
  if (isObject(args) && Object.keys(args).length === 0) return 'no arguments';
  const text = JSON.stringify(args);
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
