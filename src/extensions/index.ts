/** Extend the protocol: define an extension once, and use it in a server, a client and a chain. */
export {
  APP_MIME_TYPE,
  type AppCsp,
  type AppLink,
  type AppPermission,
  appLinkOf,
  apps,
  type ToolVisibility,
} from './apps/apps.js';
export {
  type CheckedParams,
  type CheckedResult,
  type ClientSettings,
  type DeclaredExtension,
  defineExtension,
  type ErrorName,
  type Extension,
  type ExtensionMethod,
  type ExtensionNotificationParams,
  type ExtensionShape,
  type FilterName,
  type FilterValue,
  type ListenFilterKind,
  type MethodName,
  type MethodParams,
  type MethodResult,
  type NotificationName,
  type ServerSettings,
  type SettingsRule,
} from './extension.js';
export { mergeDeclarations, whatAllAgreeOn } from './merge.js';
export { type Skill, type SkillFile, type SkillFrontmatter, skills } from './skills/skills.js';
