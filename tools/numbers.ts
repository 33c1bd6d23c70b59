/** The first phone number of every measured campaign, without "+". */
export const FIRST_NUMBER = 15_550_000_000;

/** The phone numbers of a campaign, or of a part that begins at place `from`, E.164. */
export function numbersOf({ from, count }: { from: number; count: number }): string[] {
	return Array.from({ length: count }, (_, index) => `+${FIRST_NUMBER + from + index}`);
}
