'use strict';

const text = (name) => ({ displayName: name, name, type: 'string', default: '' });

/** Sends one message after the other, as most messaging nodes do, e.g. Telegram and Twilio. The HTTP Request node cannot do that. */
class OneByOne {
	description = {
		displayName: 'One by One',
		name: 'oneByOne',
		group: ['output'],
		version: 1,
		description: 'Sends one message after the other',
		defaults: { name: 'One by One' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'httpHeaderAuth', required: true }],
		properties: [text('url'), text('to'), text('text')],
	};

	async execute() {
		const results = [];
		for (let item = 0; item < this.getInputData().length; item++) {
			const json = await this.helpers.httpRequestWithAuthentication.call(this, 'httpHeaderAuth', {
				method: 'POST',
				url: this.getNodeParameter('url', item),
				body: { to: this.getNodeParameter('to', item), text: this.getNodeParameter('text', item) },
				json: true,
			});
			results.push({ json, pairedItem: { item } });
		}
		return [results];
	}
}

module.exports = { OneByOne };
