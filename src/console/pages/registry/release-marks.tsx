import { RevealedText } from '../../parts/revealed-text.js';
import { Status } from '../../parts/status.js';

interface ReleaseMarksProps {
  readonly withdrawn: string | null;
  readonly quarantined: string | null;
}

/** What speaks against a release, with the reason. */
export function ReleaseMarks({ withdrawn, quarantined }: ReleaseMarksProps) {
  return (
    <>
      {quarantined !== null && (
        <div>
          <Status tone="bad">quarantined</Status>{' '}
          <span class="dim">
            <RevealedText text={quarantined} />
          </span>
        </div>
      )}
      {withdrawn !== null && (
        <div>
          <Status tone="warning">withdrawn</Status>{' '}
          <span class="dim">
            <RevealedText text={withdrawn} />
          </span>
        </div>
      )}
    </>
  );
}
