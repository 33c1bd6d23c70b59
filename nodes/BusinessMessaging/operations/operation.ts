/** An operation is data: its names, its fields, and a pure function from their values to a request. */
import { identity, isEmpty, isObject, pick } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { type Endpoint, recordName } from '../api/endpoints';
import { mapInTurns } from '../yieldToN8n';
import {
	type ServiceRecord,
	isEmptyValue,
	isRecord,
	quoted,
	splitList,
	textOrJson,
} from '../jsonValues';
import { countFigures, readEnvelope, readRecord } from '../reading/readResponse';
import type { ApiRequest, Client } from '../transport/client';
import { readPaging } from '../reading/readPaging';
import { type RecordList, readRecords } from '../transport/lists';
import {
	type ParameterField,
	type ValuesOf,
	limitField,
	optionsField,
	outputField,
	outputFieldsField,
	returnAllField,
	simplifyField,
} from './fields';
import type { Audience } from './sending/audienceRules';
import type { Campaign } from './sending/campaign';
import type { QuestionSettings } from './sending/questionFields';
import type { TemplateMessage } from './sending/templateVariables';
import { additionalFields, queryParameters } from './openFields';

/** The resources of the node, as saved in workflows. */
export type Resource =
	| 'account'
	| 'analytics'
	| 'campaign'
	| 'contact'
	| 'conversation'
	| 'message'
	| 'template'
	| 'webhook';

/** The names of an operation, and its endpoint. */
export interface OperationNames {
	resource: Resource;
	/** Title Case label, e.g. "Send Text". */
	name: string;
	/** Stable identifier, saved in workflows. */
	value: string;
	/** Sentence for the node panel, e.g. "Send text message". */
	action: string;
	description: string;
	/** The endpoint that it calls; if it calls several, the one for its request. */
	endpoint: Endpoint;
}

/** Options of a whole run. */
export interface RunOptions {
	/** Seconds. */
	timeout?: number;
	/** Maximum number of requests at the same time; depends on the rate if absent. */
	concurrency?: number;
	/** Maximum number of messages in any minute; as many as the credential allows if absent. */
	messagesPerMinute?: number;
}

/** What an operation returns of a list. */
interface ListSettings {
	/** Maximum number of records; all if absent. */
	limit?: number;
	isSimplified: boolean;
	onlyFields?: string[];
}

/** Whether, to whom and how a message is sent. */
export interface MessageRules {
	campaign?: Campaign;
	audience?: Audience;
	/** The request that is sent if the service refuses a text: a template message without its recipient. */
	fallback?: Pick<OperationRequest, 'body' | 'rules'>;
	isPreview?: boolean;
	/** For a test: who would have got the message, E.164, and how many items are tested. */
	test?: { meantFor: string; testMessages: number };
	/** The settings of the question, if the run waits for a reply. */
	question?: QuestionSettings;
	template?: TemplateMessage;
}

/** The request of an item, and what the run does with it. */
export interface OperationRequest extends ApiRequest {
	options?: RunOptions;
	list?: ListSettings;
	rules?: MessageRules;
	/** The Default Country of local numbers that the service lists. */
	country?: string;
	/** Hints for the user, e.g. that a part of a value was left out. */
	hints?: string[];
	/** The endpoint of this request, if it differs from the operation's. */
	endpoint?: Endpoint;
}

/** What is known beside the values of an item: from the credential, the workflow and other nodes. */
export interface RequestSettings {
	/** The Default Country; empty for none. */
	defaultCountry: string;
	/** The workflow's time zone, for dates without a time zone. */
	timeZone: string;
	/** The rows that the expression in a field goes through, e.g. with `$('Opt-outs').all()`. */
	rowsOf?: (path: string) => IDataObject[];
	/** The node of which the expression in a field uses one row, e.g. with `$('Opt-outs').item`, if it has several. */
	oneOfRows?: (path: string) => { node: string; count: number } | undefined;
	/** Whether an expression gives the value of a field. */
	isExpression?: (name: string) => boolean;
}

/** An operation as the node runs it. */
export interface Operation extends OperationNames {
	fields: readonly ParameterField[];
	/** Whether its run ends by waiting for replies. */
	waits?: boolean;
	/** Whether a retry repeats requests that may have taken effect: the operation must find out what they have done. */
	repeatsUncertain?: boolean;
	/** Builds the request of one item. @throws InputError for an invalid value */
	request: (values: Record<string, unknown>, settings: RequestSettings) => OperationRequest;
	/** Who gets the message: messages to one person keep the order of the items. For operations that send messages. */
	recipientOf?: (request: OperationRequest) => string;
	/** Items with the same key keep their order; all others are carried out at the same time. By default, `recipientOf`. */
	queueOf?: (request: OperationRequest) => string;
	/** Loads what the items of a run share, before the first request. @throws ServiceError; then no request is sent */
	prepare?: (client: Client, requests: OperationRequest[]) => Promise<unknown>;
	/** Compares an item's request with what was prepared, before the first request. @throws InputError */
	review?: (request: OperationRequest, prepared: unknown) => OperationRequest;
	/** Carries out one item. @throws ServiceError */
	run: (client: Client, request: OperationRequest, prepared: unknown) => Promise<IDataObject[]>;
}

/** An operation. The compiler knows the types of its fields and of its prepared value. */
interface Definition<F extends readonly ParameterField[], P, O extends readonly ParameterField[]>
	extends OperationNames,
		Pick<Operation, 'recipientOf' | 'waits'> {
	fields: F;
	/** Further fields of the collection Options. */
	options?: O;
	request?: (
		values: ValuesOf<F> & { options: Partial<ValuesOf<O>> },
		settings: RequestSettings,
	) => OperationRequest;
	/** Shapes the response; by default, the output is the record in the response, or says that the record is deleted. */
	output?: (body: unknown, request: OperationRequest) => IDataObject[];
	prepare?: (client: Client, requests: OperationRequest[]) => Promise<P>;
	review?: (request: OperationRequest, prepared: P) => OperationRequest;
	run?: (client: Client, request: OperationRequest, prepared: P) => Promise<IDataObject[]>;
}

/** Defines an operation. Additional Fields and Query Parameters are added, for what the specification leaves open. */
export function operation<
	const F extends readonly ParameterField[],
	P = undefined,
	const O extends readonly ParameterField[] = [],
>(definition: Definition<F, P, O>): Operation {
	const { endpoint, fields, options = [], recipientOf } = definition;
	const isDelete = Object.values(endpoint.methods).includes('DELETE');
	const readOutput = (body: unknown) => record(body, recordName(endpoint));
	const { output = isDelete ? () => [{ deleted: true }] : readOutput } = definition;
	const openFields = [
		...(endpoint.body ? [additionalFields] : []),
		...(endpoint.query ? [queryParameters] : []),
	];
	return {
		request: () => ({}),
		run: async (client: Client, request: OperationRequest) => {
			const response = await client.fetch(request.endpoint ?? endpoint, request);
			const { page } = request.query ?? {};
			const { hasMore, isPaged } = readPaging(response, Number(page ?? 1));
			if (endpoint.query && (hasMore || (isPaged && page === undefined)))
				client.hints.add(
					"The service has more records than it returned. Request the others with 'Query Parameters'.",
				);
			return output(response.body, request);
		},
		...definition,
		fields: [...fields, ...openFields, optionsField(options, recipientOf !== undefined)],
	} as Operation;
}

/** How many fields a hint names that Simplify leaves out. */
const maxNamesInHint = 5;

type Names = Pick<OperationNames, 'name' | 'value' | 'action' | 'description'>;

/** A list is called "Get Many" unless the operation sets other names. */
interface ListDefinition<F extends readonly ParameterField[]>
	extends Omit<Definition<F, undefined, []>, keyof Names>,
		Partial<Names> {
	/** Reduces a record to at most 10 fields. The user can switch this off. */
	simplify?: (record: ServiceRecord) => IDataObject;
	/** Whether a hint names the fields that this leaves out: those of the user, not what it shows in other words. */
	namesLeftOut?: true;
	/** Shapes each record, simplified or not; by default it is as the service sent it. */
	shape?: (record: ServiceRecord) => ServiceRecord;
	/** Reads the list; by default in the service's order. */
	read?: typeof readRecords;
}

/** Defines a list, which reads all pages, and has Return All, Limit and, for large records, Simplify. */
export function listOperation<const F extends readonly ParameterField[]>(
	definition: ListDefinition<F>,
): Operation {
	const { endpoint, request = () => ({}), simplify, shape = identity<ServiceRecord> } = definition;
	const { read = readRecords, namesLeftOut } = definition;
	const action = `Get many ${definition.resource}s`;
	return operation<readonly ParameterField[]>({
		name: 'Get Many',
		value: 'getAll',
		action,
		description: action,
		...definition,
		fields: [
			returnAllField,
			limitField,
			...(simplify ? [simplifyField, outputField, outputFieldsField] : []),
			...definition.fields,
		],
		request: (values, settings) => ({
			...request(values, settings),
			list: readListSettings(values),
		}),
		run: async (client, { query, list: settings }) => {
			const { limit, isSimplified, onlyFields } = settings as ListSettings;
			const list = await read(client, endpoint, { query, limit });
			addListHints(client, list, limit);
			if (isSimplified && simplify && !onlyFields)
				return await simplifyAll(client, list.records, (one) => simplify(shape(one)), namesLeftOut);
			return await mapInTurns(list.records, (one) => {
				const shaped = shape(one) as IDataObject;
				return onlyFields ? pick(shaped, onlyFields) : shaped;
			});
		},
	});
}

/** Says why a list may not be complete. */
function addListHints({ hints }: Client, list: RecordList, limit = Infinity): void {
	const { shortfall, isComplete, records } = list;
	if (shortfall)
		hints.add(
			`${shortfall.message}. ${shortfall.description} Request fewer records, e.g. with a filter or 'Query Parameters'.`,
		);
	if (!isComplete && records.length >= limit)
		hints.add(
			`The list ends at 'Limit' (${limit}), and the service may have more. To get all, switch on 'Return All'.`,
		);
}

/** Simplifies records. @param namesLeftOut whether a hint names the fields with a value that are left out */
async function simplifyAll(
	{ hints }: Client,
	records: ServiceRecord[],
	simplify: (record: ServiceRecord) => IDataObject,
	namesLeftOut = false,
): Promise<IDataObject[]> {
	const names = new Set<string>();
	const outputs = await mapInTurns(records, (record) => {
		const simple = simplify(record);
		if (namesLeftOut)
			for (const [name, value] of Object.entries(record))
				if (!Object.hasOwn(simple, name) && hasValue(value)) names.add(name);
		return simple;
	});
	const shown = [...names].sort().slice(0, maxNamesInHint).map(quoted).join(', ');
	const others = names.size > maxNamesInHint ? ` and ${names.size - maxNamesInHint} more` : '';
	if (names.size > 0)
		hints.add(
			`'Simplify' leaves out fields: ${shown}${others}. To get all, switch it off (for a tool, set 'Output' to 'Raw').`,
		);
	return outputs;
}

/** Whether a field has a value. An empty list or object is none. */
function hasValue(value: unknown): boolean {
	return !isEmptyValue(value) && !(isObject(value) && isEmpty(value));
}

function readListSettings(values: Record<string, unknown>): ListSettings {
	const { returnAll, limit, simplify, output, outputFields } = values;
	return {
		limit: returnAll ? undefined : Number(limit),
		isSimplified: simplify === true && output !== 'raw',
		...(output === 'selected' && { onlyFields: splitList(textOrJson(outputFields)) }),
	};
}

/** The record in a response; if there is none, a record which says that the call succeeded. */
export function record(body: unknown, kind?: string): IDataObject[] {
	const fields = readRecord(body, kind) as IDataObject;
	return [Object.keys(fields).length > 0 ? fields : { success: true }];
}

/** The records of a response that is a list, else its single record; the whole response if a figure would be lost. */
export function records(body: unknown, kind: string): IDataObject[] {
	const list = readEnvelope(body, kind);
	const items = list
		? list.map((entry) => (isRecord(entry) ? entry : { value: entry }))
		: record(body, kind);
	const figures = (value: unknown) => countFigures(value, list !== undefined);
	const isWhole = !isRecord(body) || figures(items) === figures(body);
	return (isWhole ? items : [body]) as IDataObject[];
}

/** The fields with which every item of a send begins; `reason` says why it was skipped or failed. */
export function sendResult(
	to: string | null,
	sendStatus: string,
	{ reason = null, messageId = null }: { reason?: string | null; messageId?: string | null } = {},
): IDataObject {
	return { to, sendStatus, reason, messageId };
}
