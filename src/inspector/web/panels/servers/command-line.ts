/** The words of a command line: blanks part them, quotes keep them together. Nothing is expanded. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  const pattern = /"((?:\\.|[^"\\])*)"|'([^']*)'|((?:\\.|[^\s"'\\])+)|(\s+)/g;
  let word: string | undefined;
  for (const [, double, single, bare, blank] of line.matchAll(pattern)) {
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else
      word =
        (word ?? '') + (double !== undefined || bare !== undefined ? plain(double ?? bare ?? '') : single);
  }
  if (word !== undefined) words.push(word);
  return words;
}

function plain(text: string): string {
  return text.replace(/\\(["'\\ ])/g, '$1');
}
