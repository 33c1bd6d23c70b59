/** A person in a browser who opens a page of n8n's forms, signs in, agrees, and uploads a file. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openBrowser } from '../../../harness/editor/editor';

/** The file, and the person's log-in. */
interface Submission {
	csv: string;
	email: string;
	password: string;
}

/** @param url of the form @returns the text of the last page, once it shows `wanted` @throws Error with what is shown instead */
export async function submitForm(url: string, submission: Submission, wanted: RegExp) {
	const folder = await mkdtemp(path.join(os.tmpdir(), 'business-messaging-'));
	const file = path.join(folder, 'people.csv');
	await writeFile(file, submission.csv);
	const browser = await openBrowser({ ignoreHTTPSErrors: true });
	const page = await browser.newPage();
	try {
		await browser.unrouteAll();
		page.setDefaultTimeout(30_000);
		await page.goto(url);
		const chooser = page.locator('input[type=file]');
		const signIn = page.locator('input[type=password]');
		const allow = page.getByRole('button', { name: /^(allow|authorize|approve)/i });
		for (let stage = 0; stage < 3 && !(await chooser.isVisible()); stage++) {
			await chooser.or(signIn).or(allow).first().waitFor();
			if (await signIn.isVisible()) {
				await page.getByLabel('Email').fill(submission.email);
				await signIn.fill(submission.password);
				await page.getByRole('button', { name: 'Sign in' }).click();
				await signIn.waitFor({ state: 'hidden' });
			} else if (await allow.isVisible()) {
				await allow.click();
				await allow.waitFor({ state: 'hidden' });
			}
		}
		await chooser.setInputFiles(file);
		await page.locator('#submit-btn').click();
		await page.getByText(wanted).first().waitFor();
	} catch (error) {
		const shown = await page
			.locator('body')
			.innerText()
			.catch(() => '');
		throw new Error(`${page.url()} shows: ${shown.slice(0, 200)}`, { cause: error });
	} finally {
		await browser.browser()?.close();
		await rm(folder, { recursive: true, force: true });
	}
}
