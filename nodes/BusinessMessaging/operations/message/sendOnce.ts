import type { sendOnceField } from '../fields';
import type { ValuesOf } from '../fieldBuilders';

/** What the user has chosen for Send Once; the key is the item's own, the rest holds for the run. */
export interface SendOnceValues {
	key: string;
	scope: 'node' | 'workflow';
	/** Greatest number of keys. */
	historySize: number;
}

/** The user's Send Once settings with their defaults; undefined without a key. */
export function readSendOnce({
	key,
	scope = 'node',
	historySize = 10_000,
}: ValuesOf<readonly [typeof sendOnceField]>['sendOnce']): SendOnceValues | undefined {
	return key?.trim() ? { key: key.trim(), scope, historySize } : undefined;
}
