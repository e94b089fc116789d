/** The server card and the catalog that names it: what others can find out about a server before they connect. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { Icon, Implementation } from '../../protocol/model/base.js';
import { assertOptionNames, type OptionNames } from '../../protocol/option-names.js';

export interface ServerCardOptions {
  /** A reversed domain name and the name of the server: `com.example/weather`. */
  readonly name: string;
  /** One sentence, at most 100 characters. */
  readonly description: string;
  /** Default: the version of the server. */
  readonly version?: string | undefined;
  /** Default: the title of the server, if it has one. */
  readonly title?: string | undefined;
  /** Where clients reach the server from outside: `https://example.com/mcp`. Without it the card names no address. */
  readonly url?: string | undefined;
  /** A page about the server. */
  readonly websiteUrl?: string | undefined;
  /** Pictures for lists of clients. */
  readonly icons?: readonly Icon[] | undefined;
  /** Where its source is. */
  readonly repository?:
    | { readonly url: string; readonly source: string; readonly subfolder?: string | undefined }
    | undefined;
}

const CARD_OPTIONS: OptionNames<ServerCardOptions> = {
  name: true,
  description: true,
  version: true,
  title: true,
  url: true,
  websiteUrl: true,
  icons: true,
  repository: true,
};

export const CARD_TYPE = 'application/mcp-server-card+json';
export const CATALOG_TYPE = 'application/ai-catalog+json';
export const CATALOG_PATH = '/.well-known/ai-catalog.json';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;

/** The card. Throws a TypeError for options that make none. */
export function serverCard(
  options: ServerCardOptions,
  info: Implementation,
  revisions: readonly string[],
): JsonObject {
  assertOptionNames('card', options, CARD_OPTIONS);
  const { name, description = '', version = info.version, title = info.title, url } = options;
  const { websiteUrl, icons, repository } = options;
  if (!NAME.test(name) || name.length < 3 || name.length > 200)
    throw new TypeError(`The name "${name}" of a server card must be like "com.example/weather"`);
  if (description.length < 1 || description.length > 100)
    throw new TypeError(
      `The description of a server card must have 1 to 100 characters, not ${description.length}`,
    );
  if (version.length > 255 || /[\^~*<>=|\s]/.test(version))
    throw new TypeError(`The version "${version}" of a server card must be one version, not a range`);
  if (title !== undefined && title.length > 100)
    throw new TypeError(`The title of a server card must have at most 100 characters, not ${title.length}`);
  if (url !== undefined && !/^https?:\/\/\S+$/.test(url))
    throw new TypeError(`The url "${url}" of a server card must begin with https:// or http://`);
  return {
    $schema: SCHEMA,
    name,
    version,
    description,
    ...(title === undefined ? {} : { title }),
    ...(websiteUrl === undefined ? {} : { websiteUrl }),
    ...(icons === undefined ? {} : { icons }),
    ...(repository === undefined ? {} : { repository }),
    ...(url === undefined
      ? {}
      : { remotes: [{ type: 'streamable-http', url, supportedProtocolVersions: [...revisions] }] }),
  };
}

/** A catalog of this one server. */
export function catalogOf(card: JsonObject, { name, url }: ServerCardOptions): JsonObject {
  const [vendor = '', own = ''] = name.split('/');
  const publisher = vendor.split('.').reverse().join('.');
  return {
    specVersion: '1.0',
    entries: [
      {
        identifier: `urn:air:${publisher}:mcp:${own}`,
        type: CARD_TYPE,
        ...(typeof card.title === 'string' ? { displayName: card.title } : {}),
        description: card.description,
        version: card.version,
        ...(url === undefined
          ? { data: card }
          : { url: `${url.replace(/[?#].*$/s, '').replace(/\/+$/, '')}/server-card` }),
      },
    ],
  };
}
