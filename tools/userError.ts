/** A failure that the person at the terminal can act on. The message is one clear sentence; no stack is shown for it. */
export class UserError extends Error {
	override readonly name = 'UserError';
}
