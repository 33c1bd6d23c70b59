import type { SendOnceValues } from '../../execution/sendOnce';
import type { sendOnceField } from '../fields';
import type { ValuesOf } from '../fieldBuilders';

/** The user's Send Once settings with their defaults; undefined without a key. */
export function readSendOnce({ key, scope = 'node', historySize = 10_000 }: ValuesOf<readonly [typeof sendOnceField]>['sendOnce']): SendOnceValues | undefined {
	return key?.trim() ? { key: key.trim(), scope, historySize } : undefined;
}
