/** The memory of a service that recognizes `Idempotency-Key`. Assumption: the specification does not mention the header. */
import { invalid } from './errorResponses';

/** The results of earlier requests by their keys. */
export class KnownRequests {
	private readonly results = new Map<string, { body: string; result: unknown }>();

	/** Carries out a request only if its key is new. @throws HttpError 422 if the key was used for another body */
	once<T>(key: string | undefined, given: unknown, carryOut: () => T): T {
		if (key === undefined) return carryOut();
		const body = JSON.stringify(given) ?? '';
		const known = this.results.get(key);
		if (known && known.body !== body)
			throw invalid('Idempotency-Key', 'was used for another request');
		const result = known ? (known.result as T) : carryOut();
		this.results.set(key, { body, result });
		return result;
	}
}
