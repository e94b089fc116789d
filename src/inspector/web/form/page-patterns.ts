/**
 * Patterns of schemas in the page. They come from servers, and one that takes exponential time would block the tab: the
 * build puts `pagePattern` in the place of RegExp in the validator. What cannot be matched in linear time is left to
 * the server to check.
 */

import { useEffect, useState } from 'react';
import {
  compilePattern,
  hasNativePatterns,
  type Pattern,
  preparePatterns,
} from '../../../protocol/schema/patterns.js';

const UNCHECKED: Pattern = { test: () => true, toString: () => 'unchecked' };

/**
 * Throws for what is no pattern at all.
 *
 * @public The build imports it into the validator.
 */
export function pagePattern(source: string): Pattern {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    return UNCHECKED;
  }
}

/** Loads what the patterns of a schema need, and draws again when it is there. */
export function usePatterns(schema: unknown): void {
  const [, setReady] = useState(0);
  useEffect(() => {
    if (hasNativePatterns(schema)) return;
    let isShown = true;
    // The page brings the engine with it, in a file of its own.
    preparePatterns(schema, true).then(
      () => isShown && setReady((count) => count + 1),
      // The page is older than its process; patterns stay unchecked.
      () => {},
    );
    return () => {
      isShown = false;
    };
  }, [schema]);
}
