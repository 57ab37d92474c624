import type { Page } from "playwright-core";
import { openPage } from "./web.test-support.ts";

/** A page of a service in a process of its own, signed in with a token. */
export async function openWithToken(origin: string, address: string, token: string): Promise<Page> {
	const page = await openPage();
	await page.context().addCookies([{ name: "auth-token", value: token, url: origin }]);
	await page.goto(`${origin}/#${address}`);
	return page;
}
