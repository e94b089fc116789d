import { saveFile } from '../state/api-client.js';
import { Button } from './button.js';
import { formatBytes } from './format.js';
import { isObject } from './json-value.js';
import { Media } from './media.js';
import { TextView } from './text-view.js';

/** The contents of a resource: text, a picture, a sound, or bytes to save. */
export function ResourceContentsView({ contents }: { contents: unknown }) {
  if (!isObject(contents)) return <p className="soft">The contents are no object.</p>;
  const { uri, mimeType, text, blob } = contents;
  return (
    <div className="stack-tight">
      <div className="row-wrap">
        <code className="wrap">{String(uri)}</code>
        {typeof mimeType === 'string' && <span className="badge">{mimeType}</span>}
      </div>
      {typeof text === 'string' && (
        <TextView text={text} {...(typeof mimeType === 'string' ? { mimeType } : {})} />
      )}
      {typeof blob === 'string' && <Blob64 blob={blob} mimeType={mimeType} uri={String(uri)} />}
    </div>
  );
}

function Blob64({ blob, mimeType, uri }: { blob: string; mimeType: unknown; uri: string }) {
  const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
  const kind = type.startsWith('image/') ? 'image' : type.startsWith('audio/') ? 'audio' : undefined;
  const save = () => {
    const bytes = Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
    saveFile(new Blob([bytes], { type: 'application/octet-stream' }), fileName(uri));
  };
  return (
    <div className="stack-tight">
      {kind && <Media kind={kind} data={blob} mimeType={type} />}
      <div className="row-wrap">
        <span className="soft small">{formatBytes(Math.floor((blob.length * 3) / 4))}</span>
        <Button icon="download" size="small" onClick={save}>
          Save
        </Button>
      </div>
    </div>
  );
}

/** The last segment of the URI, with nothing in it that a file name cannot have. */
function fileName(uri: string): string {
  const last = uri.split(/[/?#]/).filter(Boolean).at(-1) ?? 'resource';
  return last.replace(/[^\w.-]/g, '_');
}
