/** The sandbox's errors. Their JSON shape is an assumption: the specification shows none. */
import { z } from 'zod';

/** Body of every error response: `{ error: { code, message, field? } }`. */
export const errorSchema = z.object({
	error: z.object({
		code: z.string().describe('Kind of error, for programs'),
		message: z.string().describe('What is wrong, for people'),
		field: z
			.string()
			.optional()
			.describe('The field of the request that is wrong, e.g. components.0.type'),
	}),
});
export type ErrorBody = z.infer<typeof errorSchema>;

/** An error that is sent as a response. */
export class HttpError extends Error {
	/** @param code kind of error, e.g. `not_found` @param field the field of the request that is wrong */
	constructor(
		readonly status: number,
		readonly code: string,
		message: string,
		readonly field?: string,
		readonly headers: Record<string, string> = {},
	) {
		super(message);
	}

	get body(): ErrorBody {
		const { code, message, field } = this;
		return { error: { code, message, ...(field === undefined ? {} : { field }) } };
	}
}

/** 422: a field of the request is wrong. */
export const invalid = (field: string, message: string) =>
	new HttpError(422, 'invalid', message, field);

/** 404: the record does not exist. */
export const notFound = (message: string, field?: string) =>
	new HttpError(404, 'not_found', message, field);

/** 409: the record already exists. */
export const conflict = (field: string, message: string) =>
	new HttpError(409, 'conflict', message, field);

/** A part of a request after its schema has checked and converted it. @throws HttpError 422 that names the first wrong field */
export function parse<T extends z.ZodTypeAny>(schema: T, value: unknown): z.output<T> {
	const result = schema.safeParse(value ?? {});
	if (result.success) return result.data as z.output<T>;
	const issue = result.error.issues[0];
	const isNoNumber = issue?.code === 'invalid_type' && issue.received === 'nan';
	const message = isNoNumber ? 'must be a number' : (issue?.message ?? 'is invalid');
	throw invalid(issue?.path.join('.') || 'body', message);
}
