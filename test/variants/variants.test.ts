/** Each variation point of the service in each of its variants. */
import { singleVariants } from '../../sandbox/variants';
import { testVariants } from './service';

testVariants([{}, ...singleVariants()], 'single variants');
