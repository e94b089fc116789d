import type { SkillFileView } from '../../../api.js';
import { Badge, type Tone } from '../../components/badge.js';
import { formatBytes } from '../../components/format.js';
import { Notice } from '../../components/notice.js';
import { ResourceContentsView } from '../../components/resource-contents.js';

export type SkillFileVerdict = SkillFileView['verdict'] | 'unread';

export const VERDICTS: Readonly<Record<SkillFileVerdict, readonly [word: string, tone: Tone | undefined]>> = {
  unread: ['not read', undefined],
  verified: ['verified', 'good'],
  mismatch: ['mismatch', 'bad'],
  unlisted: ['no digest', 'warn'],
};

/** A file that was read, with what its digest says. */
export function SkillFileCard({ file, path }: { file: SkillFileView; path: string }) {
  const { verdict, problems, size, digest } = file;
  const [word, tone] = VERDICTS[verdict];
  return (
    <section className="card stack" aria-label={`File ${path}`}>
      <div className="row-wrap">
        <h2 className="wrap">{path}</h2>
        <Badge tone={tone}>{word}</Badge>
        <Badge>{formatBytes(size)}</Badge>
      </div>
      <code className="small soft wrap">{digest}</code>
      {problems.map((problem) => (
        <Notice key={problem} tone="bad">
          {problem}
        </Notice>
      ))}
      {verdict === 'mismatch' && (
        <p className="small soft">Hosts must not use this file. It is shown to find out what is wrong.</p>
      )}
      <ResourceContentsView contents={file} />
    </section>
  );
}
