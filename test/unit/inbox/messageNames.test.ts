/** Messages that nothing identifies: which deliveries are the same message. */
import { MessageNames } from '../../../nodes/BusinessMessaging/inbox/messageNames';
import { arrivalOf, own } from './parts';

const other = 'https://n8n.test/webhook/b/webhook';
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
let deliveries = 0;

/** The name of an equal message that is delivered at this time; each delivery is another one. */
const nameAt = (
	names: MessageNames,
	trigger: string,
	firstAt: number,
	{ registeredAt = 0, process = 'p' } = {},
) => {
	const arrival = arrivalOf({ key: 'yes', isCertain: false });
	const name = `${process}.${++deliveries}`;
	return names.nameOf({ arrival, name, ageMs: 0 }, { trigger, registeredAt }, firstAt);
};

test('a message comes once to each trigger, and a second delivery to one of them is another message', () => {
	const names = new MessageNames(own);
	const first = nameAt(names, own, hourMs);
	expect(nameAt(names, other, hourMs + 5)).toBe(first);
	const second = nameAt(names, other, hourMs + 10);
	expect(second).not.toBe(first);
	expect(nameAt(names, own, hourMs + 15)).toBe(second);
});

test.each([
	['a minute before the message', -minuteMs, true],
	['while its delivery is under way', 20_000, true],
	['a minute after the message', minuteMs, false],
])('a trigger that is published %s: the next equal message is the same: %s', (_, after, isSame) => {
	const names = new MessageNames(own);
	const first = nameAt(names, own, hourMs);
	const registeredAt = hourMs + after;
	expect(nameAt(names, other, 2 * hourMs, { registeredAt }) === first).toBe(isSame);
});

test.each([
	['the same process', 'p', 1, false],
	['another process, because the first one was killed', 'q', minuteMs - 1, true],
	['another process a minute later', 'q', minuteMs, false],
])(
	'an equal message that a trigger gets in %s (%s, %d ms): it is the same: %s',
	(_, process, after, isSame) => {
		const names = new MessageNames(own);
		const first = nameAt(names, other, hourMs);
		expect(nameAt(names, other, hourMs + after, { process }) === first).toBe(isSame);
	},
);

test.each([
	['the inbox', own, other],
	['another trigger', other, own],
])(
	'after a restart, a reply that %s had first is delivered to the others for a minute',
	(_, had, others) => {
		const before = new MessageNames(own);
		const name = nameAt(before, had, hourMs);
		const restarted = () => {
			const names = new MessageNames(own);
			names.restore(name);
			return names;
		};
		expect(nameAt(restarted(), others, hourMs + minuteMs - 1)).toBe(name);
		expect(nameAt(restarted(), others, hourMs + minuteMs)).not.toBe(name);
	},
);

test('after a restart, what the inbox itself gets again counts as another message, because two equal ones are two', () => {
	const name = nameAt(new MessageNames(own), own, hourMs);
	const names = new MessageNames(own);
	names.restore(name);
	expect(nameAt(names, own, hourMs + 1)).not.toBe(name);
});
