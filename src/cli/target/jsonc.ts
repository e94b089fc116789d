/** JSON as editors write their settings: with comments and trailing commas. */

const TOKENS = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*[}\]])/g;

/** Throws a SyntaxError like JSON.parse. */
export function parseJsonc(text: string): unknown {
  // Blanks instead of nothing, so that the positions in error messages stay true.
  const json = text
    .replace(/^\ufeff/, '')
    .replace(TOKENS, (token) => (token.startsWith('"') ? token : token.replaceAll(/[^\n]/g, ' ')));
  return JSON.parse(json);
}
