/**
 * What must be known over a whole execution and not only in one run of the node: in a loop, n8n runs the node once for
 * each round. It is kept in the node's context, which n8n stores with the execution.
 */
import { pickBy } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import { InputError } from '../transport/errors';
import { isTool } from './toolReview';

interface StoredRounds {
	/** The first round with each person, counted from 0. */
	people: Record<string, number>;
	/** With Maximum Recipients: the first round in which each person got a message, or may have got one. */
	reached: Record<string, number>;
	/** The latest round that was tested, the number of its items, and the number of items in all rounds before it. */
	tested: { round: number; before: number; items: number };
}

/** The rounds of this execution up to the current one. */
export class Rounds {
	private readonly round: number;
	private readonly stored: StoredRounds;
	private readonly isKept: boolean;

	constructor(private readonly context: IExecuteFunctions) {
		const kept = context.getContext('node') as { rounds?: StoredRounds };
		this.round = Number(context.getWorkflowDataProxy(0).$runIndex);
		this.isKept = kept.rounds !== undefined || this.round === 0;
		this.stored = kept.rounds ??= {
			...{ people: {}, reached: {} },
			tested: { round: 0, before: 0, items: 0 },
		};
	}

	/** Whether a person was in an earlier round. This round does not count, because a retry may repeat it. */
	hasEarlier(person: string): boolean {
		return (this.stored.people[person] ?? this.round) !== this.round;
	}

	add(person: string): void {
		this.stored.people[person] ??= this.round;
	}

	/** Everybody who got a message in an earlier round, or may have got one. */
	reachedBefore(): string[] {
		return Object.keys(pickBy(this.stored.reached, (round) => round !== this.round));
	}

	/** Records that a person got a message in this round, or may have got one. */
	reach(person: string): void {
		this.stored.reached[person] ??= this.round;
	}

	/** Counts the items of this round, for a test of the first items. @returns how many there were before this round */
	test(): number {
		const { tested } = this.stored;
		const items = this.context.getInputData().length;
		const isRepeated = tested.round === this.round;
		const before = isRepeated ? tested.before : tested.before + tested.items;
		this.stored.tested = { round: this.round, before, items };
		return before;
	}

	/** @throws InputError if this n8n forgets earlier rounds, so that a rule cannot apply to them */
	checkKept(rule: string): void {
		if (this.isKept) return;
		throw new InputError(
			`${rule} needs all items at once, because n8n does not save what this node did in earlier runs`,
			'Let this node run only once. If it is in a loop, move it out of the loop: without a loop, it also sends no faster than your plan allows. If several nodes are connected to it, connect them to a Merge node. Then connect the Merge node to this node.',
		);
	}

	/** @throws InputError if this run does not have all items, so that a rule cannot be applied before the first message */
	checkComplete(rule: string): void {
		const { name } = this.context.getNode();
		const before = this.context.getParentNodes(name).map((node) => node.name);
		const isInLoop = this.context.getChildNodes(name).some((node) => before.includes(node.name));
		const inputs = this.context.getParentNodes(name, { depth: 1 });
		if (isInLoop)
			throw new InputError(
				`${rule} needs all items at once, but this node is in a loop`,
				'Move the node out of the loop. It takes all items at once, and sends no faster than your plan allows.',
			);
		if (this.round > 0 && !isTool(this.context.getNode()))
			throw new InputError(
				`${rule} needs all items at once, but this node has already run in this execution`,
				'Put a Merge node before this node, so that all items come together. This node may have sent messages in its earlier run.',
			);
		if (inputs.length > 1)
			throw new InputError(
				`${rule} needs all items at once, but ${inputs.length} nodes are connected to this node, so it may run ${inputs.length} times`,
				'Combine their items with a Merge node first.',
			);
	}
}
