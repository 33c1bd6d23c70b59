/** `npm run bench -- campaign|listing|trigger [flags]`. */
import { UserError } from '../tools/userError';

const benchmarks: Record<string, () => Promise<object>> = {
	campaign: async () => await import('./campaign.js'),
	listing: async () => await import('./listing.js'),
	trigger: async () => await import('./trigger.js'),
};

const [name] = process.argv.splice(2, 1);
const benchmark = benchmarks[name];
if (!benchmark) throw new UserError(`Name one of ${Object.keys(benchmarks).join(', ')}.`);
void benchmark();
