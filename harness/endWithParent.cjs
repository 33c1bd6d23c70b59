'use strict';
// Loaded into a Node.js program before its own code: when the process that started it is gone, the program ends too.
const parent = process.ppid;
setInterval(() => {
	if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, 1000).unref();
