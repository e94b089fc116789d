/** `--out FILE`: what a server returned, in files. */

import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { ContentBlock, ResourceContents } from '../../protocol/index.js';
import { UsageError } from '../failure/failure.js';
import { formatBytes } from './text.js';

export function bytesOfBlocks(blocks: readonly ContentBlock[]): Buffer[] {
  const binaries = blocks.flatMap((block) => {
    if (block.type === 'image' || block.type === 'audio') return [Buffer.from(block.data, 'base64')];
    return block.type === 'resource' && 'blob' in block.resource ? bytesOfContents([block.resource]) : [];
  });
  if (binaries.length > 0) return binaries;
  const texts = blocks.flatMap((block) => {
    if (block.type === 'text') return [block.text];
    return block.type === 'resource' && 'text' in block.resource ? [block.resource.text] : [];
  });
  return texts.length === 0 ? [] : [Buffer.from(texts.join('\n'))];
}

export function bytesOfContents(contents: readonly ResourceContents[]): Buffer[] {
  return contents.map((item) => ('text' in item ? Buffer.from(item.text) : Buffer.from(item.blob, 'base64')));
}

/** Writes `FILE`, and `FILE-2`, `FILE-3` (before the extension) where there is more than one. Reports what it wrote. */
export function save(path: string, files: readonly Buffer[]): string[] {
  if (files.length === 0) return ['Nothing to save: the result has no content'];
  return files.map((bytes, index) => {
    const name = index === 0 ? path : numbered(path, index + 1);
    try {
      writeFileSync(name, bytes);
    } catch (cause) {
      const detail = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError(`--out: cannot write ${name}: ${detail}`, { cause });
    }
    return `Saved ${formatBytes(bytes.length)} to ${name}`;
  });
}

function numbered(path: string, number: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}-${number}${extension}`;
}
