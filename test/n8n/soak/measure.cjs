'use strict';
// Loaded into n8n: on SIGUSR2, collects garbage, returns free memory to the system, and writes what the process holds
// into n8n's folder.
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

const MEGABYTE = 1024 ** 2;
const file = `${process.env.N8N_USER_FOLDER}/usage.json`;

process.on('SIGUSR2', () => {
	const inspector = new Session();
	inspector.connect();
	// After V8's `gc()`, the young generation stays as large as it was, which is 120 MB of a worker's resident memory.
	inspector.post('HeapProfiler.collectGarbage', () => {
		// glibc keeps memory that was used once, so resident memory would show the busiest moment so far.
		process.dlopen({ exports: {} }, process.env.SOAK_TRIM);
		writeUsage();
		setImmediate(() => inspector.disconnect()); // at once, it would stop the event loop
	});
});

function writeUsage() {
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
}

// From now on, the signal does not end the process.
writeFileSync(`${file}.pid`, String(process.pid));
