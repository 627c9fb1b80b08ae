import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ActivityCall, ActivityFilter } from '../../../model/activity.js';
import { countText, msText } from '../../parts/amount-text.js';
import { Button } from '../../parts/button.js';
import { Link } from '../../parts/link.js';
import { Problem } from '../../parts/problem.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Empty } from '../../parts/section.js';
import { dateText } from '../../parts/time-text.js';
import { connection, onTopics } from '../../shell/connection.js';
import { hostApi } from '../../shell/operations.js';
import { CallPages } from './call-pages.js';
import { OutcomeStatus } from './outcome-group.js';

/** Pixels; as in activity.css. */
const rowHeight = 40;
const extraRows = 15;
/** What is in view at the top of the list, at least. */
const firstView = { from: 0, to: 40 };
/** Reads for new calls at most this often. Milliseconds. */
const refreshMs = 1000;

interface CallsTableProps {
  readonly filter: () => ActivityFilter;
  /** Differs if the filter does. */
  readonly filterKey: string;
}

/**
 * Any number of calls: only the rows in view are in the page, and only the parts around them are read. New calls join the
 * list at once while nobody reads it; otherwise they wait, so that nothing moves under the eyes or the mouse.
 */
export function CallsTable({ filter, filterKey }: CallsTableProps) {
  const version = useSignal(0);
  const view = useSignal(firstView);
  /** The key of the filter that the rows fit. */
  const shownKey = useSignal<string | undefined>(undefined);
  const frame = useRef<HTMLDivElement>(null);
  const newFilter = useRef(filter);
  newFilter.current = filter;
  // One list for all filters: the rows of the filter before stay until those of the new one were read.
  const pages = useMemo(
    () =>
      new CallPages(
        () => newFilter.current(),
        (query) => hostApi.activity.calls(query),
        () => {
          version.value++;
        },
      ),
    [],
  );
  const isRead = () => {
    const element = frame.current;
    return (
      element !== null &&
      (element.scrollTop > 0 || element.matches(':hover') || element.contains(document.activeElement))
    );
  };
  const toTop = () => {
    if (frame.current !== null) frame.current.scrollTop = 0;
    view.value = firstView;
    void pages.want(firstView.from, firstView.to);
  };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isBusy = false;
    let isStale = false;
    let isOver = false;
    const isShown = () => shownKey.peek() === filterKey;
    const again = async () => {
      timer = undefined;
      isBusy = true;
      isStale = false;
      if (!isShown()) {
        await pages.restart();
        if (!isOver && pages.error === undefined) shownKey.value = filterKey;
      } else if (isRead()) await pages.refresh();
      else await pages.restart(isRead);
      isBusy = false;
      if (isStale) soon();
    };
    const soon = () => {
      isStale = true;
      if (!isBusy && !isOver) timer ??= setTimeout(() => void again(), isShown() ? refreshMs : 0);
    };
    toTop();
    const stop = onTopics(['calls'], soon, () => pages.error !== undefined);
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [filterKey]);
  const measure = () => {
    const element = frame.current;
    if (element === null) return;
    const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - extraRows);
    const to = from + Math.ceil(element.clientHeight / rowHeight) + 2 * extraRows;
    if (from !== view.peek().from || to !== view.peek().to) view.value = { from, to };
    void pages.want(from, to);
  };
  // Reading it draws again when a part was read.
  void version.value;
  const { total, newer, complete, error } = pages;
  const from = Math.min(view.value.from, total);
  const to = Math.min(view.value.to, total);
  const isLoading = shownKey.value !== filterKey;
  const showNewer = () => {
    toTop();
    return pages.restart();
  };
  return (
    <div class="calls" aria-busy={isLoading}>
      <div class="calls-head">
        <p class="dim" aria-live="off">
          {isLoading ? 'Loading…' : countText(total, 'call')}
          {!isLoading && !complete && ' in the newest part of the log; the audit log has older ones'}
        </p>
        {!isLoading && newer > 0 && <Button onClick={showNewer}>{countText(newer, 'new call')}: show</Button>}
      </div>
      {error !== undefined && connection.value !== 'lost' && <Problem error={error} />}
      {pages.isReady && total === 0 ? (
        <Empty title="No calls">
          <p>Calls that fit the filters appear here at once.</p>
        </Empty>
      ) : (
        <div
          class="table windowed"
          ref={frame}
          onScroll={measure}
          // A part of the page that scrolls must be reachable with the keyboard.
          {...{ tabIndex: 0, role: 'region', 'aria-label': 'List of calls' }}
        >
          <table aria-label="Calls" aria-rowcount={total + 1}>
            <thead>
              <tr>
                <th scope="col" class="time">
                  Time
                </th>
                <th scope="col" class="outcome">
                  Outcome
                </th>
                <th scope="col">Tool</th>
                <th scope="col" class="wide-only">
                  Client
                </th>
                <th scope="col" class="wide-only">
                  Reason
                </th>
                <th scope="col" class="wide-only duration">
                  Duration
                </th>
              </tr>
            </thead>
            <tbody>
              {from > 0 && <Space rows={from} />}
              {Array.from({ length: to - from }, (_, offset) => (
                <CallRow key={from + offset} index={from + offset} call={pages.at(from + offset)} />
              ))}
              {to < total && <Space rows={total - to} />}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function CallRow({ index, call }: { readonly index: number; readonly call: ActivityCall | undefined }) {
  if (call === undefined)
    return (
      <tr aria-rowindex={index + 2}>
        <td colSpan={6} class="dim">
          …
        </td>
      </tr>
    );
  const { at, status, tool, principal, reason, durationMs } = call;
  const date = new Date(at);
  return (
    <tr aria-rowindex={index + 2}>
      <td class="time">
        <time dateTime={date.toISOString()} title={dateText(date)}>
          {timeText(date)}
        </time>
      </td>
      <td>
        <OutcomeStatus status={status} />
      </td>
      <td title={tool}>
        <Link to={['activity', call.call]}>
          <RevealedText text={tool === '' ? 'no name' : tool} />
        </Link>
      </td>
      <td class="wide-only" title={principal}>
        <RevealedText text={principal} />
      </td>
      <td class="wide-only" title={reason}>
        <RevealedText text={reason.replaceAll('_', ' ')} />
      </td>
      <td class="wide-only duration">{durationMs === null ? '' : msText(durationMs)}</td>
    </tr>
  );
}

function Space({ rows }: { readonly rows: number }) {
  return (
    <tr class="space">
      <td colSpan={6} style={{ height: `${rows * rowHeight}px` }} />
    </tr>
  );
}

/** With the date if it is not today. */
function timeText(date: Date): string {
  const time = date.toLocaleTimeString('en-GB');
  if (date.toDateString() === new Date().toDateString()) return time;
  return `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${time.slice(0, 5)}`;
}
