/** An OpenAPI 3 document as tools: one for each operation, called over HTTP at the base URL and nowhere else. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { localTarget } from '../../protocol/schema/references.js';
import { byteCount, type Size } from '../../protocol/size.js';
import { createServer, type Server, ToolError, ToolResult } from '../../server/index.js';
import { assertBaseUrl, assertPath, operationUrl, readText } from './openapi-http.js';

export interface OpenApiOptions {
  /** Where the API is; the document's own `servers` are not followed. */
  readonly baseUrl: string;
  /** Sent with every request, such as credentials. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Used instead of the `fetch` of the runtime. */
  readonly fetch?: typeof fetch | undefined;
  /** Longer answers are cut off: `'1MB'`, or a number, counted in characters. Default: 1 MB. */
  readonly maxBytes?: Size | undefined;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
const READS: ReadonlySet<string> = new Set(['get']);
const DEFAULT_MAX = 1024 * 1024;

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: JsonObject | undefined;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonObject;
}

/** The operations of an OpenAPI 3 document as tools that call `baseUrl` and nothing else. */
export function createOpenApiServer(document: JsonObject, options: OpenApiOptions): Server {
  assertBaseUrl(options.baseUrl);
  const maxCharacters = byteCount(options.maxBytes ?? DEFAULT_MAX);
  const info = isRecord(document.info) ? document.info : {};
  const server = createServer({
    name: String(info.title ?? 'openapi'),
    version: String(info.version ?? '0'),
  });
  for (const operation of operationsOf(document)) {
    server.tool(
      operation.name,
      {
        description: operation.description,
        input: inputSchema(operation),
        annotations: { readOnlyHint: READS.has(operation.method), openWorldHint: true },
      },
      (args, ctx) => callOperation(operation, isRecord(args) ? args : {}, options, maxCharacters, ctx.signal),
    );
  }
  return server;
}

function operationsOf(document: JsonObject): Operation[] {
  const paths = isRecord(document.paths) ? document.paths : {};
  return Object.entries(paths).flatMap(([path, item]) => {
    if (!isRecord(item)) return [];
    return METHODS.flatMap((method) => {
      const operation = item[method];
      if (!isRecord(operation)) return [];
      assertPath(path);
      const listed = [item.parameters, operation.parameters].flatMap((list) =>
        Array.isArray(list) ? list : [],
      );
      const named = String(operation.operationId ?? `${method}_${path}`).replaceAll(/[^A-Za-z0-9_.-]+/g, '_');
      return [
        {
          name: named.slice(0, 64),
          method,
          path,
          description: String(
            operation.summary ?? operation.description ?? `${method.toUpperCase()} ${path}`,
          ),
          parameters: listed.flatMap((entry) => parameterOf(document, entry)),
          body: bodySchema(document, operation.requestBody),
        },
      ];
    });
  });
}

function parameterOf(document: JsonObject, entry: unknown): Parameter[] {
  const parameter = resolved(document, entry);
  if (!isRecord(parameter) || typeof parameter.name !== 'string') return [];
  const { name, in: place, required, schema, description } = parameter;
  const shown = resolved(document, schema);
  return [
    {
      name,
      in: String(place),
      required: required === true,
      schema: { ...(isRecord(shown) ? shown : {}), ...(description === undefined ? {} : { description }) },
    },
  ];
}

function bodySchema(document: JsonObject, body: unknown): JsonObject | undefined {
  const found = resolved(document, body);
  const content = isRecord(found) && isRecord(found.content) ? found.content['application/json'] : undefined;
  const schema = isRecord(content) ? resolved(document, content.schema) : undefined;
  return isRecord(schema) ? schema : undefined;
}

/** References that lead to more than this many parts are cut off, and so are those that lead back to themselves. */
const MAX_PARTS = 20_000;

/** References within the document; others are left alone, and nothing is ever fetched for them. */
function resolved(document: JsonObject, value: unknown): unknown {
  let parts = 0;
  const follow = (current: unknown, references: readonly string[]): unknown => {
    parts += 1;
    if (parts > MAX_PARTS) return {};
    if (Array.isArray(current)) return current.map((item) => follow(item, references));
    if (!isRecord(current)) return current;
    const { $ref } = current;
    if (typeof $ref === 'string') {
      if (!$ref.startsWith('#/') || references.includes($ref)) return {};
      return follow(localTarget(document, $ref), [...references, $ref]);
    }
    return Object.fromEntries(Object.entries(current).map(([key, item]) => [key, follow(item, references)]));
  };
  return follow(value, []);
}

function inputSchema({ parameters, body }: Operation) {
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  if (body !== undefined) properties.body = body;
  return { type: 'object', properties, required } as const;
}

async function callOperation(
  operation: Operation,
  args: JsonObject,
  options: OpenApiOptions,
  maxCharacters: number,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { method, path, parameters, body } = operation;
  const { fetch: send = fetch } = options;
  const headers = new Headers(options.headers);
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters) {
    const value = args[name];
    if (value === undefined) continue;
    if (place === 'query')
      for (const item of Array.isArray(value) ? value : [value]) query.append(name, String(item));
    else if (place === 'header' && !headers.has(name) && !OWN_HEADERS.has(name.toLowerCase()))
      headers.set(name, String(value));
  }
  const url = operationUrl(options.baseUrl, operation, args);
  url.search = query.toString();
  if (body !== undefined) headers.set('content-type', 'application/json');
  const response = await send(url.href, {
    method: method.toUpperCase(),
    headers,
    signal,
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(args.body ?? {}) }),
  });
  const text = await readText(response, maxCharacters);
  if (!response.ok)
    throw new ToolError(`${method.toUpperCase()} ${path} answered ${response.status}: ${text}`);
  return new ToolResult({ content: [{ type: 'text', text }] });
}

/** Not for arguments: they say who calls, or how the message is read. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'proxy-authorization',
  'transfer-encoding',
]);
