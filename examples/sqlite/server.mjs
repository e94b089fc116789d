/**
 * Lets a model explore a SQLite database and change nothing.
 *
 *   plumb call query sql='SELECT * FROM city' -- node examples/sqlite/server.mjs cities.db
 *
 * The file is read into memory, so no statement can reach it; `query_only` refuses statements that write, with an
 * error that the model understands. Values are bound, never joined into the text. Rows and text are bounded.
 */
import { readFile } from 'node:fs/promises';
import { createServer, ToolError } from 'plumb-mcp/server';
import initSqlJs from 'sql.js';
import { z } from 'zod';

const MAX_ROWS = 200;
/** What a statement begins with, after comments. A WITH that writes is refused by `query_only`. */
const READS = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(?:select|with|values|explain)\b/i;

const file = process.argv[2];
if (file === undefined) {
  console.error('Usage: node server.mjs FILE.db');
  process.exit(2);
}
const { Database } = await initSqlJs();
const database = new Database(await readFile(file));
database.run('PRAGMA query_only = ON');

const server = createServer({
  name: 'sqlite-explorer',
  version: '1.0.0',
  instructions: 'Read schema://tables first, then ask with the tool query. The database cannot be changed.',
});

server.resource('schema://tables', { name: 'tables', mimeType: 'application/sql' }, () =>
  select("SELECT sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .rows.map(([sql]) => `${sql};`)
    .join('\n'),
);

server.resource(
  'schema://tables/{table}/sample',
  {
    name: 'sample',
    description: 'The first five rows of a table',
    mimeType: 'application/json',
    complete: { table: (value) => tables().filter((name) => name.startsWith(value)) },
  },
  ({ variables: { table } }) => {
    // A name cannot be bound, so only names that exist are used.
    if (!tables().includes(table)) throw new ToolError(`There is no table ${table}`);
    return JSON.stringify(select(`SELECT * FROM "${table.replaceAll('"', '""')}" LIMIT 5`));
  },
);

const value = z.union([z.string(), z.number(), z.null()]);

server.tool(
  'query',
  {
    description: `Runs one SELECT, with ? for values. Returns at most ${MAX_ROWS} rows.`,
    input: z.object({ sql: z.string().max(10_000), values: z.array(value).default([]) }),
    output: z.object({ columns: z.array(z.string()), rows: z.array(z.array(value)), more: z.boolean() }),
    annotations: { readOnlyHint: true, idempotentHint: true },
  },
  ({ sql, values }) => select(sql, values),
);

function tables() {
  return select("SELECT name FROM sqlite_master WHERE type = 'table'").rows.map(([name]) => String(name));
}

/**
 * @param {string} sql
 * @param {(string | number | null)[]} [values]
 */
function select(sql, values = []) {
  /** @type {(string | number | null)[][]} */
  const rows = [];
  try {
    const [statement, another] = [...statements(sql)];
    if (statement === undefined) throw new Error('no statement');
    if (another !== undefined) throw new Error('one statement at a time');
    if (!READS.test(statement)) throw new Error('only SELECT is allowed');
    const prepared = database.prepare(statement, values);
    try {
      const columns = prepared.getColumnNames();
      while (rows.length < MAX_ROWS && prepared.step()) rows.push(prepared.get().map(plain));
      return { columns, rows, more: rows.length === MAX_ROWS && prepared.step() };
    } finally {
      prepared.free();
    }
  } catch (error) {
    throw new ToolError(`The query failed: ${error instanceof Error ? error.message : error}`);
  }
}

/** @param {string} sql */
function* statements(sql) {
  for (const statement of database.iterateStatements(sql)) {
    yield statement.getSQL();
    statement.free();
  }
}

/**
 * @param {import('sql.js').SqlValue} cell
 * @returns {string | number | null}
 */
function plain(cell) {
  return cell instanceof Uint8Array ? `${cell.length} bytes` : cell;
}

await server.stdio();
