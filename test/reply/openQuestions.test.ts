/** The open questions of two processes, which know different things and read what the other one has stored. */
import { OpenQuestions } from '../../nodes/BusinessMessaging/webhooks/openQuestions';
import type { Answer, Questions } from '../../nodes/BusinessMessaging/webhooks/question';

const questions = (values: Partial<Questions> = {}): Questions => ({
	run: 'run',
	url: 'http://n8n.test/webhook-waiting/1/a',
	asked: 1,
	until: Date.now() + 60_000,
	expected: [],
	people: [1, 2, 3].map((item) => [item, `+1555000100${item}`, 0, 1, null]),
	isWhole: true,
	...values,
});
const said = (texts: string[], until?: number): Answer => ({
	messages: texts.map((text) => ({ text, respondedAt: `2030-01-31T10:00:0${text.length}Z` })),
	isAccepted: true,
	until,
});
const pair = () => [new OpenQuestions('service'), new OpenQuestions('service')];
const answer = (process: OpenQuestions, item: number, value: Answer) => {
	const one = process.all()[0].people.get(item);
	if (one) process.answer(one, value);
};
const answersIn = (process: OpenQuestions) =>
	[...process.all()[0].people.values()].map((one) =>
		one.answer?.messages.map(({ text }) => text).join(' '),
	);

/** Each stores what it knows after it has read what the other one stored; in the end nobody has anything to add. */
function exchange([one, other]: OpenQuestions[]): void {
	const older = other.toText();
	other.merge(one.toText());
	one.merge(older);
	one.merge(other.toText());
	expect(one.isComplete(other.toText())).toBe(true);
	expect(other.isComplete(other.toText())).toBe(true);
}

test('both end up with the questions and answers of both', () => {
	const both = pair();
	for (const process of both) process.add(questions());
	answer(both[0], 1, said(['here']));
	answer(both[1], 2, said(['there']));
	exchange(both);
	expect(both.map(answersIn)).toEqual(both.map(() => ['here', 'there', undefined]));
});

test('both take the same one of two answers of a person', () => {
	const both = pair();
	for (const process of both) process.add(questions());
	answer(both[0], 1, said(['yes']));
	answer(both[1], 1, said(['no']));
	exchange(both);
	expect(answersIn(both[0])).toEqual(answersIn(both[1]));
});

test('messages that belong to one answer are put together', () => {
	const both = pair();
	for (const process of both) process.add(questions());
	answer(both[0], 1, said(['a', 'bcd'], 100));
	answer(both[1], 1, said(['a', 'bc'], 200));
	exchange(both);
	expect(both.map(answersIn)).toEqual(both.map(() => ['a bc bcd', undefined, undefined]));
	expect(both[0].all()[0].people.get(1)?.answer?.until).toBe(200);
});

test('an answer is known in both, also when its run is over', () => {
	const [one, other] = pair();
	one.add(questions());
	const value = said(['here']);
	answer(one, 1, { ...value, messages: [{ ...value.messages[0], key: 'key' }] });
	other.merge(one.toText());
	const phone = other.all()[0].people.get(1)?.phone ?? '';
	expect(other.isKnown(phone, 'key')).toBe(true);
	expect(other.isKnown(phone, 'other key')).toBe(false);
	other.end('run', Date.now());
	expect(other.isKnown(phone, 'key')).toBe(true);
});

test('a run that has ended in one ends in the other, and does not come back with an older copy', () => {
	const [one, other] = pair();
	one.add(questions());
	const older = one.toText();
	one.end('run', Date.now() + 60_000);
	other.merge(older);
	other.merge(one.toText());
	expect(other.all()).toEqual([]);
	new OpenQuestions('service').merge(older);
	one.merge(other.toText());
	expect(one.add(questions())).toBe(true);
	expect(one.all()).toEqual([]);
});

test('reads nothing that was sealed with another key, and says so', () => {
	const process = new OpenQuestions('another service');
	const [one] = pair();
	one.add(questions());
	expect(process.merge(one.toText())).toBe(false);
	expect(process.all()).toEqual([]);
});

test('takes questions to at most 50,000 people at once', () => {
	const process = new OpenQuestions('service');
	const people: Questions['people'] = Array.from({ length: 10_000 }, (_, item) => [
		...([item, '+15550001001', 0, 1, null] as const),
	]);
	const taken = [1, 2, 3, 4, 5, 6].map((run) => process.add(questions({ run: `${run}`, people })));
	expect(taken).toEqual([true, true, true, true, true, false]);
});
