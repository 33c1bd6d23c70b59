/** Variants of the service, combined at random. */
import { range } from 'lodash';

import { randomVariants } from '../../../sandbox/variants';
import { testVariants } from './service';

const count = 200;
/** `TEST_SEED` gives others. The same seed gives the same combinations, whatever their number. */
const seed = Number(process.env.TEST_SEED ?? 1);

testVariants(
	range(count).map((n) => randomVariants(seed * 10_000 + n)),
	`random combinations from seed ${seed}`,
);
