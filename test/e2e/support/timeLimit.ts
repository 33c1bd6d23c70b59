/** n8n takes its time: to be installed, to start, to run. */
jest.setTimeout(15 * 60_000);
