import { NewUser } from '../../test/e2e/support/newUser';
import { type Studio, around, boxOf, take, untilCalm } from './studio';

/** Our nodes in the panel of nodes: what can start a workflow, and how many actions there are. */
export async function takeNodePanel({ editor }: Studio): Promise<void> {
	await editor.goTo('/workflow/new');
	await new NewUser(editor).openNodePanel();
	const panel = editor.part('node-creator');
	await panel.getByText('On message received').waitFor();
	await untilCalm(editor);
	const { x, y, width } = await boxOf(panel);
	const actions = await boxOf(panel.locator('[data-test-id="node-creator-category-item"]').last());
	await take(editor.page, 'node-panel', around([{ x, y, width, height: 0 }, actions]));
}
