/** The dashboard of deploy/ and its queries. Grafana's macros are replaced as Grafana's data source for PostgreSQL replaces them. */
import { readText } from '../engine/files';
import type { Database } from './database';

type Panel = { title: string; targets: Array<{ rawSql: string }> };

/** The dashboard, as Grafana imports it. */
const dashboard = JSON.parse(readText('deploy/grafana-dashboard.json')) as {
	panels: Panel[];
};

/** The rows of a panel for the last days. @param groupSeconds the interval of rows over time */
export async function rowsOf(
	database: Database,
	title: string,
	{ days, groupSeconds }: { days: number; groupSeconds: number },
): Promise<Array<Record<string, unknown>>> {
	const { rawSql } = dashboard.panels.find((panel) => panel.title === title)!.targets[0];
	const sql = rawSql
		.replaceAll(
			/\$__timeFilter\(([^)]+)\)/g,
			`$1 BETWEEN now() - interval '${days} days' AND now() + interval '1 hour'`,
		)
		.replaceAll(
			/\$__timeGroupAlias\(([^,]+), \$__interval\)/g,
			`floor(extract(epoch from $1)/${groupSeconds})*${groupSeconds} AS "time"`,
		);
	return await database.run(sql);
}
