/** Not Before: a date and time in each person's own time zone. */
import { useService } from '../../../harness/engine/service';
import { audienceRuns, reasons } from './audienceRuns';

const { run, sentTo } = audienceRuns(useService());
const [london, newYork] = ['+447700900123', '+12125550123'];
const items = [london, newYork].map((phone) => ({ phone }));
const at = async (
	now: string,
	{ items: asked = items, ...rules }: { items?: typeof items; [rule: string]: unknown },
) => {
	jest.spyOn(Date, 'now').mockReturnValue(Date.parse(now));
	return await run({ items: asked, rules: rules as never });
};
const tenOClock = { notBefore: '2030-01-15T10:00:00' };

test('is ten o’clock in London five hours earlier than in New York', async () => {
	const early = await at('2030-01-15T09:59:00Z', tenOClock);
	expect(early.outputs[0].map(({ json }) => [json.reason, json.sendAfter])).toEqual([
		['outsideSendWindow', '2030-01-15T10:00:00+00:00'],
		['outsideSendWindow', '2030-01-15T10:00:00-05:00'],
	]);
	expect(early.hints.map(({ message }) => message)).toEqual([
		'0 sent, 2 must wait (see sendAfter).',
	]);
	expect(reasons(await at('2030-01-15T12:00:00Z', tenOClock))).toEqual([null, 'outsideSendWindow']);
	expect(reasons(await at('2030-01-15T15:00:00Z', tenOClock))).toEqual([null, null]);
	expect(sentTo()).toEqual([london, london, newYork]);
});

test('a number that can be in several time zones waits until the time has come in all of them', async () => {
	const unlisted = [{ phone: '+15550001000' }];
	const later = { ...tenOClock, items: unlisted };
	// Nobody has this area code yet. Of the places with +1, American Samoa comes last.
	expect(reasons(await at('2030-01-15T20:59:59Z', later))).toEqual(['outsideSendWindow']);
	expect(reasons(await at('2030-01-15T21:00:00Z', later))).toEqual([null]);
});

test('with a time zone, it is one moment for everybody; with a window, the first opening after it counts', async () => {
	const moment = { notBefore: '2030-01-15T10:00:00+01:00' };
	expect(reasons(await at('2030-01-15T09:00:00Z', moment))).toEqual([null, null]);
	const sendWindow = { values: { days: 'everyDay', hours: '12:00–18:00', timeZone: '' } };
	const { outputs } = await at('2030-01-14T13:00:00Z', { ...tenOClock, sendWindow });
	expect(outputs[0][0].json).toMatchObject({ sendAfter: '2030-01-15T12:00:00+00:00' });
});

test('refuses what is no date', async () => {
	const { error } = await run({ items, rules: { notBefore: 'tomorrow' } });
	expect(error?.message).toBe(`'Not Before' cannot be "tomorrow"`);
});
