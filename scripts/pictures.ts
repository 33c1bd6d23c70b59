/** `npm run docs -- pictures [NAME…]`: takes the pictures of docs/pictures in the editor of a real n8n and on the sandbox's phone. */
import { UserError, runMain } from '../tools/cli';
import { withScreenshot } from '../test/e2e/support/look';
import { takeConversation } from './pictures/conversation';
import { takeCredential } from './pictures/credential';
import { takeExamples } from './pictures/examples';
import { takeNodePanel } from './pictures/nodePanel';
import { takePhone } from './pictures/phone';
import { type Studio, openStudio } from './pictures/studio';
import { takeTemplate } from './pictures/template';
import { takeTrigger } from './pictures/trigger';

const subjects: Record<string, (studio: Studio) => Promise<void>> = {
	'node-panel': takeNodePanel,
	credential: takeCredential,
	trigger: takeTrigger,
	// After the trigger: it widens the panel, and the editor remembers that.
	'send-template': takeTemplate,
	examples: takeExamples,
	phone: takePhone,
	conversation: takeConversation,
};

runMain(async () => {
	const wanted = process.argv.slice(2);
	const unknown = wanted.filter((name) => !(name in subjects));
	if (unknown.length > 0)
		throw new Error(`There is no ${unknown.join(', ')}, only ${Object.keys(subjects).join(', ')}.`);
	const studio = await openStudio();
	const problems: string[] = [];
	for (const [name, takeIt] of Object.entries(subjects)) {
		if (wanted.length > 0 && !wanted.includes(name)) continue;
		await withScreenshot(studio.editor, async () => await takeIt(studio)).catch((error: Error) =>
			problems.push(`${name}: ${error.message}`),
		);
		problems.push(
			...studio.editor.problems
				.splice(0)
				.map((problem) => `${name}: the editor reports ${problem}`),
		);
	}
	if (problems.length > 0) throw new UserError(problems.join('\n'));
});
