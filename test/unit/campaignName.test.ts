/** Names of campaigns that people cannot tell apart are one name. */
import { campaignName } from '../../nodes/BusinessMessaging/campaignName';

test.each([
	['su\u0308d', 'süd', 'a letter and its mark'],
	['spring\u00a0sale', 'spring sale', 'a no-break space'],
	['spring \t\n sale', 'spring sale', 'several spaces'],
	['spring\u3000sale', 'spring sale', 'a wide space'],
	['\ufeffsale\u200b', 'sale', 'marks without a width'],
	['sa\u00adle', 'sale', 'a soft hyphen'],
	['\u202esale\u202c', 'sale', 'marks of direction'],
	['sale\ufe0f\u0000', 'sale', 'a variation selector and a control'],
	['pre\u2011sale', 'pre-sale', 'a hyphen that forbids a line break'],
	['u\u200b\u0308', 'ü', 'a mark behind an invisible character'],
])('%j is %j: %s', (written, name) => {
	expect(campaignName(written)).toBe(name);
	expect(campaignName(` ${name} `)).toBe(name);
});

test.each([
	['sale', 'Sale'],
	['sale 1', 'sale1'],
	['₹100', '100'],
	['été', 'ete'],
])('%j and %j stay two names', (one, other) => {
	expect(campaignName(one)).not.toBe(campaignName(other));
});
