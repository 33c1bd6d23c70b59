'use strict';
// Loaded into n8n: on SIGUSR2 it collects garbage and writes what the process holds into n8n's folder.
const { renameSync, writeFileSync } = require('node:fs');
const v8 = require('node:v8');
const vm = require('node:vm');

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');
const MEGABYTE = 1024 ** 2;
const file = `${process.env.N8N_USER_FOLDER}/usage.json`;

process.on('SIGUSR2', () => {
	collectGarbage();
	collectGarbage();
	const { rss, heapUsed } = process.memoryUsage();
	const resources = process.getActiveResourcesInfo();
	const timers = resources.filter((name) => name === 'Timeout' || name === 'Immediate').length;
	const usage = {
		ageSeconds: process.uptime(),
		rssMb: rss / MEGABYTE,
		heapMb: heapUsed / MEGABYTE,
		handles: resources.length - timers,
		timers,
	};
	writeFileSync(`${file}.new`, JSON.stringify(usage));
	renameSync(`${file}.new`, file);
});
// From now on the signal does not end the process.
writeFileSync(`${file}.pid`, String(process.pid));
