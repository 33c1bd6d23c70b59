/** Reads the input items: the values of their fields, and the requests that they make. */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Endpoint } from '../api/endpoints';
import { textOrJson } from '../jsonValues';
import { mapInTurns } from '../yieldToN8n';
import { coerce } from '../operations/coerce';
import type { ParameterField } from '../operations/fields';
import { additionalFields, queryParameters, readRows } from '../operations/openFields';
import type {
	Operation,
	OperationRequest,
	RequestSettings,
	RunOptions,
} from '../operations/operation';
import { defaultCountryOf } from '../operations/phoneFields';
import { readPhone } from '../phone/readPhone';
import { InputError, asFailure } from '../transport/errors';
import { credentialType } from '../transport/connect';
import { FieldReader } from './expressions';
import type { Item } from './item';

type Values = Record<string, unknown>;

/** Reads the input items. An item with an invalid value has failed, with an InputError that names the field. */
export async function readItems(context: IExecuteFunctions, operation: Operation): Promise<Item[]> {
	const reader = new FieldReader(context);
	// A credential that cannot be read is reported by the first request.
	const credential = await context.getCredentials(credentialType).catch(() => undefined);
	const timeZone = context.getTimezone();
	const settings = {
		defaultCountry: defaultCountryOf(credential),
		timeZone,
		isExpression: (name: string) => reader.isExpression(name),
	};
	const readItem = ({ json: input, binary: files }: INodeExecutionData, index: number): Item => {
		const values: Values = {};
		try {
			const rowsOf = (path: string) => reader.rowsOf(path, index);
			const oneOfRows = (path: string) => reader.oneOfRows(path, index);
			for (const field of operation.fields) values[field.name] = readValue(field, reader, index);
			return {
				index,
				input,
				files,
				request: buildRequest(operation, values, { ...settings, rowsOf, oneOfRows }),
			};
		} catch (error) {
			const to = readPhone(textOrJson(values.to), settings.defaultCountry).e164;
			return { index, input, files, to, outcome: { failure: asFailure(error) } };
		}
	};
	return await mapInTurns(context.getInputData(), readItem);
}

/** The values of the fields of an item, by their names. @throws InputError for an invalid one */
export function readValues(
	fields: readonly ParameterField[],
	reader: FieldReader,
	index: number,
): Values {
	return Object.fromEntries(fields.map((one) => [one.name, readValue(one, reader, index)]));
}

/** @throws InputError for a value that does not fit its field, and for a required one that is empty */
function readValue(field: ParameterField, reader: FieldReader, index: number): unknown {
	const value = coerce(field, reader.read(field, index));
	const isBlank = typeof value === 'string' && value.trim() === '';
	if (!field.required || !isBlank || !reader.isShown(field)) return value;
	throw new InputError(
		`'${field.displayName}' is empty`,
		'Fill it in, or check the data that its expression refers to.',
	);
}

function buildRequest(
	operation: Operation,
	values: Values,
	settings: RequestSettings,
): OperationRequest {
	const options = values.options as RunOptions;
	const request = { ...operation.request(values, settings), options };
	const parameters = readRows(values.queryParameters, queryParameters, request.query);
	const query = { ...request.query, ...parameters };
	const endpoint = request.endpoint ?? operation.endpoint;
	if (!endpoint.body) return { ...request, query };
	const further = readRows(values.additionalFields, additionalFields, request.body);
	const body = { ...request.body, ...further };
	checkBody(endpoint, operation, body);
	if (request.id !== undefined && Object.values(body).every((value) => value === undefined))
		throw new InputError(
			'There is nothing to change',
			"Add at least one field under 'Update Fields' or 'Additional Fields'.",
		);
	return { ...request, query, body };
}

/** Checks the fields of a body against the endpoint's schema. The error shows the label of the field instead of its path. */
function checkBody(endpoint: Endpoint, { fields }: Operation, body: Values): void {
	const result = endpoint.body?.partial().safeParse(JSON.parse(JSON.stringify(body)));
	if (!result || result.success) return;
	const [issue] = result.error.issues;
	const [top, ...rest] = issue.path.map(String);
	const label = fields.find(({ name }) => [top, `${top}Json`].includes(name))?.displayName ?? top;
	const place = [label, ...rest].join('.');
	const advice = 'Check the field, or the data that its expression refers to.';
	throw new InputError(`'${place}' is not valid: ${issue.message}`, advice);
}
