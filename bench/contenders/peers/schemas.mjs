/** The tools of the workload as zod writes them, made once: the peers take zod, and none of them is charged for making it. */
import { z } from 'zod';

export const echoShape = {
  message: z.string().describe('What to say'),
  count: z.number().int().min(0).describe('How often it has been said'),
  loud: z.boolean().describe('Whether to say it in capitals'),
};
export const echoObject = z.object(echoShape);

export const blobShape = { size: z.number().int().min(0) };
export const blobObject = z.object(blobShape);
