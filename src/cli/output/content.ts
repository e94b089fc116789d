/** What servers return, for people to read. */

import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../jsonrpc/message.js';
import { printable, singleLine } from '../../protocol/display.js';
import type {
  CallToolResult,
  ContentBlock,
  PromptMessage,
  ResourceContents,
  ResourceLink,
} from '../../protocol/index.js';
import type { Terminal } from './terminal.js';
import { formatBytes, indent } from './text.js';

/** The result of a tool; what text and structured content both say is shown once. */
export function renderToolResult(result: CallToolResult, terminal: Terminal): string {
  const { content, structuredContent } = result;
  if (structuredContent === undefined || isOnlyWrapped(content, structuredContent))
    return renderBlocks(content, terminal);
  const others = content.filter(
    (block) => !(block.type === 'text' && repeats(block.text, structuredContent)),
  );
  const structured = shown(JSON.stringify(structuredContent, null, 2), terminal);
  return [renderBlocks(others, terminal), structured].filter((part) => part !== '').join('\n');
}

function renderBlocks(blocks: readonly ContentBlock[], terminal: Terminal): string {
  return blocks.map((block) => renderBlock(block, terminal)).join('\n');
}

export function renderMessages(messages: readonly PromptMessage[], terminal: Terminal): string {
  return messages
    .map(({ role, content }) => {
      const text = renderBlock(content, terminal);
      return `${terminal.style('bold', `${singleLine(String(role))}:`)}\n${indent(text.split('\n')).join('\n')}`;
    })
    .join('\n\n');
}

/** A single text is printed unchanged, so that it can be piped; several contents get a heading line each. */
export function renderContents(contents: readonly ResourceContents[], terminal: Terminal): string {
  const [only, ...more] = contents;
  if (only !== undefined && more.length === 0) return renderBody(only, terminal);
  return contents.map((item) => renderResource(item, terminal)).join('\n');
}

function renderBlock(block: ContentBlock, terminal: Terminal): string {
  switch (block.type) {
    case 'text':
      return shown(block.text, terminal);
    case 'image':
    case 'audio':
      return `[${block.type} ${singleLine(block.mimeType)} ${sizeOf(block.data)}]`;
    case 'resource':
      return renderResource(block.resource, terminal);
    case 'resource_link':
      return renderLink(block, terminal);
    default:
      // A block of a later revision, or an unknown one: print it rather than drop it.
      return shown(JSON.stringify(block, null, 2), terminal);
  }
}

function renderResource(contents: ResourceContents, terminal: Terminal): string {
  const type = contents.mimeType === undefined ? '' : ` (${singleLine(contents.mimeType)})`;
  const head = terminal.style('dim', `[resource ${singleLine(contents.uri)}${type}]`);
  return `${head}\n${renderBody(contents, terminal)}`;
}

function renderBody(contents: ResourceContents, terminal: Terminal): string {
  if ('text' in contents) return shown(contents.text, terminal);
  const [kind] = (contents.mimeType ?? '').split('/');
  const name = kind === 'image' || kind === 'audio' ? kind : 'binary';
  return `[${name} ${singleLine(contents.mimeType ?? 'application/octet-stream')} ${sizeOf(contents.blob)}]`;
}

function renderLink(link: ResourceLink, terminal: Terminal): string {
  const facts = [link.mimeType, link.size === undefined ? undefined : formatBytes(link.size)]
    .filter(Boolean)
    .join(', ');
  const title = singleLine(link.title ?? link.name);
  const head = `[link ${title}: ${singleLine(link.uri)}${facts === '' ? '' : ` (${singleLine(facts)})`}]`;
  if (link.description === undefined) return terminal.style('cyan', head);
  return `${terminal.style('cyan', head)}\n  ${singleLine(link.description)}`;
}

/** Many servers give a text, and the same again as the only field of an object: `{ "content": "..." }`. */
function isOnlyWrapped(content: readonly ContentBlock[], structured: unknown): boolean {
  const [only, ...others] = isRecord(structured) ? Object.values(structured) : [];
  if (only === undefined || others.length > 0) return false;
  return content.some(
    (block) =>
      block.type === 'text' && (block.text === only || (isObject(only) && repeats(block.text, only))),
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function repeats(text: string, structured: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch {
    return false;
  }
}

function sizeOf(base64: string): string {
  return formatBytes(Buffer.byteLength(base64, 'base64'));
}

/** In a pipe the text stays as the server wrote it. */
function shown(text: string, terminal: Terminal): string {
  return terminal.interactive ? printable(text) : text;
}
