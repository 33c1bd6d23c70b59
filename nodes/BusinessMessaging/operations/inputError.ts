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
