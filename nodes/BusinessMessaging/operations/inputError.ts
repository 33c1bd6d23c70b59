/** A value of the user's that cannot be right: `message` says which, `description` what to do. Nothing was sent. */
export class InputError extends Error {
	readonly sendStatus = 'notSent';

	constructor(
		message: string,
		readonly description?: string,
	) {
		super(message);
		this.name = 'InputError';
	}
}

/** What a value failed with; anything unexpected is put into the same words. */
export function asInputError(error: unknown): InputError {
	if (error instanceof InputError) return error;
	return new InputError(error instanceof Error ? error.message : String(error));
}
