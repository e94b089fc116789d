/** Extend the protocol: define an extension once, and use it in a server, a client and a chain. */
export { appLinkOf, toolOfApp } from '../protocol/model/apps.js';
export { APP_MIME_TYPE, apps } from './apps/apps.js';
export { defineExtension, type Extension } from './extension.js';
export { skills } from './skills/skills.js';
