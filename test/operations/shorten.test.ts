/** What is left of a record that is made small. */
import { range } from 'lodash';

import { shorten } from '../../nodes/BusinessMessaging/operations/shorten';

const many = (count: number) => Object.fromEntries(range(count).map((n) => [`other${n}`, n]));

test('a small record stays as it is, down to its order', () => {
	const record = { ...many(8), name: null, id: 1 };
	expect(shorten(record, ['id', 'name'])).toBe(record);
});

test('of a large one those that matter come first, then plain ones, ten in all', () => {
	const record = { ...many(12), tags: ['a'], deep: { x: 1 }, list: [1], nothing: null, id: 1 };
	expect(Object.entries(shorten(record, ['id', 'name', 'tags']))).toEqual([
		['id', 1],
		['tags', ['a']],
		...range(8).map((n) => [`other${n}`, n]),
	]);
	expect(shorten({ deep: {}, nothing: null, ...many(12) }, [])).toEqual({
		nothing: null,
		...many(9),
	});
	expect(shorten(many(11), [])).toEqual(many(10));
});

test('what is neither plain nor known is left out of a small one, too', () => {
	expect(shorten({ id: 1, deep: { x: 1 }, list: [], nothing: null }, ['id'])).toEqual({
		id: 1,
		nothing: null,
	});
	expect(shorten({ id: 1, deep: { x: 1 } }, ['id', 'deep'])).toEqual({ id: 1, deep: { x: 1 } });
	expect(Object.keys(shorten({ id: 1, header: undefined }, ['id', 'header']))).toEqual(['id']);
});

test('names that mean something to JavaScript are names like others', () => {
	const record = JSON.parse('{ "__proto__": "a", "deep": {}, "constructor": "b" }') as Record<
		string,
		unknown
	>;
	const small = shorten(record, ['__proto__']);
	expect(Object.keys(small)).toEqual(['__proto__', 'constructor']);
	expect(Object.getPrototypeOf(small)).toBe(Object.prototype);
});
