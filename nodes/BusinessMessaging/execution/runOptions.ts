/** The settings that hold for a whole run. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { defaultConcurrency, defaultTimeoutSeconds } from '../operations/options';
import { credentialType } from '../transport/connect';
import type { ValidItem } from './item';

/** Timeout of a request in ms, and most requests under way at the same time. */
export interface RunOptions {
	timeoutMs: number;
	concurrency: number;
}

/** Reads the options, which are those of the first item. */
export function runOptions([first]: ValidItem[]): RunOptions {
	const { timeout, concurrency } = (first?.values.options ?? {}) as {
		timeout?: number;
		concurrency?: number;
	};
	return {
		timeoutMs: (timeout ?? defaultTimeoutSeconds) * 1000,
		concurrency: concurrency ?? defaultConcurrency,
	};
}

/** The Default Country of the credential; empty if it cannot be read, which the first request then reports. */
export async function readDefaultCountry(context: IExecuteFunctions): Promise<string> {
	const values = await context.getCredentials(credentialType).catch(() => undefined);
	return typeof values?.defaultCountry === 'string' ? values.defaultCountry : '';
}
