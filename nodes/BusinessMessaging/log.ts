/** Writing to n8n's log. */
import type { Logger } from 'n8n-workflow';

/** Line breaks, other control characters (ANSI codes begin with one), and characters that change the direction of the text after them. */
const unprintable = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/gu;
const shortForms: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text in one line that every terminal shows alike: unprintable characters are written as `\n` or `\u001b`. */
export function printable(text: string): string {
	const codeOf = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
	return text.replace(unprintable, (sign) => shortForms[sign] ?? codeOf(sign));
}

/**
 * Writes a line to n8n's log, with the name of the workflow. The line may quote a service or a user, who can neither forge
 * a second line nor hide this one.
 */
export function writeLog(
	context: { logger: Logger; getWorkflow: () => { name?: string } },
	line: string,
	level: 'info' | 'warn' = 'warn',
): void {
	const { name = '' } = context.getWorkflow();
	const isNamed = name === '' || line.startsWith(`Workflow "${name}"`);
	context.logger[level](printable(isNamed ? line : `Workflow "${name}": ${line}`));
}
