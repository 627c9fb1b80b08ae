import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { LongText } from '../../parts/value-view.js';
import { JsonTree, LinkedText } from './json-tree.js';
import { MediaView } from './media-view.js';

const maxParts = 100;

/** The content of an MCP result, each part by its kind. */
export function AnswerParts({ parts }: { readonly parts: readonly JsonObject[] }) {
  return (
    <div class="answer-parts">
      {parts.slice(0, maxParts).map((part, index) => (
        <AnswerPart key={index} part={part} />
      ))}
      {parts.length > maxParts && <p class="dim">{parts.length - maxParts} more parts are not shown.</p>}
    </div>
  );
}

function AnswerPart({ part }: { readonly part: JsonObject }) {
  const { type, text, data, mimeType, resource } = part;
  if (type === 'text' && typeof text === 'string') return <TextAnswer text={text} />;
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return <MediaView data={data} mimeType={String(mimeType ?? '')} />;
  if (type === 'resource' && isObject(resource)) return <ResourceView resource={resource} />;
  if (type === 'resource_link') return <ResourceLink link={part} />;
  return <JsonTree value={part} />;
}

/** A text. If it is JSON, as many tools write it, it is shown as a tree too. */
export function TextAnswer({ text }: { readonly text: string }) {
  return /^https?:\/\/\S+$/i.test(text) ? (
    <p>
      <LinkedText text={text} />
    </p>
  ) : (
    <LongText text={text} />
  );
}

function ResourceView({ resource }: { readonly resource: JsonObject }) {
  const { uri, text, blob, mimeType } = resource;
  return (
    <div class="resource">
      <p class="dim">
        Resource <LinkedText text={String(uri ?? '')} />
      </p>
      {typeof text === 'string' && <LongText text={text} />}
      {typeof blob === 'string' && <MediaView data={blob} mimeType={String(mimeType ?? '')} />}
    </div>
  );
}

function ResourceLink({ link }: { readonly link: JsonObject }) {
  const { uri, name, title, description } = link;
  const label = [title, name].find((it): it is Exclude<Json, null> => typeof it === 'string');
  return (
    <p class="resource">
      {label !== undefined && (
        <strong>
          <RevealedText text={String(label)} />{' '}
        </strong>
      )}
      <LinkedText text={String(uri ?? '')} />
      {typeof description === 'string' && (
        <span class="dim">
          {' '}
          <RevealedText text={description} />
        </span>
      )}
    </p>
  );
}
