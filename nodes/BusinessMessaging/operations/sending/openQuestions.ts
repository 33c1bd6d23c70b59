/** Questions of Send and Wait for Response while executions wait for the replies. */
import { z } from 'zod';

/** A question to a person. */
export const openQuestionSchema = z.object({
	/** E.164. */
	phone: z.string(),
	/** `ended`: nobody waits for this person any more, but the execution waits for others. */
	status: z.enum(['waiting', 'answered', 'ended']),
	/** What the person has written last: the answer, or what was not understood. */
	lastText: z.string().nullable(),
	/** As the service writes it. */
	lastTextAt: z.string().nullable(),
	/** Its beginning, or the name of its template; null if the execution asks too many different questions. */
	question: z.string().nullable(),
	/** ISO 8601. */
	askedAt: z.string(),
	/** ISO 8601; null while the execution still asks people. */
	waitsUntil: z.string().nullable(),
	/** The name of the workflow that asks. */
	workflow: z.string(),
	executionId: z.string(),
	askedMessageId: z.string().nullable(),
});
export type OpenQuestion = z.infer<typeof openQuestionSchema>;

/** For whom nobody waits any more: in E.164, and in which execution; in all without it. */
export const endedSchema = z.object({ phone: z.string(), executionId: z.string().optional() });
export type Ended = z.infer<typeof endedSchema>;

/** The trigger that keeps the replies. */
export interface OpenInbox {
	/** For the user. */
	hints: Set<string>;
	/** All questions of executions that wait. @throws InputError if there is not exactly one inbox; ServiceError */
	readAll(): Promise<OpenQuestion[]>;
	/** Ends the wait for people. @returns for each, how many questions wait for no reply any more @throws the same */
	endWait(people: Ended[]): Promise<number[]>;
}
