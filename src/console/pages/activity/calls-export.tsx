import { useSignal } from '@preact/signals';
import type { ActivityFilter } from '../../../model/activity.js';
import { Button } from '../../parts/button.js';
import { hostApi } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';
import { callsFile, type FileFormat } from './calls-file.js';

const types: Readonly<Record<FileFormat, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

/** Downloads the calls that fit the filters. */
export function CallsExport({ filter }: { readonly filter: () => ActivityFilter }) {
  const progress = useSignal<{ readonly done: number; readonly total: number } | null>(null);
  const isCanceled = useSignal(false);
  const download = (format: FileFormat) =>
    attempt(async () => {
      isCanceled.value = false;
      progress.value = { done: 0, total: 1 };
      try {
        const parts = await callsFile({
          ...{ format, filter: filter(), read: (query) => hostApi.activity.calls(query) },
          onProgress: (done, total) => {
            progress.value = { done, total };
            return !isCanceled.value;
          },
        });
        if (parts === null) return undefined;
        save(new Blob([...parts], { type: types[format] }), `toolwharf-calls.${format}`);
        return `${progress.value.done.toLocaleString('en')} calls were written to toolwharf-calls.${format}.`;
      } finally {
        progress.value = null;
      }
    });
  const at = progress.value;
  if (at !== null)
    return (
      <div class="actions">
        <label class="progress">
          <span class="sr-only">Reading calls</span>
          <progress value={at.done} max={Math.max(1, at.total)} />
        </label>
        <Button
          onClick={() => {
            isCanceled.value = true;
          }}
        >
          Cancel
        </Button>
      </div>
    );
  return (
    <div class="actions">
      <Button onClick={() => download('csv')}>Download CSV</Button>
      <Button onClick={() => download('ndjson')}>Download NDJSON</Button>
    </div>
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
