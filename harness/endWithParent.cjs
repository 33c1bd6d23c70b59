'use strict';
// Loaded into a Node.js program before its own code: ends the program when its parent process has ended.
const parent = process.ppid;
setInterval(() => {
	if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
}, 1000).unref();
