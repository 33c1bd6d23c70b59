/** The searchable lists of the editor. */
import { type ILoadOptionsFunctions, type INodeListSearchResult, NodeOperationError } from 'n8n-workflow';

import { type Endpoint, endpoints } from '../api/endpoints';
import { type ServiceRecord, readId } from '../api/read';
import { asFailure } from '../execution/errors';
import { connect } from '../transport/connect';
import { listRecords } from '../transport/pages';

interface Choice {
	/** What the user reads; undefined leaves the record out. */
	name: string | undefined;
	value: string | undefined;
}

/** More than anybody scrolls through; what lies beyond is reached by ID. */
const maxRecords = 1000;

function picker(endpoint: Endpoint, toChoice: (record: ServiceRecord) => Choice) {
	return async function search(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
		try {
			const records = await listRecords(await connect(this), endpoint, { limit: maxRecords });
			const wanted = filter?.toLowerCase() ?? '';
			const seen = new Set<string>();
			const results = records.map(toChoice).flatMap(({ name, value }) => {
				const isWanted = value && !seen.has(value) && (name ?? value).toLowerCase().includes(wanted);
				if (!isWanted) return [];
				seen.add(value);
				return [{ name: name ?? value, value }];
			});
			return { results };
		} catch (error) {
			const { message, description } = asFailure(error);
			throw new NodeOperationError(this.getNode(), message, { description });
		}
	};
}

function words(...parts: unknown[]): string | undefined {
	return parts.filter((part) => typeof part === 'string' && part !== '').join(' · ') || undefined;
}

/** The methods that resource locators name. */
export const listSearch = {
	searchContacts: picker(endpoints.listContacts, (contact) => ({ name: words(contact.name, contact.phone), value: readId(contact) })),
	searchTemplates: picker(endpoints.listTemplates, (template) => ({
		name: words(template.name, template.language, template.status),
		value: readId(template),
	})),
	searchTemplateNames: picker(endpoints.listTemplates, (template) => ({
		name: words(template.name),
		value: words(template.name),
	})),
	searchWebhooks: picker(endpoints.listWebhooks, (webhook) => ({ name: words(webhook.url), value: readId(webhook) })),
};
