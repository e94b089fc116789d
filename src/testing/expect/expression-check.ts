/** Expectations written as text: `exists`, `contains:TEXT`, `count >= 3`, `content[0].text === '8' && ...`. */

import { applyOperator, Evaluation } from './evaluate.js';
import { type Expression, parseExpression } from './expression.js';
import { type Problem, shown } from './problem.js';
import { type Observed, scopeOf, textOfResult } from './subject.js';
import { ExpressionError } from './tokens.js';

export type Expectation = (subject: Observed) => readonly Problem[] | Promise<readonly Problem[]>;

const CONTAINS = 'contains:';
/** A comparison with a text that has no quotes. */
const UNQUOTED = /^(.+?)\s*(===|!==|==|!=)\s*([^'"`\s(&|=].*)$/s;

/** Throws an ExpressionError for a text that is none. */
export function compileExpression(source: string): Expectation {
  const text = source.trim();
  if (text === '') throw new ExpressionError('the expression is empty', 0);
  if (text === 'exists') return existence;
  if (text.startsWith(CONTAINS)) return containment(text.slice(CONTAINS.length));
  const { tree, right } = parse(text);
  return (subject) => {
    const evaluation = new Evaluation(scopeOf(subject));
    try {
      const left = evaluation.value(tree);
      if (right === undefined ? left : applyOperator(right.operator, left, right.text)) return [];
      if (right !== undefined) return [{ message: `expected ${text}`, expected: right.text, actual: left }];
      return [explain(tree, evaluation, text)];
    } catch (error) {
      if (error instanceof ExpressionError) return [{ message: `${text}: ${error.message}` }];
      throw error;
    }
  };
}

function parse(text: string): { tree: Expression; right?: { operator: string; text: string } } {
  try {
    return { tree: parseExpression(text) };
  } catch (error) {
    const [, left, operator, right] = UNQUOTED.exec(text) ?? [];
    if (left === undefined || operator === undefined || right === undefined) throw error;
    return { tree: parseExpression(left), right: { operator, text: right.trim() } };
  }
}

const existence: Expectation = ({ result, error, count }) => {
  if (count !== undefined && count > 0) return [];
  if (result !== undefined && result !== null) return [];
  return [{ message: error === undefined ? 'there is no result' : 'the server answered with an error' }];
};

function containment(wanted: string): Expectation {
  return ({ result }) => {
    const text = typeof result === 'string' ? result : textOfResult(result);
    return text.includes(wanted)
      ? []
      : [{ message: `the text does not contain ${shown(wanted)}`, expected: wanted, actual: text }];
  };
}

const COMPARISONS: ReadonlySet<string> = new Set(['===', '!==', '==', '!=', '>=', '<=', '>', '<']);

/** The part that is false, with the values on both sides. */
function explain(tree: Expression, evaluation: Evaluation, source: string): Problem {
  if (tree.kind === 'binary' && tree.operator === '&&') {
    const part = evaluation.value(tree.left) ? tree.right : tree.left;
    return explain(part, evaluation, source);
  }
  const text = source.slice(tree.start, tree.end);
  if (tree.kind === 'binary' && COMPARISONS.has(tree.operator)) {
    const actual = evaluation.value(tree.left);
    const name = source.slice(tree.left.start, tree.left.end);
    const right = tree.right.kind === 'literal' ? tree.right.value : evaluation.value(tree.right);
    return {
      message: `expected ${text}, but ${name} is ${shown(actual)}`,
      path: name,
      expected: `${tree.operator} ${shown(right)}`,
      actual,
    };
  }
  const value = evaluation.value(tree);
  return { message: `expected ${text}, which is ${shown(value)}`, path: text, expected: true, actual: value };
}
