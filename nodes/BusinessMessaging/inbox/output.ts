/** The output of a wait. */
import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { omit, sortBy } from 'lodash';

import { readAnswer, joinTexts } from './answers';
import type { Misfit, Person, Question, Run } from './core';

/** Fields of a message that the output does not show. */
const internal: Array<keyof Misfit> = ['key', 'isCut', 'isOptOut', 'askedAgain'];

/**
 * The node's output: replies and items that asked nobody, in the order of the input, each paired with its item. n8n
 * moves failed items to the error output, and drops everything that the node itself puts there.
 */
export function outputsOf(
	node: INode,
	run: Pick<Run, 'people' | 'questions'>,
	notAsked: INodeExecutionData[],
): INodeExecutionData[] {
	const isReview = node.type.endsWith('HitlTool');
	const items = [...run.people.values()].flatMap((person): INodeExecutionData[] => {
		const question = run.questions[person.question];
		const hasReplied = person.messages.length > 0;
		if (!hasReplied && !question.givesUnanswered && !isReview) return [];
		const json = hasReplied ? answered(person, question, isReview) : unanswered(person, question);
		return [{ json, pairedItem: { item: person.item } }];
	});
	return sortBy([...items, ...notAsked], indexOf);
}

/**
 * The output if n8n itself ends the wait, because the inbox could not. n8n then pairs the items with those of the input
 * by their places. So people without a reply have an item even with On Timeout: Output Nothing, if otherwise an item
 * would be paired with another one's input.
 */
export function outputsWithoutReplies(
	node: INode,
	run: Pick<Run, 'people' | 'questions'>,
	notAsked: INodeExecutionData[],
): INodeExecutionData[] {
	const outputs = outputsOf(node, run, notAsked);
	if (outputs.every((output, place) => indexOf(output) === place)) return outputs;
	const questions = run.questions.map((question) => ({ ...question, givesUnanswered: true }));
	return outputsOf(node, { ...run, questions }, notAsked);
}

const indexOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;

function answered(
	{ to, sender, askedMessageId, messages, misfits, isValid = false }: Person,
	question: Question,
	isReview: boolean,
): IDataObject {
	const text = joinTexts(messages);
	const { messageId = null, respondedAt } = messages[messages.length - 1];
	const replier = { phone: to, times: [respondedAt] };
	const value = isValid ? readAnswer(text, question, replier) : undefined;
	return {
		replied: true,
		valid: isValid,
		from: to,
		...(sender !== undefined && { senderId: sender }),
		text,
		answer: value ?? null,
		...(question.kind === 'approval' && { approved: value === true }),
		// n8n's agent gives this to the model as the reason why its tool may not run
		...(isReview && !isValid && { chatInput: text }),
		...([...misfits, ...messages].some(({ isOptOut }) => isOptOut) && { optedOut: true }),
		...(messages.some(({ isCut }) => isCut) && { textIsCut: true }),
		messageId,
		respondedAt,
		...(question.groupMs > 0 && { messages: messages.map((one) => omit(one, internal)) }),
		askedMessageId,
	};
}

function unanswered({ to, askedMessageId }: Person, { kind }: Question): IDataObject {
	const approved = kind === 'approval' && { approved: false };
	return { replied: false, valid: false, from: to, answer: null, ...approved, askedMessageId };
}
