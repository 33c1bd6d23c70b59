/** Messages with the same text to many people. */
export interface Mailing {
	kind: 'campaign' | 'question' | 'preview';
	text: string;
	/** People who must get it; and people who may get it or not, because they have opted out meanwhile. */
	wanted: Set<string>;
	either: Set<string>;
	/** People whom n8n has named as those who may have got it. */
	named: Set<string>;
	/** The executions of a question. Other executions cannot ask it again. */
	executions: string[];
	/** `interrupted`: the run ended because n8n did; n8n may still continue it. */
	state: 'running' | 'ended' | 'interrupted';
}
