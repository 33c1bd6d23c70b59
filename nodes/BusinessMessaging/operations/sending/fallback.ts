/** A template that is sent if the service refuses a text, e.g. because the customer has not written lately. */
import { omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { endpoints } from '../../api/endpoints';
import type { Client } from '../../transport/client';
import { ServiceError, asFailure, isRefusedContent } from '../../transport/errors';
import type { TemplateList } from '../../transport/templateList';
import { type ValuesOf, booleanField, recordField, showFor } from '../fields';
import type { MessageRules, OperationRequest, RequestSettings } from '../operation';
import { lookUpTemplates, reviewTemplate, sendTemplateMessage } from './templateReview';
import { sendMessage } from './sendMessage';
import { languageHint, templateRequest, templateTextField, variablesField } from './templateFields';

const isUsed = { useFallbackTemplate: [true] };

/** The fields of the fallback. */
export const fallbackFields = [
	booleanField({
		displayName: 'Use Fallback Template',
		name: 'useFallbackTemplate',
		description:
			'Whether to send a template if the service refuses the text, e.g. because the customer has not written lately. Nobody gets both messages.',
	}),
	showFor(
		recordField({
			displayName: 'Fallback Template',
			name: 'fallbackTemplate',
			required: true,
			description: 'The approved template to send instead',
			searchListMethod: 'searchTemplateNames',
			idMode: 'name',
			idPlaceholder: 'e.g. order_update',
		}),
		isUsed,
	),
	showFor(
		recordField({
			displayName: 'Fallback Language',
			name: 'fallbackLanguage',
			typeOptions: { loadOptionsDependsOn: ['fallbackTemplate.value'] },
			description: 'The language of the fallback template',
			hint: languageHint,
			searchListMethod: 'searchFallbackLanguages',
			idMode: 'code',
			idPlaceholder: 'e.g. en_US',
		}),
		isUsed,
	),
	showFor(
		templateTextField({
			displayName: 'Fallback Text',
			name: 'fallbackText',
			template: 'fallbackTemplate',
			language: 'fallbackLanguage',
			method: 'getFallbackText',
		}),
		isUsed,
	),
	showFor(
		variablesField({
			displayName: 'Fallback Variables',
			name: 'fallbackVariables',
			template: 'fallbackTemplate',
			language: 'fallbackLanguage',
			method: 'getFallbackVariables',
		}),
		isUsed,
	),
] as const;

/** The request of the fallback without its recipient; undefined if there is none. @throws InputError */
export function readFallback(
	{
		useFallbackTemplate,
		fallbackTemplate: template,
		fallbackLanguage: language,
		fallbackVariables: variables,
	}: ValuesOf<typeof fallbackFields>,
	settings: RequestSettings,
): MessageRules['fallback'] {
	if (!useFallbackTemplate) return undefined;
	const form = {
		specifyVariables: 'fields',
		componentsJson: undefined,
		headerDocumentUrl: '',
		templateText: undefined,
	} as const;
	const choice = ['fallbackTemplate', 'fallbackLanguage'];
	return templateRequest({ template, language, variables, ...form }, settings, choice);
}

/** See {@link lookUpTemplates}. */
export async function lookUpFallbacks(
	client: Client,
	requests: OperationRequest[],
): Promise<TemplateList | undefined> {
	return await lookUpTemplates(
		client,
		requests.flatMap(({ rules }) => rules?.fallback ?? []),
	);
}

/** See {@link reviewTemplate}. @throws InputError */
export function reviewFallback(request: OperationRequest, list?: TemplateList): OperationRequest {
	const { rules } = request;
	if (!rules?.fallback) return request;
	return { ...request, rules: { ...rules, fallback: reviewTemplate(rules.fallback, list) } };
}

/** Sends the text or, if the service certainly refuses it, the template. @throws ServiceError that names both refusals */
export async function sendTextOrFallback(
	client: Client,
	request: OperationRequest,
): Promise<IDataObject[]> {
	const { fallback, test } = request.rules ?? {};
	const sent = await sendMessage(client, endpoints.sendText, request).catch(asFailure);
	if (!(sent instanceof Error))
		return fallback ? sent.map((one) => ({ ...one, sentAs: 'text' })) : sent;
	if (!fallback) throw withAdvice(sent, "switch on 'Use Fallback Template'");
	if (!isCertainRefusal(sent)) throw sent;
	const { idempotencyKey: key, isStillAllowed } = request;
	const body = { ...omit(request.body, 'text'), ...fallback.body };
	const idempotencyKey = key && `${key}-template`;
	const rules = { ...fallback.rules, test };
	const instead = { body, rules, isStillAllowed, idempotencyKey };
	const records = await sendTemplateMessage(client, instead).catch((error: unknown) => {
		if (!(error instanceof ServiceError)) throw error;
		const { kind, message, statusCode } = error;
		const description = `Before that, the service refused the text: ${sent.message}. ${error.description ?? ''}`;
		throw new ServiceError(message, { kind, statusCode, description: description.trim() });
	});
	return records.map((one) => ({ ...one, sentAs: 'template' }));
}

/** The error of a text; a refusal gets the most frequent reason. @param how what to do about it */
export function withAdvice(error: unknown, how: string): unknown {
	if (!isRefusedContent(error)) return error;
	const { message, kind, statusCode, description = '' } = error;
	const advice = `Most services refuse a text if the customer has not written in the last 24 hours: send a template, or ${how}. ${description}`;
	return new ServiceError(message, { kind, statusCode, description: advice.trim() });
}

/** Whether the service has refused this text, and not the key, the rate or all messages. */
function isCertainRefusal(error: Error): boolean {
	if (!(error instanceof ServiceError) || error.kind !== 'refused') return false;
	const { statusCode = 0 } = error;
	const isRedirect = statusCode >= 300 && statusCode < 400;
	return !isRedirect && ![401, 403, 429].includes(statusCode);
}
