/** Apps of a server: pages at `ui://` URIs, and the tools that they belong to. */

import { APP_MIME_TYPE, APP_PERMISSIONS, type AppCsp, type AppPermission } from '../extensions/apps/apps.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { APP_LINK_KEY, isCspSource } from '../protocol/model/apps.js';
import type { Meta } from '../protocol/model/meta.js';
import type { ResourceContents } from '../protocol/model/resources.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { Context } from './context.js';
import { RegistrationError } from './registration.js';
import type { ResourceDefinition } from './resources.js';
import type { ToolDefinition } from './tools.js';

export interface AppDefinition {
  /** The page, an HTML document; or what makes it for a caller. */
  readonly html: string | ((ctx: Context<object>) => string | Promise<string>);
  /** The name for people. */
  readonly title?: string | undefined;
  /** What the page is for. */
  readonly description?: string | undefined;
  /** Origins that the page may use. Default: none, it runs on what is in it. */
  readonly csp?: AppCsp | undefined;
  /** What the page needs of the browser. Default: nothing. */
  readonly permissions?: readonly AppPermission[] | undefined;
  /** The origin that the host should serve it from, in the host's own form. */
  readonly domain?: string | undefined;
  /** Whether the host should draw a border around it. */
  readonly prefersBorder?: boolean | undefined;
}

const APP_OPTIONS: OptionNames<AppDefinition> = {
  html: true,
  title: true,
  description: true,
  csp: true,
  permissions: true,
  domain: true,
  prefersBorder: true,
};

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const CSP_FIELDS = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;

export function appUri(name: string): string {
  return `ui://${name}`;
}

/** The resource that an app is. Throws for what no host could show. */
export function appResource(
  name: string,
  definition: AppDefinition,
): {
  readonly definition: ResourceDefinition;
  read(uri: string, ctx: Context<object>): Promise<ResourceContents>;
} {
  if (!NAME.test(name))
    throw new RegistrationError(
      `The app name "${name}" must have letters, digits, dots, hyphens or underscores`,
    );
  const what = `The app "${name}"`;
  assertOptionNames(what, definition, APP_OPTIONS);
  const { html, title, description } = definition;
  if (typeof html !== 'string' && typeof html !== 'function')
    throw new RegistrationError(`${what} needs "html": a document, or a function that returns one`);
  const ui = uiMeta(what, definition);
  const meta: Meta | undefined = Object.keys(ui).length === 0 ? undefined : { ui };
  return {
    definition: {
      name,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      mimeType: APP_MIME_TYPE,
      ...(meta === undefined ? {} : { meta }),
    },
    read: async (uri, ctx) => ({
      uri,
      mimeType: APP_MIME_TYPE,
      text: typeof html === 'string' ? html : await html(ctx),
      ...(meta === undefined ? {} : { _meta: meta }),
    }),
  };
}

function uiMeta(what: string, { csp, permissions, domain, prefersBorder }: AppDefinition): JsonObject {
  const ui: JsonObject = {};
  if (csp !== undefined) ui.csp = checkedCsp(what, csp);
  if (permissions !== undefined) ui.permissions = checkedPermissions(what, permissions);
  if (domain !== undefined) ui.domain = domain;
  if (prefersBorder !== undefined) ui.prefersBorder = prefersBorder;
  return ui;
}

function checkedCsp(what: string, csp: AppCsp): JsonObject {
  const checked: JsonObject = {};
  for (const [field, sources] of Object.entries(csp)) {
    if (!CSP_FIELDS.some((known) => known === field))
      throw new RegistrationError(
        `${what} has an unknown csp field "${field}"; there are ${CSP_FIELDS.join(', ')}`,
      );
    const wrong = sources.find((source: string) => !isCspSource(source));
    if (wrong !== undefined)
      throw new RegistrationError(
        `${what} has "${wrong}" in csp.${field}; give an origin such as https://example.com`,
      );
    checked[field] = [...sources];
  }
  return checked;
}

function checkedPermissions(what: string, permissions: readonly AppPermission[]): JsonObject {
  const wrong = permissions.find((permission) => !APP_PERMISSIONS.includes(permission));
  if (wrong !== undefined)
    throw new RegistrationError(
      `${what} has an unknown permission "${wrong}"; there are ${APP_PERMISSIONS.join(', ')}`,
    );
  return Object.fromEntries(permissions.map((permission) => [permission, {}]));
}

/** The definition of a tool, with its app in `meta`. Throws for an app that is not there. */
export function linkedToApp(
  tool: string,
  definition: ToolDefinition,
  apps: ReadonlySet<string> | undefined,
): ToolDefinition {
  const { app, visibility, meta } = definition;
  if (app === undefined && visibility === undefined) return definition;
  if (app !== undefined && apps?.has(app) !== true)
    throw new RegistrationError(
      `The tool "${tool}" belongs to the app "${app}", which is not there; add the app first`,
    );
  const wrong = visibility?.find((who) => who !== 'model' && who !== 'app');
  if (wrong !== undefined || visibility?.length === 0)
    throw new RegistrationError(`The visibility of the tool "${tool}" must be "model", "app" or both`);
  const ui: JsonObject = {
    ...(app === undefined ? {} : { resourceUri: appUri(app) }),
    ...(visibility === undefined ? {} : { visibility: [...visibility] }),
  };
  return {
    ...definition,
    meta: { ...meta, ui, ...(app === undefined ? {} : { [APP_LINK_KEY]: appUri(app) }) },
  };
}
