/** docs/limits.md: its figures are those of the nodes. */
import { readText } from '../../harness/engine/files';

const page = readText('docs/limits.md');

test.each<[row: string, figure: string, file: string, source: string]>([
	['Wait after the service', '10 minutes', 'transport/throttle', 'maxWaitMs = 10 * 60_000'],
	['Attempts at a request', '4', 'transport/client', 'maxAttempts = 4'],
	['*Timeout (Seconds)*', '3,600', 'transport/deadline', 'maxTimeoutSeconds = 3_600'],
	['*Simultaneous Requests*', '600', 'operations/fields', 'maxValue: 600'],
	['*Number of Test Messages*', '100', 'operations/sending/mode', 'maxValue: 100'],
	['*Frequency Cap*', '20 messages', 'operations/sending/audienceRules', 'maxValue: 20'],
	['Records of a list', '500,000', 'transport/lists', 'maxRecords = 500_000'],
	['Records of a list', '10,000 pages', 'transport/lists', 'maxPages = 10_000'],
	['Contacts that', '250,000', 'operations/contactIndex', 'maxContacts = 250_000'],
	['Contacts that', 'ten minutes', 'operations/contactIndex', 'maxAgeMs = 10 * 60_000'],
	['Size of a response', '32 MB', 'transport/errors', 'maxResponseBytes = 32 * 1024 * 1024'],
	['People whom one run', '10,000', 'inbox/ask', 'maxPeople = 10_000'],
	['Questions that wait', '50,000', 'inbox/known', 'maxOpen = 50_000'],
	['*Limit Wait Time*', '365 days', 'operations/sending/questionFields', 'maxDays = 365'],
	['*Repeat Question*', '10 times', 'operations/sending/questionFields', 'maxValue: 10 }'],
	['Text of a reply', '4,000 characters', 'inbox/core', 'maxText = 4_000'],
	['Text of a reply', '3 million', 'inbox/core', 'maxTextOfAll = 3_000_000'],
	['*Group Messages*: messages', '50', 'inbox/answers', 'maxMessages = 50'],
	['*Group Messages*: messages', '60 s', 'operations/sending/questionFields', 'Seconds = 60'],
	['Size of a delivery', '1 MB', 'trigger/settings', '|| 1024) * 1024'],
	['*Group Messages* |', '8 seconds', 'trigger/collect', 'maxGroupSeconds = 8'],
	['*Batch Receipts*', '20 receipts', 'trigger/collect', 'maxReceipts = 20'],
	['*Batch Receipts*', '3 seconds', 'trigger/collect', 'maxReceiptMs = 3_000'],
	['Events that are', '20,000', 'webhooks/deduplication', 'maxInProcess = 4 * maxStored'],
	['Events that are', 'last 5,000', 'webhooks/deduplication', 'maxStored = 5_000'],
	['Events that are', 'two days', 'webhooks/deduplication', 'maxAgeMinutes = 48 * 60'],
	['Age of a signed', '5 minutes', 'webhooks/signature', 'toleranceMs = 300_000'],
])('%s: %s', (row, figure, file, source) => {
	const lines = page.split('\n').filter((line) => line.startsWith(`| ${row}`));
	expect(lines).toEqual([expect.stringContaining(figure)]);
	expect(readText(`nodes/BusinessMessaging/${file}.ts`)).toContain(source);
});

test('each row with a figure of the nodes is checked above', () => {
	const checked = readText('test/repository/limits.test.ts');
	const rows = page
		.split('\n')
		.filter((line) => /^\| [^|]+\| [^|]*\b\d/.test(line) && !line.includes("n8n's default"));
	const names = rows.map((line) => line.split(' ').slice(1, 3).join(' '));
	expect(rows.length).toBeGreaterThan(15);
	expect(names.filter((name) => !checked.includes(`'${name}`))).toEqual([]);
});
