/** What the URL of a temporary registration carries. */
import { type Ticket, TicketSeal, isLater } from '../../nodes/BusinessMessaging/reply/ticket';

const ticket: Ticket = {
	run: 'run',
	item: 0,
	to: '+15550001111',
	asked: 1_000,
	until: 2_000,
	answer: { text: 'Grüße 👍', isAccepted: true },
};
const seal = new TicketSeal({ id: 'one service and key' });

test('comes back as it was, and shows nothing', () => {
	const sealed = seal.close(ticket);
	expect(sealed).toMatch(/^[\w-]+$/);
	expect(seal.open(sealed)).toEqual(ticket);
	expect(Buffer.from(sealed, 'base64url').toString()).not.toContain('1555');
});

test('of another key, changed or no ticket at all is nobody’s', () => {
	const sealed = seal.close(ticket);
	const changed = `${sealed[0] === 'A' ? 'B' : 'A'}${sealed.slice(1)}`;
	expect(new TicketSeal({ id: 'another' }).open(sealed)).toBeUndefined();
	for (const other of [
		changed,
		sealed.slice(0, -4),
		sealed.slice(0, 20),
		'',
		'hello',
		null,
		undefined,
		7,
		[sealed],
	]) {
		expect(seal.open(other)).toBeUndefined();
	}
});

test('the later question is one of any two', () => {
	const others = [
		{ ...ticket, asked: 999 },
		{ ...ticket, item: 1 },
		{ ...ticket, run: 'sun' },
	];
	for (const other of others)
		expect([isLater(ticket, other), isLater(other, ticket)].filter(Boolean)).toHaveLength(1);
	expect(isLater(ticket, others[0])).toBe(true);
	expect(isLater(ticket, ticket)).toBe(false);
});
