import { Button } from '../../parts/button.js';
import { bytesOf, download } from '../../parts/download.js';
import { RevealedText } from '../../parts/revealed-text.js';

const image = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;
const audio = /^audio\/[\w.+-]+$/;
/** Characters of base64. Larger content is only offered as a file. */
const maxShown = 12 * 1024 * 1024;

interface MediaViewProps {
  readonly data: string;
  readonly mimeType: string;
}

/** Binary content: an image or a sound where the browser can show it, and always as a file. */
export function MediaView({ data, mimeType }: MediaViewProps) {
  const isSmall = data.length <= maxShown;
  const kilobytes = Math.max(1, Math.round((data.length * 3) / 4 / 1024)).toLocaleString('en');
  const extension = /^\w+\/([\w-]+)/.exec(mimeType)?.[1] ?? 'bin';
  const save = () => {
    const bytes = bytesOf(data);
    if (bytes !== undefined) download(`answer.${extension}`, 'application/octet-stream', bytes);
  };
  return (
    <figure class="media">
      {isSmall && image.test(mimeType) && <img src={`data:${mimeType};base64,${data}`} alt="From the tool" />}
      {isSmall && audio.test(mimeType) && (
        // biome-ignore lint/a11y/useMediaCaption: tools send sounds without captions.
        <audio controls src={`data:${mimeType};base64,${data}`} />
      )}
      <figcaption>
        <span class="dim">
          <RevealedText text={mimeType} />, {kilobytes} kB
        </span>{' '}
        <Button onClick={save}>Save as a file</Button>
      </figcaption>
    </figure>
  );
}
