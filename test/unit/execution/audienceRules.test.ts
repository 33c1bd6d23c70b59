/** What is read for each item of a run must not read a list of thousands each time. */
import { range } from 'lodash';

import {
	readAudience,
	readNumbers,
} from '../../../nodes/BusinessMessaging/operations/sending/audienceRules';

const numbers = range(1_000).map((n) => `+1555000${1000 + n}`);

test.each([
	['with commas', numbers.join(', ')],
	['as JSON', JSON.stringify(numbers)],
	['in lines', numbers.join('\n')],
])(
	'the numbers of Exclude Numbers %s are taken apart once for the run, not for each item',
	async (_, excludeNumbers) => {
		const split = jest.spyOn(String.prototype, 'split');
		const audience = readAudience(
			{ audienceRules: { excludeNumbers }, options: {} },
			{ defaultCountry: '' },
		);
		expect(split).not.toHaveBeenCalled();
		expect((await readNumbers(audience!.excludeNumbers!, '')).size).toBe(1_000);
	},
);
