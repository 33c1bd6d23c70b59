/** Which rows of the campaign log are read for a campaign: all whose name looks the same, and few others. */
import { escapeRegExp } from 'lodash';

import { campaignName } from '../../../nodes/BusinessMessaging/campaignName';
import { campaignPattern } from '../../../nodes/BusinessMessaging/execution/logTable';

/** SQL's LIKE. */
const isLike = (text: string, pattern: string) =>
	new RegExp(`^${pattern.split('%').map(escapeRegExp).join('.*')}$`, 'su').test(text);

const names = [
	'sale',
	'Fête d’été',
	'Việt Nậm',
	'Ångström',
	'x\u0302y',
	'दिवाली \u0958',
	'春节 大促',
	'한글날',
	'Распродажа й',
	'عيد الأضحى',
	'sale-2026 🎄',
	'🎄',
];
const spellings: Array<[string, (name: string) => string]> = [
	['composed', (name) => name.normalize('NFC')],
	['decomposed', (name) => name.normalize('NFD')],
	['with invisible characters', (name) => [...name].join('\u200b')],
	['with other spaces', (name) => `\u00a0${name.replaceAll(' ', ' \t')} `],
	['with other hyphens', (name) => name.replaceAll('-', '\u2011')],
];

describe.each(names)('%s', (name) => {
	test.each(spellings)('%s: it is read', (_, write) => {
		const written = write(name);
		expect(campaignName(written)).toBe(campaignName(name));
		expect(isLike(written, campaignPattern(campaignName(name)))).toBe(true);
	});
});

test.each(['Fête d’été', '春节 大促', 'Распродажа й', 'عيد الأضحى'])(
	'no others are read for %s',
	(name) => {
		const others = names.filter((one) => one !== name);
		const pattern = campaignPattern(campaignName(name));
		expect(others.filter((one) => isLike(one, pattern))).toEqual([]);
	},
);
