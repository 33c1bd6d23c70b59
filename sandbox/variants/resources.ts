/** What the answers of an endpoint are about. */
import { endpoints, type EndpointName } from '../../nodes/BusinessMessaging/api/endpoints';

const special: Record<string, string> = {
	send: 'messages',
	template: 'messages',
	me: 'accounts',
	token: 'tokens',
};

/** The plural name of an endpoint's records, e.g. `contacts`. */
export function resourceOf(name: EndpointName): string {
	const last = endpoints[name].path.replace('/:id', '').split('/').at(-1) ?? '';
	return special[last] ?? last;
}
