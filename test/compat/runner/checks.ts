/** The checks of an engine, by the names of the table's rows. */
import { actionChecks } from './actionChecks';
import { editorChecks } from './editorChecks';
import type { Check } from './environment';
import { triggerChecks } from './triggerChecks';

/** In the order of the table. */
export const checks: Record<string, Check> = { ...editorChecks, ...actionChecks, ...triggerChecks };
