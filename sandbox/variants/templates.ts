/** Templates as a service with other habits lists them. */
import { groupBy, omit, pick } from 'lodash';

import type { Template, TemplateComponent } from '../state/templates';
import type { Choice } from './table';

const variableNames = {
	named: ['first_name', 'company', 'day'],
	scripts: ['größe', ' 名前 ', 'día'],
};
const statusNames = {
	APPROVED: 'Active - Quality pending',
	PENDING: 'In review',
	REJECTED: 'Rejected',
};

/** Templates, in as many records as the service makes of them. */
export function describeTemplates(choice: Choice, templates: Template[]): object[] {
	const described = templates.map((template) => describeTemplate(choice, template));
	if (choice['template-languages'] === 'records') return described;
	const own = ['language', 'status', 'components'];
	return Object.values(groupBy(described, 'name')).map((records) => ({
		...omit(records[0], own),
		languages: records.map((record) => pick(record, ['id', ...own])),
	}));
}

/** One template. */
export function describeTemplate(choice: Choice, template: Template): object {
	const { status } = template;
	const described = {
		...template,
		status: choice['template-status'] === 'quality' ? statusNames[status] : status,
		components: template.components.map((component) => describeComponent(choice, component)),
	};
	const shown = choice['template-status'] === 'absent' ? omit(described, 'status') : described;
	return choice['template-content'] === 'hidden'
		? pick(shown, ['id', 'name', 'language', 'status'])
		: shown;
}

function describeComponent(choice: Choice, component: TemplateComponent): TemplateComponent {
	const kind = choice['template-variables'];
	const named = kind === 'numbered' ? component : withNames(component, variableNames[kind]);
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

function withNames(component: TemplateComponent, names: string[]): TemplateComponent {
	const text = JSON.stringify(component).replace(
		/\{\{(\d+)\}\}/g,
		(_, number: string) => `{{${names[Number(number) - 1] ?? `value_${number}`}}}`,
	);
	return JSON.parse(text) as TemplateComponent;
}
