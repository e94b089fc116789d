/** Prove that a server complies, in every revision that it speaks. */

export { commandClient } from './client/command.js';
export { SCENARIOS } from './client/requirements.js';
export {
  type ClientUnderTest,
  type ValidateClientOptions,
  validateClient,
} from './client/validate-client.js';
export { compareEras, type Difference } from './compare.js';
export { type Coverage, coverage } from './coverage.js';
export { diagnose } from './doctor/doctor.js';
export type { Step } from './doctor/step.js';
export { type FuzzResult, fuzz } from './fuzz/fuzz.js';
export type { Finding, Outcome, Verdict } from './outcomes.js';
export type { TokenWish } from './probe.js';
export {
  allFindings,
  breaks,
  FORMATS,
  fingerprint,
  type Report,
  type ReportFinding,
  type ReportOptions,
  reportOf,
  terminalReport,
} from './report/index.js';
export {
  type Level,
  REQUIREMENTS,
  type Requirement,
  requirement,
  specificationUrl,
} from './requirements/index.js';
export type { CheckedExchange, Progress, ValidateOptions } from './runner.js';
export { type ComplianceLevel, type Score, WEIGHTS } from './score.js';
export { commandTarget, pipeTarget, urlTarget, type ValidationTarget } from './target.js';
export { type Validation, validateServer } from './validate.js';
export type { LinePipe, OpenPipe, PipeEvents } from './wire/line-pipe.js';
export type { RecordedEntry } from './wire/recorder.js';
