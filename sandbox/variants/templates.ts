/** Templates as a service with other habits lists them. */
import { groupBy, omit } from 'lodash';

import type { Template, TemplateComponent } from '../state/templates';
import type { Choice } from './table';

const variableNames = ['first_name', 'company', 'day'];

/** Templates, in as many records as the service makes of them. */
export function describeTemplates(choice: Choice, templates: Template[]): object[] {
	const described = templates.map((template) => describeTemplate(choice, template));
	if (choice['template-languages'] === 'records') return described;
	return Object.values(groupBy(described, 'name')).map(([first, ...others]) => ({
		...omit(first, ['language', 'status', 'components']),
		languages: [first, ...others].map(({ id, language, status, components }) => ({
			id,
			language,
			status,
			components,
		})),
	}));
}

/** One template. */
export function describeTemplate(choice: Choice, template: Template): Template {
	return {
		...template,
		components: template.components.map((component) => describeComponent(choice, component)),
	};
}

function describeComponent(choice: Choice, component: TemplateComponent): TemplateComponent {
	const named = choice['template-variables'] === 'named' ? withNames(component) : component;
	if (choice['template-case'] === 'upper') return named;
	const lower = <T extends string | undefined>(text: T) => text?.toLowerCase() as T;
	const buttons = named.buttons?.map((button) => ({ ...button, type: lower(button.type) }));
	return {
		...named,
		type: lower(named.type),
		...(named.format && { format: lower(named.format) }),
		...(buttons && { buttons }),
	};
}

function withNames(component: TemplateComponent): TemplateComponent {
	const text = JSON.stringify(component).replace(
		/\{\{(\d+)\}\}/g,
		(_, number: string) => `{{${variableNames[Number(number) - 1] ?? `value_${number}`}}}`,
	);
	return JSON.parse(text) as TemplateComponent;
}
