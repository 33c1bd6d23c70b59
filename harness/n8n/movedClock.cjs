'use strict';
// Loaded into n8n: its clock differs from the machine's clock by the number of milliseconds in the file CLOCK_FILE.
// Timers are not affected, and neither is the clock of expressions, which n8n evaluates in isolates.
const { readFileSync } = require('node:fs');

const RealDate = Date;
const realNow = Date.now;
let movedMs = 0;
function read() {
	try {
		movedMs = Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
	} catch {
		// Nobody has moved the clock yet.
	}
}
read();
setInterval(read, 100).unref();

const now = () => realNow() + movedMs;
globalThis.Date = new Proxy(RealDate, {
	construct: (target, values, newTarget) =>
		Reflect.construct(target, values.length > 0 ? values : [now()], newTarget),
	apply: () => new RealDate(now()).toString(),
	get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
