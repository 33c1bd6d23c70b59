/** Reads the input items: the values of their fields, and the requests that they make. */
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Endpoint } from '../api/endpoints';
import { asText } from '../operations/asText';
import { coerce } from '../operations/coerce';
import { InputError, asInputError } from '../operations/inputError';
import { readAdditionalFields, readQueryParameters } from '../operations/openFields';
import type { Operation, OperationRequest, RequestSettings } from '../operations/operation';
import { credentialType } from '../transport/connect';
import { FieldReader } from './expressions';
import type { Item } from './item';

/** Reads the input items. One whose values cannot be right has failed, with an InputError that names the field. */
export async function readItems(context: IExecuteFunctions, operation: Operation): Promise<Item[]> {
	const reader = new FieldReader(context);
	// A credential that cannot be read is reported by the first request.
	const credential = await context.getCredentials(credentialType).catch(() => undefined);
	const settings = { defaultCountry: asText(credential?.defaultCountry) };
	return context.getInputData().map((_, index): Item => {
		try {
			const values = readValues(operation, reader, index);
			return { index, values, request: buildRequest(operation, values, settings) };
		} catch (error) {
			const gaps = operation.fields.map((field) => reader.explainEmpty(field, index));
			return { index, outcome: { failure: withGaps(asInputError(error), gaps) } };
		}
	});
}

/** The error, and the expressions that gave no value: they are usually what is behind it. */
function withGaps({ message, description }: InputError, gaps: string[]): InputError {
	const others = gaps.filter((gap) => gap !== '' && gap !== `${message}.`);
	return new InputError(message, [description, ...others].filter(Boolean).join(' '));
}

/** @throws InputError for a value that is not of its field's type, and for a required one that is empty */
function readValues(
	{ fields }: Operation,
	reader: FieldReader,
	index: number,
): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	for (const field of fields) {
		const value = coerce(field, reader.read(field, index));
		const isBlank = typeof value === 'string' && value.trim() === '';
		if (field.required && reader.isShown(field) && isBlank)
			throw new InputError(
				`'${field.displayName}' is empty`,
				'Fill it in, or check the data that its expression refers to.',
			);
		values[field.name] = value;
	}
	return values;
}

function buildRequest(
	operation: Operation,
	values: Record<string, unknown>,
	settings: RequestSettings,
): OperationRequest {
	const request = operation.request(values, settings);
	const query = { ...request.query, ...readQueryParameters(values.queryParameters, request.query) };
	const endpoint = request.endpoint ?? operation.endpoint;
	if (!endpoint.body) return { ...request, query };
	const body = { ...request.body, ...readAdditionalFields(values.additionalFields, request.body) };
	checkBody(endpoint, operation, body);
	if (request.id !== undefined && Object.values(body).every((value) => value === undefined)) {
		throw new InputError(
			'There is nothing to change',
			'Add what to change under Update Fields or Additional Fields.',
		);
	}
	return { ...request, query, body };
}

/** Holds the body against the contract's schema; the label of the field says more to the user than its path. */
function checkBody(endpoint: Endpoint, { fields }: Operation, body: Record<string, unknown>): void {
	const result = endpoint.body?.safeParse(JSON.parse(JSON.stringify(body)));
	if (!result || result.success) return;
	const [issue] = result.error.issues;
	const [top, ...rest] = issue.path.map(String);
	const label = fields.find(({ name }) => name === top)?.displayName ?? top;
	const place = [label, ...rest].join('.');
	const isEmpty = rest.length === 0 && (body[top] === '' || body[top] === undefined);
	throw new InputError(
		isEmpty ? `'${place}' is empty` : `'${place}' is not valid: ${issue.message}`,
		'Check the field, or the data that its expression refers to.',
	);
}
