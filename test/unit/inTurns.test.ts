/** Work on many things leaves the process to others now and then. */
import range from 'lodash/range';
import { mapInTurns } from '../../nodes/BusinessMessaging/inTurns';

test('work of five seconds leaves the process to others two hundred times, and the results keep their order', async () => {
	let now = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	let turns = 0;
	const others = setInterval(() => turns++, 0);
	const numbers = range(1_000);
	const results = await mapInTurns(numbers, (number, index) => {
		now += 5;
		return number + index;
	});
	clearInterval(others);
	expect(results).toEqual(numbers.map((number) => 2 * number));
	expect(turns).toBeGreaterThan(150);
});
