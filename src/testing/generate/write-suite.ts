/** A generated suite as a file: YAML, JSON, or a module. */

import { extname } from 'node:path';
import { stringify } from 'yaml';
import type { JsonObject } from '../../jsonrpc/message.js';

const HEADER = 'Written by plumb test --generate. Edit it freely: expectations, tags, further cases.';

/** The text of a test file: YAML, JSON or a module, by the ending of its name. */
export function writeSuite(content: JsonObject, file: string): string {
  switch (extname(file).toLowerCase()) {
    case '.yaml':
    case '.yml':
      return `# ${HEADER}\n${stringify(content, { lineWidth: 0 })}`;
    case '.js':
    case '.mjs':
      return `// ${HEADER}\nexport default ${literal(content)};\n`;
    case '.ts':
    case '.mts':
      return `// ${HEADER}\nimport type { SuiteContent } from 'plumb-mcp/testing';\n\nexport default ${literal(content)} satisfies SuiteContent;\n`;
    default:
      return `${JSON.stringify(content, null, 2)}\n`;
  }
}

/** JSON is a literal of JavaScript, except for two characters. */
function literal(content: JsonObject): string {
  return JSON.stringify(content, null, 2).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
