import { Button, IconButton } from '../../components/button.js';

export interface RootLine {
  readonly key: number;
  readonly uri: string;
  readonly name: string;
}

interface Root {
  uri: string;
  name?: string;
}

let keys = 0;

export function toRootLines(roots: readonly { readonly uri: string; readonly name?: string }[]): RootLine[] {
  return roots.map(({ uri, name = '' }) => newLine(uri, name));
}

function newLine(uri = 'file:///', name = ''): RootLine {
  keys += 1;
  return { key: keys, uri, name };
}

export function toRoots(lines: readonly RootLine[]): Root[] {
  return lines
    .filter(({ uri }) => uri !== '')
    .map(({ uri, name }) => (name === '' ? { uri } : { uri, name }));
}

/** Roots to edit: an address and a name each. */
export function RootLines({
  lines,
  onChange,
}: {
  lines: readonly RootLine[];
  onChange: (lines: readonly RootLine[]) => void;
}) {
  const change = (key: number, part: Partial<RootLine>) =>
    onChange(lines.map((line) => (line.key === key ? { ...line, ...part } : line)));
  return (
    <div className="stack-tight">
      {lines.length === 0 && <p className="small soft">No roots.</p>}
      {lines.map((line, index) => (
        <div key={line.key} className="row">
          <input
            className="input mono"
            aria-label={`Root ${index + 1}`}
            spellCheck={false}
            value={line.uri}
            onChange={(event) => change(line.key, { uri: event.target.value })}
          />
          <input
            className="input root-name"
            aria-label={`Name of root ${index + 1}`}
            placeholder="name"
            value={line.name}
            onChange={(event) => change(line.key, { name: event.target.value })}
          />
          <IconButton
            icon="trash"
            label={`Remove root ${index + 1}`}
            onClick={() => onChange(lines.filter(({ key }) => key !== line.key))}
          />
        </div>
      ))}
      <div>
        <Button icon="plus" size="small" onClick={() => onChange([...lines, newLine()])}>
          Add a root
        </Button>
      </div>
    </div>
  );
}
