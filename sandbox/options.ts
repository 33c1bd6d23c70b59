/** How a sandbox is set up: every option with its unit and default, checked by one schema. */
import { z } from 'zod';

import { phoneSchema } from '../nodes/BusinessMessaging/api/endpoints';
import { signingSchema } from './signing';
import { variantsSchema } from './variants';

/** The API key that every sandbox knows. It opens nothing but a sandbox, so it may be printed. */
export const demoKey = 'sandbox-key-0001';

/** The longest delay that a timer can have, ms. */
const maxDelayMs = 2_147_483_647;

const count = z.number().int().min(0);
const atLeastOne = z.number().int().min(1);
const delay = z.number().min(0).max(maxDelayMs).nullable();

/** The options of {@link startSandbox}. All are assumptions except the rate, which the specification states. */
export const optionsSchema = z
	.object({
		/** TCP port on 127.0.0.1; 0 takes a free one. */
		port: count.max(65535).default(4010),
		/** Requests that a key may make within any `rateWindowMs`; 0 for no limit. */
		requestsPerWindow: count.default(1000),
		/** Length of the sliding window, ms. */
		rateWindowMs: atLeastOne.default(60_000),
		/** How long every answer takes, ms. The request is processed on arrival, the answer waits. */
		latencyMs: count.default(0),
		/** Whether both API paths list every endpoint and both methods of the contact update. */
		allEndpointsOnBothPaths: z.boolean().default(false),
		/** Greatest page size; a greater `limit` is cut to it. */
		pageSizeCap: atLeastOne.default(100),
		/** Page size if a request gives no `limit`. */
		defaultPageSize: atLeastOne.default(20),
		/** Greatest size of a request's body, bytes. */
		bodyLimitBytes: atLeastOne.default(1_048_576),
		/** Greatest length of a message's text, characters. */
		maxTextLength: atLeastOne.default(4096),
		/** When each delivery receipt follows, ms after the send; null for never. */
		receiptDelaysMs: z
			.object({
				sent: delay.default(100),
				delivered: delay.default(400),
				read: delay.default(1_200),
			})
			.strict()
			.default({}),
		/** Share of the delivered messages that are read, 0 to 1; spread evenly, not at random. */
		readRate: z.number().min(0).max(1).default(1),
		/** Phone numbers (E.164) whose messages fail after they were sent. */
		failingNumbers: z.array(phoneSchema).default(['+15550009999']),
		/** How long a new or changed template is PENDING before it is APPROVED, ms; null for always. */
		approvalDelayMs: delay.default(2_000),
		/** How long a webhook's receiver may take to answer, ms. */
		deliveryTimeoutMs: atLeastOne.default(10_000),
		/** Attempts for each delivery, including the first. */
		deliveryAttempts: atLeastOne.default(8),
		/** Wait before the second attempt, ms; doubled before each further one, up to a minute. */
		deliveryRetryDelayMs: count.default(1_000),
		/** Deliveries under way at once per webhook. */
		deliveryConcurrency: atLeastOne.default(20),
		/** How deliveries are signed; null for not at all. */
		signing: signingSchema.nullable().default(null),
		/** Whether a send with a known `Idempotency-Key` header gives the first message again instead of a second one. */
		idempotency: z.boolean().default(false),
		/** Whether answers are checked against the contract; a mismatch is a 500. */
		checkResponses: z.boolean().default(true),
		/** Number of contacts that a sandbox starts with. */
		sampleContacts: count.default(5),
		/** Answers to what the specification leaves open, e.g. `{ 'page-base': '0' }`; see variants/table.ts. */
		variants: variantsSchema,
		/** How many requests and deliveries are remembered for inspection. */
		logSize: atLeastOne.default(10_000),
	})
	.strict();

/** What a caller may give; everything is optional. */
export type SandboxOptions = z.input<typeof optionsSchema>;

/** The options with their defaults filled in. */
export type Settings = z.output<typeof optionsSchema>;
