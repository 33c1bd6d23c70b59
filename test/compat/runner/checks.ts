/** The checks of an engine, by the names of the table's rows. */
import { actionChecks } from './actionChecks';
import { editorChecks } from './editorChecks';
import type { Stage } from './stage';
import { triggerChecks } from './triggerChecks';

/** Throws if it does not hold. The sandbox is empty before each. */
export type Check = (stage: Stage) => Promise<void>;

/** In the order of the table. */
export const checks: Record<string, Check> = { ...editorChecks, ...actionChecks, ...triggerChecks };
