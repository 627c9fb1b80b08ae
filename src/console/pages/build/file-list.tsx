import { signal, useSignal } from '@preact/signals';
import { Button } from '../../parts/button.js';
import { confirmWith } from '../../parts/confirmation-dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { type Build, changeFiles } from './build-state.js';
import { SourceView } from './source-view.js';

/** The file that is open beside the manifest. */
export const chosenFile = signal('');

/** The other files of the package: to edit, add, rename and remove. */
export function FileList({ now }: { readonly now: Build }) {
  const name = useSignal('');
  const others = now.files.filter((it) => it.path !== now.manifest);
  const open = others.find((it) => it.path === chosenFile.value) ?? others[0];
  const problem = pathProblem(name.value, now);
  const add = () => {
    changeFiles([...now.files, { path: name.value, text: '' }]);
    chosenFile.value = name.value;
    name.value = '';
  };
  const rename = (path: string) => {
    changeFiles(now.files.map((it) => (it.path === path ? { ...it, path: name.value } : it)));
    chosenFile.value = name.value;
    name.value = '';
  };
  const remove = async (path: string) => {
    const isSure = await confirmWith({
      title: 'Remove this file?',
      text: <p>What is in {path} is lost.</p>,
      yes: 'Remove',
      danger: true,
    });
    if (isSure) changeFiles(now.files.filter((it) => it.path !== path));
  };
  return (
    <section class="card" aria-label="Other files">
      {others.length > 0 && (
        <div class="file-tabs">
          {others.map(({ path }) => (
            <button
              key={path}
              type="button"
              class="button small"
              aria-pressed={path === open?.path}
              onClick={() => {
                chosenFile.value = path;
              }}
            >
              <RevealedText text={path} />
            </button>
          ))}
        </div>
      )}
      {open !== undefined && (
        <SourceView
          key={open.path}
          label={`Text of ${open.path}`}
          text={open.text}
          diagnostics={(now.checked?.diagnostics ?? []).filter((it) => it.file === open.path)}
          onChange={(text) =>
            changeFiles(now.files.map((it) => (it.path === open.path ? { ...it, text } : it)))
          }
        />
      )}
      <div class="add-other">
        <input
          aria-label="Path of a file"
          placeholder="such as lib/helper.js"
          value={name.value}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
        <Button disabled={problem !== undefined} onClick={add}>
          Add
        </Button>
        {open !== undefined && (
          <>
            <Button disabled={problem !== undefined} onClick={() => rename(open.path)}>
              Rename
            </Button>
            <Button kind="danger" onClick={() => remove(open.path)}>
              Remove
            </Button>
          </>
        )}
        {name.value !== '' && problem !== undefined && <p class="problem">{problem}</p>}
      </div>
      {now.leftOut.length > 0 && (
        <p class="note warning">
          <span>
            Not here, because they are not text or too large: <RevealedText text={now.leftOut.join(', ')} />.
            Checks that need them report them as missing.
          </span>
        </p>
      )}
    </section>
  );
}

function pathProblem(path: string, { files }: Build): string | undefined {
  if (path === '') return 'Name the file.';
  if (
    path.startsWith('/') ||
    path.split('/').some((it) => it === '' || it === '.' || it === '..') ||
    path.includes('\\')
  )
    return 'Write a path inside the folder, with forward slashes.';
  return files.some((it) => it.path === path) ? 'There is a file with this path.' : undefined;
}
