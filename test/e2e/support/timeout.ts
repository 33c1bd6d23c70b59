// n8n takes its time: to be installed, to start, to run. Jest takes no limit of a single project from its configuration.
jest.setTimeout(15 * 60_000);
