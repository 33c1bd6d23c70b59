/** Every field that allows an expression, with an expression without a value: the node refuses it by its name, or leaves the field out. */
import { useService } from '../../../harness/engine/service';
import { placesFor } from './places';

const service = useService();
const places = placesFor('={{ $json.missing }}');

/** Places where a value may be missing: a contact, a key or a person without a name. */
const leftOut = [
	...['account createToken: name', 'contact create: name', 'contact upsert: name'],
	...['message sendText: options.personName', 'message sendTemplate: options.personName'],
];

test('the table contains all fields', () => {
	expect(places.length).toBeGreaterThan(100);
	expect(places.map(({ at }) => at)).toEqual(expect.arrayContaining(leftOut));
});

test.each(places.filter(({ at }) => !leftOut.includes(at)))(
	'$at is refused by name',
	async ({ label, field: { type, displayName }, parameters }) => {
		const isInner = type !== 'resourceMapper' && displayName !== label;
		const shown = isInner ? `${label} → ${displayName}` : label;
		const { error } = await service.run({ parameters, items: [{ n: 1, id: 1 }] });
		expect(error?.message).toBe(`{{ $json.missing }} in '${shown}' has no value [item 0]`);
		expect(error?.context?.sendStatus).toBe('notSent');
		expect(service.requests()).toEqual([]);
	},
);

test.each(places.filter(({ at }) => leftOut.includes(at)))(
	'$at is left out',
	async ({ parameters }) => {
		const { error } = await service.run({ parameters, items: [{ n: 1, id: 1 }] });
		expect(error).toBeUndefined();
		const bodies = service.requests().map(({ body }) => body);
		expect(bodies).not.toEqual([]);
		expect(JSON.stringify(bodies)).not.toContain(':""');
	},
);
