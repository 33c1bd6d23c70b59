/** The output of a wait. */
import type { IDataObject, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';
import { omit, partition, sortBy } from 'lodash';

import type { QuestionSettings } from '../operations/message/question';
import { readAnswer, textOf } from '../webhooks/answers';
import type { Answer } from '../webhooks/question';
import type { Question, Wait } from './asking';

/**
 * The node's outputs: replies in the order of the items that asked, each paired with its item; failed items go to the
 * output that On Error selects.
 */
export function outputsOf(
	context: IWebhookFunctions,
	wait: Wait,
	answers: Map<number, Answer>,
): INodeExecutionData[][] {
	const { onError, type } = context.getNode();
	const isReview = type.endsWith('HitlTool');
	const items = wait.questions.flatMap((question): INodeExecutionData[] => {
		const answer = answers.get(question.item);
		const settings = wait.settings[question.expected];
		if (!answer && !settings.givesUnanswered && !isReview) return [];
		const json = answer
			? answered(question, settings, answer, isReview)
			: unanswered(question, settings);
		return [{ json, pairedItem: { item: question.item } }];
	});
	const [failed, leftOut] = partition(wait.notAsked, ({ json }) => json.error);
	const inOrder = (all: INodeExecutionData[]) =>
		sortBy(all, ({ pairedItem }) => (pairedItem as { item: number }).item);
	if (onError === 'continueErrorOutput') return [inOrder([...items, ...leftOut]), failed];
	return [inOrder([...items, ...wait.notAsked])];
}

function answered(
	{ to, askedMessageId }: Question,
	settings: QuestionSettings,
	{ messages, isAccepted }: Answer,
	isReview: boolean,
): IDataObject {
	const text = textOf({ messages });
	const value = isAccepted ? readAnswer(text, settings) : undefined;
	const { messageId = null, respondedAt } = messages[messages.length - 1];
	return {
		replied: true,
		accepted: isAccepted,
		from: to,
		text,
		answer: value ?? null,
		...(settings.kind === 'approval' && { approved: value === true }),
		// n8n's agent gives this to the model as the reason why its tool may not run
		...(isReview && !isAccepted && { chatInput: text }),
		...(messages.some(({ isCut }) => isCut) && { textIsCut: true }),
		messageId,
		respondedAt,
		...(settings.groupMs > 0 && { messages: messages.map((one) => omit(one, 'isCut', 'key')) }),
		askedMessageId,
	};
}

function unanswered({ to, askedMessageId }: Question, { kind }: QuestionSettings): IDataObject {
	const approved = kind === 'approval' && { approved: false };
	return { replied: false, accepted: false, from: to, answer: null, ...approved, askedMessageId };
}
