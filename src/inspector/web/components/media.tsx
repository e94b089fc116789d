import { type MediaKind, mediaAddress } from './media-address.js';

export function Media({ kind, data, mimeType }: { kind: MediaKind; data: unknown; mimeType: unknown }) {
  const address = mediaAddress(kind, data, mimeType);
  if (address === undefined) {
    return (
      <p className="soft">
        {kind === 'image' ? 'A picture' : 'A sound'} of type {String(mimeType)} that cannot be shown.
      </p>
    );
  }
  return (
    <figure className="content-frame stack-tight">
      {kind === 'image' ? (
        <img className="content-image" src={address} alt={`Sent by the server, ${String(mimeType)}`} />
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: the server sends no captions
        <audio controls src={address} aria-label={`Sound sent by the server, ${String(mimeType)}`} />
      )}
      <figcaption className="small soft">{String(mimeType)}</figcaption>
    </figure>
  );
}
