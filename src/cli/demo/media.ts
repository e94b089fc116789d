/** Small pictures and sounds, so that the demo needs no files. */

import type { Icon } from '../../protocol/model/base.js';

/** A plumb bob, 16 x 16 pixels. */
export const PNG_BASE64: string =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9hAAAAL0lEQVR42mNgwAPk81//B2EGcsFINACmgRAeNYCWBhBjCEXRSVYioig1' +
  'UpyUiQEA8lDeMQBSGmEAAAAASUVORK5CYII=';

export const PNG_BYTES: Uint8Array = Buffer.from(PNG_BASE64, 'base64');

/** Scalable and short: servers repeat their icons in every answer of the stateless revision. */
export const ICONS: Icon[] = [
  {
    src: encodeURI(
      "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path d='M4 0v3H1l3 5 3-5H4'/></svg>",
    ),
    mimeType: 'image/svg+xml',
    sizes: ['any'],
  },
];

const SAMPLE_RATE = 8_000;
const HEADER_BYTES = 44;

/** A tone as an 8-bit mono WAV file, in base64. */
export function toneBase64(hertz: number, milliseconds: number): string {
  const samples = Math.round((SAMPLE_RATE * milliseconds) / 1_000);
  const file = Buffer.alloc(HEADER_BYTES + samples);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(SAMPLE_RATE, 24);
  file.writeUInt32LE(SAMPLE_RATE, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(samples, 40);
  for (let index = 0; index < samples; index += 1) {
    const angle = (2 * Math.PI * hertz * index) / SAMPLE_RATE;
    file[HEADER_BYTES + index] = 128 + Math.round(100 * Math.sin(angle));
  }
  return file.toString('base64');
}
