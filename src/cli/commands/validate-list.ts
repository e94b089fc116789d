import { coverage } from '../../validate/coverage.js';

/** `plumb validate --list`: a line for each requirement, and the sums. */
export function listRequirements(): string {
  const { entries, checked, outside, open } = coverage();
  const lines = entries.map(({ requirement, how }) => {
    const { id, level, subject, revisions, title } = requirement;
    const versions =
      revisions.length === 1
        ? revisions[0]?.version
        : `${revisions[0]?.version}..${revisions.at(-1)?.version}`;
    return `${id}  ${level.padEnd(7)}  ${subject.padEnd(6)}  ${String(versions).padEnd(22)}  ${title}  [${how}]`;
  });
  return `${lines.join('\n')}\n\n${entries.length} requirements: ${checked} checked, ${outside} not testable from outside, ${open} not yet checked\n`;
}
