/**
 * `npm run test:soak`: simulates a day of a shop in an hour, on a real n8n with failures, and compares what should have
 * happened with what did.
 */
import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import countBy from 'lodash/countBy';
import mapValues from 'lodash/mapValues';
import { printTable, readFlags, runMain, step, UserError } from '../../../harness/cli';
import { until } from '../../../harness/until';
import { liveThroughDay, workflows } from './day';
import { causeFaults, planFaults } from './faults';
import { Memory, prepareProcesses } from './instruments';
import { keepEvidence, openQueue, openSingle } from './machine';
import { fillPast } from './past';
import type { Line } from './line';
import { isOpen, Shop } from './shop';
import { Truth } from './truth';

const USAGE = `Usage: npm run test:soak -- [--minutes 60] [--seed N] [--queue] [--people 5000] [--month] [--json FILE]
Runs a shop on a real n8n and the sandbox for so many minutes, in n8n's regular mode or in queue mode, while the service, n8n's
processes, its database and its clocks fail as the seed says. Ends with an error at once if anything is lost or doubled. Needs Linux.
--people is the size of the largest campaign. --month begins with the past of a shop: 100,000 messages, 20,000 people who opted out and
500 open questions.`;
const SETTLE_LIMIT = 15 * 60_000;

runMain(async () => {
	const flags = readFlags(
		{
			...{ minutes: 'string', seed: 'string', people: 'string', json: 'string' },
			...{ queue: 'boolean', month: 'boolean' },
		},
		USAGE,
	);
	const minutes = Number(flags.minutes ?? 60);
	const seed = Number(flags.seed ?? randomInt(1_000_000));
	const people = Number(flags.people ?? 5000);
	const isQueue = flags.queue === true;
	console.log(`Seed ${seed}`);
	const envOf = await prepareProcesses();
	const machine = await (isQueue ? openQueue(envOf) : openSingle(envOf));
	const shop = await Shop.open(machine, workflows, seed);
	const truth = new Truth(shop);
	const memory = new Memory(machine.processes);
	const past = async () => await fillPast(shop, truth, minutes);
	const questions = flags.month ? await step('The past of a month', past) : undefined;
	const happened: Array<{ name: string; at: Date }> = [];
	const faults: string[] = [];

	/** Checks the results every minute. @throws UserError as soon as they are wrong */
	const watch = async () => {
		const start = Date.now();
		while (!shop.isOver) {
			await delay(60_000);
			await memory.sample();
			await truth.collect();
			const found = faultsOf(truth.lines(false));
			const minute = Math.round((Date.now() - start) / 60_000);
			if (found.length > 0) throw new UserError(`In minute ${minute}: ${found.join('\n')}`);
			shop.isOver = minute >= minutes;
		}
	};
	const plan = planFaults(seed, minutes);
	const happens = (name: string) => void happened.push({ name, at: new Date() });
	const pace = { campaign: people, question: Math.min(500, people) };
	const work = async () => {
		const day = [watch(), causeFaults(shop, truth, { seed, plan, happens })];
		await Promise.all([...day, liveThroughDay(shop, truth, pace), questions?.ended]);
		await settle(shop, truth);
	};
	const counter = () =>
		`${shop.sandbox.state.messages.all.length} messages, last fault: ${happened.at(-1)?.name ?? 'none'}`;
	await step(`${minutes} minutes`, work, counter).catch((error: unknown) => {
		faults.push((error as Error).message);
	});

	const isWhole = faults.length === 0;
	await truth.log.read(truth.mailings);
	await truth.records.read();
	const lines = truth.lines(isWhole);
	await memory.sample();
	const sizes = { ...(await readSizes(shop, truth)), webhooksLeft: await shop.close() };
	if (isWhole) faults.push(...faultsOf(lines), ...truth.log.faults(), ...memory.faults());
	if (sizes.webhooksLeft > 0) faults.push(`${sizes.webhooksLeft} webhooks are left over.`);
	const counted = lines.map((line) =>
		mapValues(line, (value) => (Array.isArray(value) ? value.length : value)),
	);
	for (const rows of [counted, memory.rows(), [truth.log.sizes(truth.mailings)], [sizes]])
		printTable(rows);
	const report = { seed, minutes, isQueue, people, faults, happened };
	console.log(countBy(happened, 'name'));
	const tables = {
		truth: counted,
		log: truth.log.sizes(truth.mailings),
		memory: memory.rows(),
		sizes,
	};
	if (flags.json)
		await writeFile(flags.json, `${JSON.stringify({ ...report, ...tables }, null, 2)}\n`);
	if (faults.length > 0) {
		const evidence = await keepEvidence(machine);
		throw new UserError(
			`It does not hold, with seed ${seed}:\n${faults.join('\n')}\nThe logs and executions of n8n are in ${evidence}.`,
		);
	}
});

/** Waits until the service has delivered everything and n8n has run everything, and reads the results. */
async function settle(shop: Shop, truth: Truth): Promise<void> {
	const waiting = { limit: SETTLE_LIMIT, interval: 2_000 };
	await until('all deliveries', () => truth.pending.size === 0, { ...waiting });
	const isIdle = async () => {
		await truth.collect();
		const sql = `SELECT id FROM execution_entity WHERE ${isOpen()}`;
		return (await shop.machine.database.numbers(sql)).length === 0;
	};
	await until('all executions to end', isIdle, { ...waiting });
	await truth.collect();
	await truth.lookAgain();
}

/** What was lost or happened twice, one sentence each. */
function faultsOf(lines: Line[]): string[] {
	const some = (all: string[]) => [...all.slice(0, 5), ...(all.length > 5 ? ['…'] : [])].join('; ');
	return lines.flatMap(({ what, lost, doubled }) => [
		...(lost.length > 0 ? [`${what}, ${lost.length} lost: ${some(lost)}`] : []),
		...(doubled.length > 0 ? [`${what}, ${doubled.length} doubled: ${some(doubled)}`] : []),
	]);
}

/** The size of n8n's database in bytes, the slowest response to a delivery, and the number of executions. */
async function readSizes({ machine }: Shop, truth: Truth) {
	const { database } = machine;
	const one = async (sql: string) => (await database.numbers(sql))[0] ?? 0;
	const kilobytes = async (column: string, table: string) =>
		(await one(`SELECT SUM(LENGTH(CAST(${column} AS TEXT))) FROM ${table}`)) / 1024;
	const count = 'SELECT COUNT(*) FROM execution_entity';
	return {
		staticDataKb: await kilobytes('"staticData"', 'workflow_entity'),
		executions: await one(count),
		crashed: await one(`${count} WHERE status = 'crashed'`),
		deliveries: truth.deliveries.length,
		slowestAnswerSeconds: truth.slowestAnswer / 1000,
	};
}
