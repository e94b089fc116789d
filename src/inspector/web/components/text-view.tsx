import { useState } from 'react';
import { JsonTree } from './json-tree.js';
import { parseStructure } from './json-value.js';
import { LongText, SHOWN_CHARACTERS } from './long-text.js';
import { Markdown } from './markdown.js';
import { Segmented } from './segmented.js';

type Way = 'text' | 'markdown' | 'json';

const LOOKS_LIKE_MARKDOWN =
  /^#{1,6} |\*\*[^*\n]+\*\*|^[ \t]*[-*] |^\d+\. |```|\[[^[\]\n]+\]\([^()\n]+\)|^>|^\|.+\|$/m;

export function TextView({ text, mimeType }: { text: string; mimeType?: string }) {
  // Laying out megabytes, or reading them as markdown, would block the page.
  if (text.length > SHOWN_CHARACTERS) return <LongText text={text} label="Text" />;
  return <ShortText text={text} {...(mimeType === undefined ? {} : { mimeType })} />;
}

function ShortText({ text, mimeType }: { text: string; mimeType?: string }) {
  const structure = parseStructure(text);
  const preferred: Way =
    structure !== undefined
      ? 'json'
      : mimeType === 'text/markdown' || LOOKS_LIKE_MARKDOWN.test(text)
        ? 'markdown'
        : 'text';
  const [way, setWay] = useState<Way>(preferred);
  const choices = [
    { name: 'text', label: 'Text' },
    { name: 'markdown', label: 'Markdown' },
    ...(structure === undefined ? [] : [{ name: 'json', label: 'JSON' } as const]),
  ] as const;
  return (
    <div className="content-frame text-view">
      <div className="text-ways">
        <Segmented label="Show as" choices={choices} selected={way} onSelect={setWay} />
      </div>
      {way === 'json' && <JsonTree value={structure} label="JSON text" />}
      {way === 'markdown' && <Markdown text={text} />}
      {way === 'text' && <pre className="pre-wrap wrap">{text}</pre>}
    </div>
  );
}
