/** The text of a template in the editor is HTML, and the service decides what is in it. */
import { locator, useService } from '../../../harness/engine/service';

const service = useService();
const evil = '<img src=x onerror=alert(1)>';

test.each(['HEADER', 'BODY', 'FOOTER', 'button', 'url'])(
	'markup in the part %s of a template is shown as text',
	async (place) => {
		const at = (part: string) => (part === place ? evil : 'x');
		const parts = ['HEADER', 'BODY', 'FOOTER'].map((type) => ({
			type,
			format: 'TEXT',
			text: at(type),
		}));
		const buttons = [{ type: 'URL', text: at('button'), url: `https://a.test/${at('url')}` }];
		const components = [...parts, { type: 'BUTTONS', buttons }];
		service.list('listTemplates', { name: 'a', language: 'en_US', components });
		const chosen = { template: locator('a', 'list'), language: locator('en_US', 'list') };
		const editor = service.engine.editor({
			parameters: { resource: 'message', operation: 'sendTemplate', ...chosen },
			credentials: service.credentials(service.newKey()),
		});
		const { emptyFieldsNotice } = await editor.resourceMapping('getTemplateText');
		expect(emptyFieldsNotice).toContain('&lt;img src=x onerror=alert(1)&gt;');
		expect(emptyFieldsNotice).not.toContain('<img');
	},
);
