/** The events that are delivered, the same in every run. */
import range from 'lodash/range';
import sortBy from 'lodash/sortBy';

/** Copies that come later do so after this many events: two bursts. */
const LATER = 40;

/** The identifier of the message of an event. */
export function identifierOf(index: number): string {
	return `msg_${index}`;
}

function bodyOf(index: number): string {
	const data = {
		id: identifierOf(index),
		from: `+15551${String(100_000 + index)}`,
		text: `Question ${index}`,
		timestamp: '2030-01-31T10:00:00Z',
	};
	return JSON.stringify({ event: 'message.received', data });
}

/**
 * Bodies of deliveries: of each ten events three come again, one of them twice: at the same moment, or two bursts later.
 *
 * @param repeated whether any comes again
 */
export function deliveriesOf(events: number, { repeated = true } = {}): string[] {
	const copies = range(events).flatMap((index) => {
		const kind = repeated ? index % 10 : 9;
		const moments = [
			index,
			...(kind < 2 ? [index + 0.5] : []),
			...(kind === 1 || kind === 2 ? [index + LATER] : []),
		];
		return moments.map((moment) => ({ moment, index }));
	});
	return sortBy(copies, 'moment').map(({ index }) => bodyOf(index));
}
