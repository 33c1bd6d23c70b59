import { samePhoneKey } from '../../phone/compare';
import { asText } from '../asText';
import type { OperationRequest } from '../operation';

/** Messages to one person go out in the order of the items, messages to others beside them. */
export function recipientOf({ body }: OperationRequest): string {
	return samePhoneKey(asText(body?.to));
}
