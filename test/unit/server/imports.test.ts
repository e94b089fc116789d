/** What an import of the package loads: only what is always needed, in few files. Reads the built ones, as users get them. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));
const SRC = fileURLToPath(new URL('../../../src', import.meta.url));

/** Files and packages that are reached through static imports. */
function reach(entry: string): { files: string[]; packages: string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, specifier] of readFileSync(file, 'utf8').matchAll(
      /(?:^|;)(?:import|export)(?:[\w*{}\s,$]+?from)?\s*['"]([^'"]+)['"]/gm,
    )) {
      if (specifier === undefined) continue;
      if (specifier.startsWith('.')) visit(join(dirname(file), specifier));
      else packages.add(specifier);
    }
  };
  visit(join(DIST, entry));
  return { files: [...files].map((file) => relative(DIST, file)), packages: [...packages] };
}

/** The modules that were joined into these files, by the source maps beside them; what only passes names on has none. */
function modulesOf(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const map = join(DIST, `${file}.map`);
    if (!existsSync(map)) return [];
    const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] };
    return sources.map((source) =>
      relative(SRC, join(DIST, dirname(file), source))
        .split(sep)
        .join('/'),
    );
  });
}

test('importing the server loads no CLI, HTTP, YAML or OAuth code, and no package at all', () => {
  const { files, packages } = reach('server/index.js');
  const modules = modulesOf(files);
  expect(modules).toContain('server/dispatcher.ts');
  expect(modules.filter((module) => /(^|\/)(cli|http|auth|chain|client|legacy-sse)\//.test(module))).toEqual(
    [],
  );
  expect(packages).toEqual([]);
});

test.each(['server', 'client', 'protocol', 'middleware'])(
  'importing %s loads few files, and nothing of Node',
  (entry) => {
    const { files, packages } = reach(`${entry}/index.js`);
    expect(files.length).toBeLessThanOrEqual(3);
    expect(packages).toEqual([]);
  },
);

test('importing the client loads nothing of the server', () => {
  const modules = modulesOf(reach('client/index.js').files);
  expect(modules).toContain('client/connection/driver.ts');
  expect(modules.filter((module) => /^(server|chain|cli|auth)\//.test(module))).toEqual([]);
});

/** The modules of src/ that one imports at once, and what those import. Types are not there at run time. */
function reachedFrom(module: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(module)) return found;
  found.add(module);
  const text = readFileSync(join(SRC, module), 'utf8');
  for (const [statement, specifier] of text.matchAll(
    /^(?:import|export)\s(?!type\s)(?:[\w*{}\s,$]+\sfrom\s)?'(\.[^']+)';/gm,
  )) {
    const names = /\{([^}]*)\}/.exec(statement)?.[1]?.split(',') ?? [];
    const isTypes = names.length > 0 && names.every((name) => /^\s*(type\s.*)?$/.test(name));
    if (specifier !== undefined && !isTypes)
      reachedFrom(join(dirname(module), specifier).split(sep).join('/').replace(/\.js$/, '.ts'), found);
  }
  return found;
}

const { exports, imports } = JSON.parse(readFileSync(join(DIST, '../package.json'), 'utf8')) as {
  exports: Record<string, string | { default?: string }>;
  imports: Record<string, { node: string }>;
};
const published = (path: string): string => path.replace('./dist/', '');
const ENTRIES = Object.values(exports).flatMap((target) =>
  typeof target === 'string' || target.default === undefined ? [] : [published(target.default)],
);
const DOORS = Object.values(imports).map(({ node }) => published(node));

/** What is loaded with every server, and with every client. */
const COMMON = ['chunks/base.js', 'chunks/serving.js', 'chunks/calling.js'];

/** Source text, in characters, that may be loaded without need, because it is in one file with something needed. */
const MAX_NEEDLESS = 60_000;
/** Of what is needed, where that is more. */
const MAX_NEEDLESS_PART = 0.1;

function sizeOf(modules: readonly string[]): number {
  return modules.reduce((sum, module) => sum + readFileSync(join(SRC, module), 'utf8').length, 0);
}

/** What an entry loads beside what it needs and what is loaded already. */
function needlessOf(
  entry: string,
  loaded: readonly string[],
): { modules: string[]; size: number; limit: number } {
  const files = reach(entry).files.map((file) => file.split(sep).join('/'));
  const needed = reachedFrom(entry.replace(/\.js$/, '.ts'));
  const modules = modulesOf(files.filter((file) => !loaded.includes(file))).filter(
    (module) => !module.includes('node_modules/') && !needed.has(module),
  );
  const limit = Math.max(MAX_NEEDLESS, MAX_NEEDLESS_PART * sizeOf([...needed]));
  return { modules, size: sizeOf(modules), limit };
}

test.each(ENTRIES)('importing %s loads little that it does not need', (entry) => {
  const { modules, size, limit } = needlessOf(entry, COMMON);
  expect(size, modules.join('\n')).toBeLessThanOrEqual(limit);
});

test.each(DOORS)('%s is loaded lazily with little that it does not need', (door) => {
  // By a module of the same room, or by one that every server and client loads.
  const [room] = door.split('/');
  const importer = ENTRIES.find((entry) => entry === `${room}/index.js`);
  const loaded = importer === undefined ? COMMON : reach(importer).files;
  const { modules, size, limit } = needlessOf(
    door,
    loaded.map((file) => file.split(sep).join('/')),
  );
  expect(size, modules.join('\n')).toBeLessThanOrEqual(limit);
});

test('source maps lead to the sources, and the code does not name them: the package has neither', () => {
  const { files } = reach('chain/node.js');
  const modules = modulesOf(files).filter((module) => !module.includes('node_modules/'));
  expect(modules.length).toBeGreaterThan(100);
  expect(modules.filter((module) => !existsSync(join(SRC, module)))).toEqual([]);
  const code = files.map((file) => readFileSync(join(DIST, file), 'utf8'));
  expect(code.filter((text) => text.includes('sourceMappingURL'))).toEqual([]);
});
