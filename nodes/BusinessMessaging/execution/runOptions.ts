/** The settings that hold for a whole run. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { defaultConcurrency, defaultTimeoutSeconds } from '../operations/options';
import { credentialType } from '../transport/connect';

/** Read options: timeout of a request in ms, and most requests under way at the same time. */
export interface RunOptions {
	timeoutMs: number;
	concurrency: number;
}

/** Reads the options, which are those of the first item. */
export function readOptions(context: IExecuteFunctions): RunOptions {
	const { timeout, concurrency } = context.getNodeParameter('options', 0, {}) as {
		timeout?: unknown;
		concurrency?: unknown;
	};
	return {
		timeoutMs: positive(timeout, defaultTimeoutSeconds) * 1000,
		concurrency: Math.ceil(positive(concurrency, defaultConcurrency)),
	};
}

function positive(value: unknown, otherwise: number): number {
	const number = Number(value);
	return number > 0 && Number.isFinite(number) ? number : otherwise;
}

/** The Default Country of the credential; empty if it cannot be read, which the first request then reports. */
export async function readDefaultCountry(context: IExecuteFunctions): Promise<string> {
	const values = await context.getCredentials(credentialType).catch(() => undefined);
	return typeof values?.defaultCountry === 'string' ? values.defaultCountry : '';
}
