/** Variation points of webhooks and of what is delivered to them. */
import type { VariationPoint } from './variationPoint';

export const eventPoints = {
	'webhook-url': {
		words: 'name of the field for the address of a webhook',
		values: ['url', 'callbackUrl', 'callback_url', 'webhookUrl', 'webhook_url', 'endpoint'],
	},
	'webhook-events': {
		words: 'how the events of a webhook are given',
		values: [
			['array', 'as a list'],
			['string', 'as a text with commas'],
			['absent', 'not at all: everything is delivered'],
		],
	},
	'webhook-answer': {
		words: 'answer to a registration',
		values: [
			['record', 'the webhook with its identifier'],
			['nameless', 'success: true'],
		],
	},
	'webhook-challenge': {
		words: 'whether an address is called before it is registered',
		values: [
			['none', 'no'],
			['get', 'GET with ?challenge=…, which has to come back'],
			['hub', 'GET with hub.mode, hub.verify_token and hub.challenge, which has to come back'],
			['ping', 'GET, which has to be answered with 200'],
			['post', 'POST of { type: url_verification, challenge }, which has to come back'],
		],
	},
	'webhook-duplicates': {
		words: 'a second webhook with the same address',
		values: [
			['allowed', 'is registered'],
			['refused', 'is refused with 409'],
		],
	},
	'event-envelope': {
		words: 'what stands beside event and data',
		values: [
			['plain', 'nothing'],
			['extended', 'identifier, time, version, account and number of the attempt'],
		],
	},
	'event-batch': {
		words: 'how many events a delivery has',
		values: [
			['single', 'one'],
			['array', 'a list with the one before it once more'],
			['wrapped', 'the same under events'],
		],
	},
	'event-text': {
		words: "where a customer's text stands",
		values: [
			['flat', 'data.text'],
			['body', 'data.text.body'],
			['nested', 'data.message.text'],
			['content', 'data.message.content.text'],
		],
	},
	'receipt-names': {
		words: 'how the delivery receipts are named',
		values: [
			['dotted', 'message.delivered'],
			['underscored', 'message_delivered'],
			['camel', 'messageDelivered'],
			['upper', 'MESSAGE_DELIVERED'],
			['bare', 'delivered'],
			['status', 'message.status with data.status'],
			['update', 'message.updated with data.status in upper case'],
			['receipt', 'delivery_receipt with data.status'],
			['nested', 'message.status with data.message.status'],
		],
	},
} as const satisfies Record<string, VariationPoint>;
