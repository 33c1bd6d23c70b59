/** What needs no API key is for this machine alone. */
import type { FastifyRequest } from 'fastify';

import { HttpError } from './errors';

const loopback = /^(localhost|127(\.\d+){3}|\[?::1\]?|::ffff:127(\.\d+){3})$/;

/**
 * Hook: lets a request through that comes from this machine and was made to its loopback address. The second keeps out
 * what a tunnel brings in, and web pages whose host name was pointed at this machine.
 *
 * @throws HttpError 403
 */
export async function refuseOthers({ ip, hostname }: FastifyRequest): Promise<void> {
	if (!loopback.test(ip) || !loopback.test(hostname))
		throw new HttpError(403, 'forbidden', 'Only for this machine');
}
