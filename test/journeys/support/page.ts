/**
 * A page of the documentation as a reader follows it: files to save, commands to run, and what they print. In the info of a
 * block, `fails` marks commands that end with an error, `keeps-running` those that serve, and `manual` those that change
 * other programs. In the output, `...` stands for text, and on a line of its own for lines.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type CodeBlock, codeBlocks } from '../../../scripts/site/markdown.mjs';

export type PageStep =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | {
      readonly kind: 'commands';
      readonly text: string;
      readonly ending: 'succeeds' | 'fails' | 'keeps-running';
      readonly output: string | undefined;
    };

export function pageSteps(path: string): PageStep[] {
  const text = readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');
  const blocks = codeBlocks(text);
  return blocks.flatMap((block, index): PageStep[] => {
    const name = [...block.before.matchAll(/Save this as `([^`]+)`/g)].at(-1)?.[1];
    if (name !== undefined) return [{ kind: 'file', name, text: block.code }];
    if (block.language !== 'sh' || block.info.includes('manual')) return [];
    return [
      { kind: 'commands', text: block.code, ending: endingOf(block), output: outputOf(blocks[index + 1]) },
    ];
  });
}

function endingOf({ info }: CodeBlock): 'succeeds' | 'fails' | 'keeps-running' {
  if (info.includes('keeps-running')) return 'keeps-running';
  return info.includes('fails') ? 'fails' : 'succeeds';
}

function outputOf(block: CodeBlock | undefined): string | undefined {
  return block?.language === 'text' ? block.code : undefined;
}

/** A pattern for what a page says that a command prints. */
export function outputPattern(output: string): RegExp {
  const lines = output.trimEnd().split('\n');
  const patterns = lines.map((line) =>
    line === '...' ? '(?:.*\\n)*?' : `${line.split('...').map(escaped).join('.*')}[^\\S\\n]*\\n`,
  );
  return new RegExp(`^${patterns.join('')}$`);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
