/** The secret of a URL: it is never stored, and never lost, whatever n8n has read. */
import { setTimeout as delay } from 'node:timers/promises';

import { noop } from 'lodash';

import { RegistrationRecord } from '../../../nodes/BusinessMessaging/trigger/registrationRecord';
import { deriveSecret, hashOf } from '../../../nodes/BusinessMessaging/webhooks/secret';

const url = 'https://n8n.example.com/webhook/one/webhook';
const secretOf = (secretVersion: number, key = 'key') => deriveSecret(key, ['wf', secretVersion]);
const registered = (secretVersion: number, key?: string) => ({
	...{ url, secretVersion, madeAt: 1 },
	secretHash: hashOf(secretOf(secretVersion, key)),
});
const stored = (record: RegistrationRecord): unknown => JSON.parse(JSON.stringify(record.live()));

/** The answers of a process that has read what n8n has stored. */
function process(secretVersion: number, key = 'key', ...read: unknown[]) {
	const record = new RegistrationRecord();
	for (const one of read) record.merge(one);
	let derived = 0;
	const derive = async () => {
		derived++;
		return secretOf(secretVersion, key);
	};
	const knows = async (given: string) =>
		await record.knowsSecret(given, { url, secretVersion, isTest: false }, derive);
	return { record, knows, derived: () => derived };
}

/** What n8n stores of a published trigger. */
function published(secretVersion: number, key?: string): unknown {
	const record = new RegistrationRecord();
	record.set(registered(secretVersion, key), false);
	return stored(record);
}

test.each<[string, unknown[], number]>([
	['n8n knows its hash', [published(1)], 0],
	['n8n has lost everything', [], 1],
	['n8n has an older hash', [published(0)], 1],
])('the secret is right if %s; the credential is read %#', async (_, read, reads) => {
	const { knows, derived } = process(1, 'key', ...read);
	expect(await knows(secretOf(1))).toBe(true);
	expect(await knows(secretOf(1))).toBe(true);
	expect(derived()).toBe(reads);
});

test.each([secretOf(0), secretOf(2), secretOf(1, 'other key'), hashOf(secretOf(1)), '', 'x'])(
	'another secret is wrong, also if n8n has an older copy: %s',
	async (given) => {
		for (const read of [[], [published(1)], [published(0)], [published(1), published(0)]])
			expect(await process(1, 'key', ...read).knows(given)).toBe(false);
	},
);

test('after the API key has changed, the registered secret stays right until the trigger is published again', async () => {
	const { knows, record } = process(1, 'new key', published(1, 'old key'));
	expect(await knows(secretOf(1, 'old key'))).toBe(true);
	record.set(registered(1, 'new key'), false);
	expect([await knows(secretOf(1, 'old key')), await knows(secretOf(1, 'new key'))]).toEqual([
		...[false, true],
	]);
});

test('what was derived is stored, and what was registered later replaces it in every process', async () => {
	const earlier = published(1);
	const { knows, record } = process(1);
	await delay(2);
	await knows(secretOf(1));
	expect(record.isBehind({})).toBe(true);
	expect(record.isBehind(stored(record))).toBe(false);
	const other = new RegistrationRecord();
	other.merge(stored(record));
	other.set(registered(2), false);
	record.merge(stored(other));
	expect(record.ofDelivery(false)).toEqual(other.ofDelivery(false));
	record.merge(earlier);
	expect(record.isBehind(stored(other))).toBe(false);
	expect(record.isBehind(earlier)).toBe(true);
});

test('if the credential cannot be read, the delivery is not decided', async () => {
	const record = new RegistrationRecord();
	const fail = async () => await Promise.reject(new Error('no database'));
	const known = record.knowsSecret('x', { url, secretVersion: 1, isTest: false }, fail);
	await expect(known).rejects.toThrow('no database');
	await known.catch(noop);
});

test('n8n stores nothing with which the URL could be called', () => {
	expect(JSON.stringify(published(1))).not.toContain(secretOf(1));
});
