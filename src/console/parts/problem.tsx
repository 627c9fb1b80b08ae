import { OperationError } from '../shell/operations.js';
import { RevealedText } from './revealed-text.js';
import { sentence } from './sentence.js';

/** Why something failed, in the words of the host, with what helps. */
export function Problem({ error, before = '' }: { readonly error: Error; readonly before?: string }) {
  const hint = error instanceof OperationError ? error.hint : undefined;
  return (
    <p class="problem" role="alert">
      {before}
      <RevealedText text={sentence(error.message)} />
      {hint !== undefined && (
        <span class="dim">
          {' '}
          <RevealedText text={sentence(hint)} />
        </span>
      )}
    </p>
  );
}
