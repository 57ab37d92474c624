import type { Page } from "playwright-core";
import { launchBrowser } from "../../core/testing/web/browser.test-support.ts";
import type { Resource } from "./benchmark.ts";
import type { Service } from "./service.ts";

/** A page in a browser of its own. */
export interface BrowserPage extends Resource {
	readonly page: Page;
}

/** A page that nothing has been loaded into yet. */
export async function openBlank(): Promise<BrowserPage> {
	const browser = await launchBrowser();
	const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
	return { page, stop: () => browser.close() };
}

/** The web page of the service at an address behind the `#`, signed in as who measures. */
export async function openWebPage({ apiAddress, token }: Service, address: string): Promise<BrowserPage> {
	const opened = await openBlank();
	await opened.page.context().addCookies([{ name: "auth-token", value: token, url: apiAddress }]);
	await opened.page.goto(`${apiAddress}/#${address}`);
	return opened;
}
