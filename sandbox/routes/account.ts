/** Who calls, and further keys. */
import { z } from 'zod';

import { describeKey } from '../auth';
import { parse } from '../errors';
import type { Handlers } from './types';

const tokenFieldsSchema = z.object({ name: z.string().min(1).default('Unnamed key') });

export const accountHandlers: Pick<Handlers, 'createToken' | 'getCurrentAccount'> = {
	createToken({ state, body }) {
		const { key, secret } = state.keys.create(parse(tokenFieldsSchema, body).name);
		return { token: secret, ...describeKey(key) };
	},

	getCurrentAccount({ key }) {
		return { id: 'acc_sandbox', name: 'Sandbox account', sandbox: true, key: describeKey(key) };
	},
};
