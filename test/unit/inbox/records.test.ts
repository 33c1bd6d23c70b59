/** Runs as n8n stores them and as triggers send them to each other: a newer version has to read what an earlier one has written. */
import type { Person, Run } from '../../../nodes/BusinessMessaging/inbox/core';
import { fromRecord, toRecord } from '../../../nodes/BusinessMessaging/inbox/records';
import { byItem, messageOf, own, personOf, questionOf, runOf } from './parts';

const startedAt = 1_900_000_000_000;
const node = '0b1c2d3e-aaaa-4bbb-8ccc-0123456789ab';
const signature = 'ab'.repeat(32);
const id = 'run-0000001';
const pathOf = (more: { execution?: string; node?: string; signature?: string; wait?: string }) => {
	const parts = { execution: '12', node, signature, wait: id, ...more };
	return `webhook-waiting/${parts.execution}/${parts.node}?wait=${parts.wait}&signature=${parts.signature}`;
};
const url = `https://n8n.test/${pathOf({})}`;
const times = { startedAt, until: startedAt + 3_600_000 };
const begun = startedAt.toString(36);
const short = (hex: string) => `~${Buffer.from(hex, 'hex').toString('base64url')}`;

const personAt = (item: number, more: Partial<Person> = {}) =>
	personOf(item, { toldAt: startedAt, ...more });

const plain: Run = {
	...{ ...runOf(times), url, questions: [questionOf({ asked: '' })] },
	people: byItem([personAt(0)]),
};
const everything: Run = {
	...plain,
	...{ url: 'https://n8n.test/webhook-waiting/12/a%20node?signature=x&wait=run-0000001' },
	isAsked: false,
	questions: [
		questionOf(),
		questionOf({ kind: 'choice', choices: ['a', 'b'], repeats: 0, groupMs: 5_000 }),
	],
	people: byItem([
		personAt(0, {
			...{ question: 1, since: startedAt + 250, toldAt: startedAt + 3_000, askedMessageId: 'q0' },
			messages: [
				messageOf('m1', { messageId: 'id1' }),
				messageOf('m2', { isCut: true, messageId: 'id2' }),
				messageOf('m3', { text: null }),
				messageOf('m4', { isCut: true, isOptOut: true }),
			],
			...{ isValid: false, moreUntil: startedAt + 900, sender: 'US.1' },
			misfits: [{ ...messageOf('m0'), askedAgain: 'q1' }, messageOf('m00', { isOptOut: true })],
		}),
		personAt(1, { since: startedAt - 250, isValid: true, moreUntil: 0 }),
		personAt(2, { since: startedAt }),
		personAt(3, { isEnded: true }),
	]),
};

const stored: Array<[what: string, run: Run, record: string]> = [
	[
		'a run that waits',
		plain,
		`["12 ${short(node.replaceAll('-', ''))} ${short(signature)} ${begun} 3600 1",[{}],[[0,"+15550001000",0,null,null,0,{}]],"","Ask"]`,
	],
	[
		'a run with everything',
		everything,
		`["   ${begun} 3600 0",` +
			'[{"q":"Tuesday?"},{"kind":"choice","choices":["a","b"],"groupMs":5000,"repeats":0,"q":"Tuesday?"}],' +
			'[[0,"+15550001000",1,250,"q0",3,{"m":[["m1","m1","at m1","id1"],["m2","m2","at m2","id2",1],' +
			'["m3",null,"at m3"],["m4","m4","at m4",null,3]],"a":false,"u":1900000000900,"r":[["m0","m0","at m0",null,0,"q1"],["m00","m00","at m00",null,2]],"s":"US.1"}],' +
			'[1,"+15550001001",0,-250,null,0,{"a":true,"u":0}],[2,"+15550001002",0,0,null,0,{}],[3,"+15550001003",0,null,null,0,{"e":true}]],' +
			'"https://n8n.test/webhook-waiting/12/a%20node?signature=x&wait=run-0000001","Ask"]',
	],
];

test.each(stored)('%s is stored in a form that does not change', (_, run, record) => {
	expect(toRecord(run, own)).toBe(record);
	expect(fromRecord(id, record, own)).toStrictEqual(run);
});

const states: Array<[what: string, state: Partial<Run>]> = [
	['is asking', { isAsked: false }],
	['has certainly waited', { hasWaited: true }],
	['has asked nobody', { people: new Map(), questions: [] }],
];

test.each(states)('a run that %s is read as it was stored', (_, state) => {
	const run = { ...plain, ...state };
	expect(fromRecord(id, toRecord(run, own), own)).toStrictEqual(run);
});

test.each([
	['whole seconds', 5_000, 5_000],
	['a fraction', 5_400, 5_000],
])('the times of a run are never read as later than they are (%s)', (_, after, expected) => {
	const at = startedAt + after;
	const run = { ...plain, until: at, people: byItem([personAt(0, { toldAt: at })]) };
	const read = fromRecord(id, toRecord(run, own), own);
	expect(read?.until).toBe(startedAt + expected);
	expect(read?.people.get(0)?.toldAt).toBe(startedAt + expected);
});

const urls: Array<[what: string, path: string, isShort: boolean]> = [
	['a usual node', pathOf({}), true],
	['an ID in capital letters', pathOf({ node: node.toUpperCase() }), true],
	['an ID of hex without dashes', pathOf({ node: node.replaceAll('-', '') }), true],
	['a short ID of hex', pathOf({ node: 'abcd' }), true],
	['an ID of an odd length', pathOf({ node: 'abc' }), true],
	['an ID with dashes elsewhere', pathOf({ node: '0b1c-2d3e' }), true],
	['an ID of 48 hex digits', pathOf({ node: 'ab'.repeat(24) }), true],
	['a name', pathOf({ node: 'my-node' }), true],
	['a node whose name begins with ~', pathOf({ node: '~Ab12' }), false],
	['another signature', pathOf({ signature: 'Signature_1' }), true],
	['an ID of a workflow', pathOf({ node: 'flow/node' }), false],
	['an execution that is no number', pathOf({ execution: 'x1' }), false],
	['a name of n8n before the path', `n8n/${pathOf({})}`, false],
	['something after the signature', `${pathOf({})}&more=1`, false],
];

test.each(urls)('the URL of %s is stored, in short if possible: %s', (_, path, isShort) => {
	const run = { ...plain, url: `https://n8n.test/${path}` };
	const record = toRecord(run, own);
	expect(JSON.parse(record)[3]).toBe(isShort ? '' : run.url);
});

test.each(urls.slice(0, 10))('a run with the URL of %s is read as it was stored', (_, path) => {
	const run = { ...plain, url: `https://n8n.test/${path}` };
	expect(fromRecord(id, toRecord(run, own), own)?.url).toBe(run.url);
});

test('the usual node and signature take less room than they have characters', () => {
	expect(toRecord(plain, own).length).toBeLessThan(160);
	const capital = { ...plain, url: url.replace(node, node.toUpperCase()) };
	expect(toRecord(capital, own)).toContain(node.toUpperCase());
});

test('the URL of a run with another name is stored in full', () => {
	const run = { ...plain, url: url.replace(id, 'run-0000002') };
	expect(fromRecord(id, toRecord(run, own), own)?.url).toBe(run.url);
});

const record = toRecord(plain, own);

test.each([
	['nothing', undefined],
	['no JSON', '['],
	['an empty text', ''],
	['an object', '{"length":3}'],
	['null', 'null'],
	['a short list', JSON.stringify(JSON.parse(record).slice(0, 2))],
	['a person without a number', record.replace('"+15550001000"', 'null')],
	['a question of an unknown kind', record.replace('[{}]', '[{"kind":"poll"}]')],
	['a run of another n8n', toRecord({ ...plain, url: 'https://elsewhere.test/x/y/z' }, own)],
])('%s is no run', (_, text) => {
	expect(fromRecord(id, text, own)).toBeUndefined();
});

test('what was written of a person is used again only for the same state', () => {
	const person = personOf(0);
	const first = toRecord({ ...plain, people: byItem([person]) }, own);
	const again = toRecord({ ...plain, people: byItem([person]) }, own);
	const changed = { ...person, messages: [messageOf('m1')] };
	expect(again).toBe(first);
	expect(toRecord({ ...plain, people: byItem([changed]) }, own)).toContain('"m1"');
});
