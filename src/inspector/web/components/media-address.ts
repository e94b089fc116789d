export type MediaKind = 'image' | 'audio';

const TYPE = /^(image|audio)\/[a-z0-9.+-]+$/i;
const BASE64 = /^[A-Za-z0-9+/=_\s-]*$/;

/** A data: address for a picture or a sound, from what a server says they are. */
export function mediaAddress(kind: MediaKind, data: unknown, mimeType: unknown): string | undefined {
  if (typeof data !== 'string' || typeof mimeType !== 'string') return undefined;
  if (!TYPE.test(mimeType) || !mimeType.toLowerCase().startsWith(`${kind}/`) || !BASE64.test(data)) {
    return undefined;
  }
  return `data:${mimeType};base64,${data.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/')}`;
}
