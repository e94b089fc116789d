/** Extend the protocol: define an extension once, and use it in a server, a client and a chain. */
export { APP_MIME_TYPE, appLinkOf, apps } from './apps/apps.js';
export { defineExtension, type Extension, type ExtensionShape } from './extension.js';
export { type Skill, skills } from './skills/skills.js';
