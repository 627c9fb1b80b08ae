import { pages } from '../pages/pages.js';
import { Dialog } from '../parts/dialog.js';
import { isHelpOpen } from './keyboard.js';

const keys: readonly (readonly [string, string])[] = [
  ['j / k', 'next, previous'],
  ['y', 'approve the held call'],
  ['n', 'deny the held call'],
  ['e', 'change the arguments, then approve'],
  ['a', 'always within limits: add a standing rule'],
  ['?', 'this list'],
];

export function KeyHelp() {
  if (!isHelpOpen.value) return null;
  return (
    <Dialog
      title="Keys"
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <dl class="keys">
        {[...pages.map((it) => [`g ${it.key}`, it.title] as const), ...keys].map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
