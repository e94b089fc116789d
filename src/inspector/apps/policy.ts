/** What an app may do in the browser: nothing that its server did not declare. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { isCspSource } from '../../protocol/model/apps.js';

/** The names of permissions in the protocol, and as features of frames. */
const FEATURES = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
} as const;

/** The Content-Security-Policy for an app's `_meta.ui.csp` (MCP Apps, host duties). */
export function appPolicy(ui: JsonObject): string {
  const csp: JsonObject = isRecord(ui.csp) ? ui.csp : {};
  const loaded = sources(csp.resourceDomains);
  const inline = ["'self'", "'unsafe-inline'", ...loaded].join(' ');
  const pictures = ["'self'", 'data:', ...loaded].join(' ');
  return [
    "default-src 'none'",
    `script-src ${inline}`,
    `style-src ${inline}`,
    `img-src ${pictures}`,
    `media-src ${pictures}`,
    `font-src ${pictures}`,
    `connect-src ${orNone(sources(csp.connectDomains))}`,
    `frame-src ${orNone(sources(csp.frameDomains))}`,
    `base-uri ${orNone(sources(csp.baseUriDomains))}`,
    "object-src 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** The `allow` of the frame. */
export function appFeatures(ui: JsonObject): string {
  const permissions: JsonObject = isRecord(ui.permissions) ? ui.permissions : {};
  return Object.entries(FEATURES)
    .filter(([name]) => isRecord(permissions[name]))
    .map(([, feature]) => feature)
    .join('; ');
}

function sources(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string' && isCspSource(one)) : [];
}

function orNone(allowed: readonly string[]): string {
  return allowed.length === 0 ? "'none'" : allowed.join(' ');
}
