/** The shape of an endpoint's handler, derived from the endpoint table. */
import type { z } from 'zod';

import type { EndpointName, endpoints } from '../../nodes/BusinessMessaging/api/endpoints';
import type { answers } from '../answers';
import type { ApiKey } from '../auth';
import type { State } from '../state';

type Table = typeof endpoints;
type Part<Name extends EndpointName, Key extends string> =
	Table[Name] extends Record<Key, infer Schema extends z.ZodTypeAny> ? z.output<Schema> : undefined;

/** A call that passed authorization, rate limit and the contract's schemas. */
export interface Call<Name extends EndpointName> {
	state: State;
	/** The key that it was made with. */
	key: ApiKey;
	/** Identifier in the path; empty where the path has none. */
	id: string;
	body: Part<Name, 'body'>;
	query: Part<Name, 'query'>;
	/** The `Idempotency-Key` header. */
	idempotencyKey?: string;
}

/** Does what an endpoint is for; throws a HttpError if it cannot. */
export type Handler<Name extends EndpointName> = (
	call: Call<Name>,
) => z.input<(typeof answers)[Name]['response']>;

/** One handler for each endpoint: a missing one does not compile. */
export type Handlers = { [Name in EndpointName]: Handler<Name> };
