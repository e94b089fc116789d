/** Prove that a server complies, in every revision that it speaks. */
export { validateClient } from './client/validate-client.js';
export { diagnose } from './doctor/doctor.js';
export { fuzz } from './fuzz/fuzz.js';
export { FORMATS } from './report/index.js';
export { type Report, reportOf } from './report/report.js';
export { terminalReport } from './report/terminal.js';
export type { ValidateOptions } from './runner.js';
export { validateServer } from './validate.js';
