import { useEffect, useState } from 'react';
import type { CommandResult, InspectedSkill, ServerView, SkillFileView } from '../../../api.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { formatBytes, plural } from '../../components/format.js';
import { Icon } from '../../components/icon.js';
import { JsonTree } from '../../components/json-tree.js';
import { FailureNotice, Notice } from '../../components/notice.js';
import { command } from '../../state/api-client.js';
import { routeHash } from '../../state/route.js';
import { useCommand } from '../../state/use-command.js';
import { SkillFileCard, type SkillFileVerdict, VERDICTS } from './skill-file.js';

const SKILLS = 'io.modelcontextprotocol/skills';
const DIRECTORY = 'inode/directory';

/** A line of the table of files. */
interface FileLine {
  readonly uri: string;
  readonly size?: number | undefined;
  readonly digest?: string | undefined;
}

export function SkillDetail({ server, skill }: { server: ServerView; skill: InspectedSkill }) {
  const { uri, name, description, frontmatter, files, problem } = skill;
  const [read, setRead] = useState<ReadonlyMap<string, SkillFileView>>(new Map());
  const [shown, setShown] = useState<string | undefined>();
  const { busy, failure, run } = useCommand();
  const open = async (file: string) => {
    setShown(file);
    const view = await run(() => command('skills.read', { server: server.id, skill: uri, uri: file }));
    if (view !== undefined) setRead((before) => new Map(before).set(file, view));
  };
  const directory = uri.replace(/\/SKILL\.md$/, '');
  const view = shown === undefined ? undefined : read.get(shown);
  const reader = { busy: busy || server.state !== 'ready', directory, read, shown, open };
  return (
    <div className="detail stack">
      <a className="button back" href={routeHash('skills', server.id)}>
        <Icon name="back" /> All skills
      </a>
      <div className="stack-tight">
        <h1 className="panel-title wrap">{name}</h1>
        <code className="soft wrap">{uri}</code>
        {description !== '' && <p className="pre-wrap wrap">{description}</p>}
      </div>
      {problem !== undefined && <Notice tone="bad">Hosts must not use this entry: {problem}.</Notice>}
      <section className="stack-tight" aria-label="Frontmatter">
        <h2>Frontmatter</h2>
        <JsonTree value={frontmatter} label="Frontmatter" openDepth={2} />
      </section>
      {files === 'dynamic' ? (
        <DynamicFiles server={server} reader={reader} manifest={uri} />
      ) : (
        <section className="stack-tight" aria-label="Files">
          <h2>Files</h2>
          <p className="small soft">
            {plural(files.length, 'file')}, {formatBytes(files.reduce((sum, { size }) => sum + size, 0))}. A
            file is read when you open it, and its size and digest are compared with the entry.
          </p>
          <FileTable files={files} reader={reader} />
        </section>
      )}
      {failure && <FailureNotice failure={failure} />}
      {view && <SkillFileCard file={view} path={pathOf(view.uri, directory)} />}
    </div>
  );
}

interface Reader {
  readonly busy: boolean;
  readonly directory: string;
  readonly read: ReadonlyMap<string, SkillFileView>;
  readonly shown: string | undefined;
  open(uri: string): void;
}

function FileTable({ files, reader }: { files: readonly FileLine[]; reader: Reader }) {
  const { busy, directory, read, shown, open } = reader;
  return (
    <ul className="skill-files">
      {files.map(({ uri, size, digest }) => {
        const file = read.get(uri);
        const verdict: SkillFileVerdict = file?.verdict ?? 'unread';
        const [word, tone] = VERDICTS[verdict];
        return (
          <li key={uri} className="skill-file" aria-current={uri === shown ? 'true' : undefined}>
            <span className="mono wrap">{pathOf(uri, directory)}</span>
            <span className="small soft">{size === undefined ? '' : formatBytes(size)}</span>
            <Badge tone={tone}>{word}</Badge>
            <Button size="small" disabled={busy} onClick={() => open(uri)}>
              {file === undefined ? 'Read' : 'Read again'}
              <span className="visually-hidden"> {pathOf(uri, directory)}</span>
            </Button>
            {digest !== undefined && <code className="small soft skill-digest ellipsis">{digest}</code>}
          </li>
        );
      })}
    </ul>
  );
}

/** A skill without digests: its directories are listed one by one, where the server can. */
function DynamicFiles({
  server,
  reader,
  manifest,
}: {
  server: ServerView;
  reader: Reader;
  manifest: string;
}) {
  const settings = server.session?.capabilities.extensions?.[SKILLS];
  const listsDirectories = isSettings(settings) && settings.directoryRead === true;
  return (
    <section className="stack-tight" aria-label="Files">
      <h2>Files</h2>
      <Notice tone="warn">
        The skill is dynamic: its files have no digests, and nothing can be verified.
      </Notice>
      {listsDirectories ? (
        <Directory server={server} uri={reader.directory} reader={reader} />
      ) : (
        <FileTable files={[{ uri: manifest }]} reader={reader} />
      )}
    </section>
  );
}

type Listed = CommandResult<'skills.directory'>['resources'];

function Directory({ server, uri, reader }: { server: ServerView; uri: string; reader: Reader }) {
  const [children, setChildren] = useState<Listed>([]);
  const { failure, run } = useCommand();
  const { id } = server;
  useEffect(() => {
    void run(() => command('skills.directory', { server: id, uri })).then((answer) => {
      if (answer !== undefined) setChildren(answer.resources);
    });
  }, [run, id, uri]);
  const folders = children.filter(({ mimeType }) => mimeType === DIRECTORY);
  const files = children.filter(({ mimeType }) => mimeType !== DIRECTORY);
  return (
    <div className="stack-tight">
      {failure && <FailureNotice failure={failure} />}
      <FileTable files={files} reader={reader} />
      {folders.map((folder) => (
        <Folder key={folder.uri} server={server} uri={folder.uri} reader={reader} />
      ))}
    </div>
  );
}

function Folder({ server, uri, reader }: { server: ServerView; uri: string; reader: Reader }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="folder" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="right" /> {pathOf(uri, reader.directory)}
      </summary>
      {open && <Directory server={server} uri={uri} reader={reader} />}
    </details>
  );
}

function pathOf(uri: string, directory: string): string {
  return uri.startsWith(`${directory}/`) ? decodeURIComponent(uri.slice(directory.length + 1)) : uri;
}

function isSettings(value: unknown): value is { readonly directoryRead?: unknown } {
  return typeof value === 'object' && value !== null;
}
