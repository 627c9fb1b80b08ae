import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly disabled?: boolean;
  /** The key that does the same, shown beside the text. */
  readonly shortcut?: string;
  readonly type?: 'button' | 'submit';
  /** While it runs, the button cannot be pressed again. */
  readonly onClick?: () => unknown;
  readonly label?: string;
}

export function Button({
  children,
  kind = 'plain',
  disabled = false,
  shortcut,
  type = 'button',
  onClick,
  label,
}: ButtonProps) {
  const busy = useSignal(false);
  const click = async () => {
    if (onClick === undefined || busy.value) return;
    busy.value = true;
    try {
      await onClick();
    } finally {
      busy.value = false;
    }
  };
  return (
    <button
      type={type}
      class={`button ${kind}`}
      disabled={disabled}
      aria-busy={busy.value}
      aria-label={label}
      aria-keyshortcuts={shortcut}
      onClick={click}
    >
      {children}
      {shortcut !== undefined && <kbd>{shortcut}</kbd>}
    </button>
  );
}
