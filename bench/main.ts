/** `npm run bench -- campaign|exclusion|listing|replies|trigger [flags]`; each benchmark is a file that runs when it is imported. */
import { runMain, UserError } from '../tools/cli';

const benchmarks: Record<string, () => Promise<object>> = {
	campaign: async () => await import('./campaign.js'),
	exclusion: async () => await import('./exclusion.js'),
	listing: async () => await import('./listing.js'),
	replies: async () => await import('./replies.js'),
	trigger: async () => await import('./trigger.js'),
};

const [name] = process.argv.splice(2, 1);
const benchmark = benchmarks[name];
if (benchmark) void benchmark();
else
	runMain(async () => {
		throw new UserError(`Name one of ${Object.keys(benchmarks).join(', ')}.`);
	});
