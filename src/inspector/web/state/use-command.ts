/** Runs commands from buttons: says whether one is under way and what went wrong. */

import { useCallback, useState } from 'react';
import type { Failure } from '../../api.js';
import { failureOf } from './api-client.js';

export interface Running {
  readonly busy: boolean;
  readonly failure: Failure | undefined;
  run<T>(work: () => Promise<T>): Promise<T | undefined>;
}

export function useCommand(): Running {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | undefined>();
  const run = useCallback(async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setBusy(true);
    setFailure(undefined);
    try {
      return await work();
    } catch (error) {
      setFailure(failureOf(error));
      return undefined;
    } finally {
      setBusy(false);
    }
  }, []);
  return { busy, failure, run };
}
