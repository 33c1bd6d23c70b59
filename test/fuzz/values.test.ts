/** Every field that allows an expression, with values that nobody expects there, e.g. a function: the node sends each as a text, or says in plain words why it cannot. */
import { uniqBy } from 'lodash';

import { rawWords } from '../../harness/anyJson';
import { useService } from '../../harness/engine/service';
import { type Place, placesFor } from '../engine/operations/places';

const service = useService();
const item = {
	n: 1,
	id: 1,
	odd: { toString: 'x', valueOf: 1, toJSON: 'y' },
	deep: JSON.parse('['.repeat(500) + ']'.repeat(500)),
	long: 'x'.repeat(5_000),
	nan: NaN,
};
/** How an error begins that goes on in n8n's words. */
const ofN8n = /^The expression .* failed: /;
/** What an error quotes, because people would read it in the message. */
const quotation = /gives "[^"]*"/;
/** Fields of the same kind are read in the same way: choices, numbers and switches by their type, all others one by one. */
const kindOf = ({ name, field }: Place) =>
	['boolean', 'number', 'options'].includes(field.type) ? field.type : name;
/** What no request may contain. */
const unwanted = /\[object|undefined|NaN|Infinity|Invalid Date|native code|=>/;

test.each([
	...['$json.odd', '$json.deep', '$json.long', '$json.nan', '1 / 0', "'\\u0000'", '1n'],
	...['Symbol("a")', 'new Map([[1, 2]])', 'new Date(NaN)', 'DateTime.fromISO("x")'],
	...['(() => 1)', '$now.toISO'],
])('%s', async (code) => {
	const wrong: string[] = [];
	for (const expression of [`={{ ${code} }}`, `=1 {{ ${code} }}`])
		for (const { at, parameters } of uniqBy(placesFor(expression), kindOf)) {
			service.sandbox.reset();
			const { error } = await service.run({ parameters, items: [item] });
			const sent = JSON.stringify(service.requests().map(({ url, body }) => [url, body]));
			const message = error?.message ?? '';
			const isRaw = rawWords.test(message.replace(quotation, '')) && !ofN8n.test(message);
			const isShown = error === undefined || (error.description && message.length < 1_000);
			if (!isShown || isRaw || unwanted.test(decodeURIComponent(sent)))
				wrong.push(`${at}, ${expression}: ${message.slice(0, 200) || sent}`);
		}
	expect(wrong).toEqual([]);
});
