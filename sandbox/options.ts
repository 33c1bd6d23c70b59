/** The options of a sandbox, each with its unit and default, checked by one schema. Each option is also a flag of main.ts. */
import { z } from 'zod';

import { phoneSchema } from '../nodes/BusinessMessaging/api/endpoints';
import { variantsSchema } from './variants';

/** The API key that every sandbox accepts. It is valid only for sandboxes, so it may be printed. */
export const demoKey = 'sandbox-key-0001';

/** The longest delay that a timer supports, ms. */
const maxDelayMs = 2_147_483_647;

const count = z.number().int().min(0);
const atLeastOne = z.number().int().min(1);
const delay = z.number().min(0).max(maxDelayMs).nullable();

const receiptDelaysSchema = z
	.object({ sent: delay.default(100), delivered: delay.default(400), read: delay.default(1_200) })
	.strict();

/** The options of {@link startSandbox}. All are assumptions except the rate, which the specification states. */
export const optionsSchema = z
	.object({
		port: count.max(65535).default(4010).describe('TCP port on 127.0.0.1; 0 takes a free one'),
		requestsPerWindow: count
			.default(1000)
			.describe('requests that a key may make in any window; 0 for no limit'),
		rateWindowMs: atLeastOne.default(60_000).describe('length of the sliding window, ms'),
		simultaneousRequests: count
			.default(0)
			.describe('requests of a key that may be under way at once; 0 for no limit'),
		// The request is processed on arrival; only the response is delayed.
		latencyMs: count.default(0).describe('response time, ms'),
		pageSizeCap: atLeastOne.default(100).describe('greatest page size'),
		defaultPageSize: atLeastOne.default(20).describe('page size without `limit`'),
		receiptDelaysMs: receiptDelaysSchema
			.default({})
			.describe('when each delivery receipt follows, ms after the send; null for never'),
		failingNumbers: z
			.array(phoneSchema)
			.default(['+15550009999'])
			.describe('phone numbers (E.164) whose messages fail after they were sent'),
		unreadNumbers: z
			.array(phoneSchema)
			.default([])
			.describe('phone numbers (E.164) whose messages are delivered but not read'),
		approvalDelayMs: delay
			.default(2_000)
			.describe('until a new or changed template is approved, ms; null for never'),
		deliveryTimeoutMs: atLeastOne.default(10_000).describe('time a webhook has to respond, ms'),
		deliveryAttempts: atLeastOne.default(8).describe('attempts for each delivery to a webhook'),
		deliveryRetryDelayMs: count
			.default(1_000)
			.describe('wait before the second attempt, ms; doubled before each further one'),
		webhookSecret: z
			.string()
			.default('')
			.describe('secret with which deliveries are signed; empty for unsigned deliveries'),
		recognizesIdempotencyKeys: z
			.boolean()
			.default(false)
			.describe('whether a request with a known Idempotency-Key gets the earlier response'),
		textWindowMs: count
			.default(0)
			.describe('how long after their last message people get texts, ms; 0 for always'),
		hidesNumbers: z
			.boolean()
			.default(false)
			.describe(
				'whether people write without their number: with an ID, quoting the last message to them',
			),
		sampleContacts: count.default(5).describe('number of contacts at the start'),
		variants: variantsSchema,
	})
	.strict();

/** The options that can be changed while the sandbox runs. The next reset restores them. */
export const changeableSchema = optionsSchema
	.pick({
		failingNumbers: true,
		hidesNumbers: true,
		latencyMs: true,
		recognizesIdempotencyKeys: true,
		textWindowMs: true,
		unreadNumbers: true,
		webhookSecret: true,
	})
	.partial()
	.strict();

/** The options that a caller may give; all are optional. */
export type SandboxOptions = z.input<typeof optionsSchema>;

/** The options with their defaults filled in. */
export type Settings = z.output<typeof optionsSchema>;
