/** Prove that a server complies, in every revision that it speaks. */
export { commandClient } from './client/command.js';
export { validateClient } from './client/validate-client.js';
export { diagnose } from './doctor/doctor.js';
export { fuzz } from './fuzz/fuzz.js';
export { FORMATS } from './report/index.js';
export { allFindings, type Report, reportOf } from './report/report.js';
export { terminalReport } from './report/terminal.js';
export { REQUIREMENTS } from './requirements/index.js';
export type { ValidateOptions } from './runner.js';
export { commandTarget, pipeTarget, urlTarget, type ValidationTarget } from './target.js';
export { type Validation, validateServer } from './validate.js';
