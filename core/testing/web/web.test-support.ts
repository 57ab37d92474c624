import * as assert from "node:assert/strict";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { test } from "uvu";
import { type GuardedOptions, type GuardedService, withGuardedService } from "../http/guarded-service.test-support.ts";
import { requires } from "../test-requirements.ts";
import { assertAccessible } from "./axe.test-support.ts";
import { browserCommand, launchBrowser } from "./browser.test-support.ts";

/** `root` may do everything, `olga` may see everything, `ann` has what a test gives her. */
export type WebUser = "root" | "olga" | "ann";

/** A service with its web page, and a browser to look at it. */
export interface WebUnderTest extends GuardedService {
	/**
	 * A page at an address behind the `#`, signed in as somebody. Its errors and what its policy refused are collected. `origin`: where the
	 * service is reached, other than at its own address.
	 */
	open(user: WebUser, address?: string, origin?: string): Promise<Page>;
	/** A page where nobody has signed in. */
	openSignedOut(address?: string, origin?: string): Promise<Page>;
}

export interface WebOptions extends GuardedOptions {
	/** What `ann` may do. Default: nothing. */
	readonly grants?: NonNullable<NonNullable<GuardedOptions["rbac"]>["roles"]>[number]["permission_grants"];
}

/** A test that is skipped by name where there is no browser. */
export const { test: webTest } = requires(test, { command: browserCommand });

let browser: Promise<Browser> | undefined;

/** What went wrong in a page: errors, and what the content security policy refused. */
const problems = new WeakMap<Page, string[]>();

/** Starts a browser whose pages share one process, which an empty page keeps: most of what a page costs is the start of its process. */
async function launchShared(): Promise<Browser> {
	const launched = await launchBrowser(["--renderer-process-limit=1"]);
	await launched.newPage();
	return launched;
}

/** Closes the browser of the file. To be given to `test.after`. */
export async function closeBrowser(): Promise<void> {
	await (await browser)?.close();
	browser = undefined;
}

/** Run with a service with access control (`withGuardedService`), and with a browser. */
export async function withWeb(run: (web: WebUnderTest) => Promise<void>, { grants = [], ...options }: WebOptions = {}): Promise<void> {
	const rbac = {
		roles: [{ name: "given", permission_grants: grants }],
		assignments: [
			{ username: "olga", roles: ["observer"] },
			{ username: "ann", roles: ["given"] },
		],
	};
	await withGuardedService(
		async (service) => {
			const contexts: BrowserContext[] = [];
			const openAt = async (origin: string, address = "/", token?: string) => {
				const page = await openPage();
				contexts.push(page.context());
				if (token !== undefined) await page.context().addCookies([{ name: "auth-token", value: token, url: origin }]);
				await page.goto(`${origin}/#${address}`);
				return page;
			};
			try {
				await run({
					...service,
					openSignedOut: (address, origin = service.urls.api) => openAt(origin, address),
					async open(user, address, origin = service.urls.api) {
						// With the cookie that the form brings. The form has tests of its own, and takes as long as the page.
						const page = await openAt(origin, address, await service.signIn(user));
						await page.getByRole("button", { name: "Sign out" }).waitFor();
						return page;
					},
				});
			} finally {
				for (const each of contexts) await each.close();
			}
		},
		{ ...options, rbac: { ...rbac, ...options.rbac } },
	);
}

/** An empty page without cookies, in the browser of the file. Its errors and what its policy refused are collected. */
export async function openPage(): Promise<Page> {
	browser ??= launchShared();
	const fresh = await (await browser).newContext({ viewport: { width: 1280, height: 900 } });
	fresh.setDefaultTimeout(45_000);
	return watch(await fresh.newPage());
}

/** Fill in the form. */
export async function signInAs(page: Page, user: string): Promise<void> {
	await page.getByLabel("User").fill(user);
	await page.getByLabel("Password").fill(user);
	await page.getByRole("button", { name: "Sign in", exact: true }).click();
	await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** Go to another address behind the `#`. */
export async function goTo(page: Page, address: string): Promise<void> {
	await page.goto(page.url().replace(/#.*$/s, `#${address}`));
}

/** Nothing went wrong in the page, and axe finds nothing in it, light and dark. */
export async function assertClean(page: Page): Promise<void> {
	// Between two addresses the page is empty for a moment.
	await page.locator("h1").first().waitFor();
	await assertAccessible(page);
	assert.deepEqual(problems.get(page) ?? [], []);
}

/** At the width of a phone nothing of the page is beside what is seen; what is wide scrolls in a box of its own. */
export async function assertFitsPhone(page: Page): Promise<void> {
	await page.setViewportSize({ width: 360, height: 740 });
	const beside = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
	assert.ok(beside <= 0, `${beside} pixels are beside the page`);
}

/** Collect what goes wrong in a page. A request that is refused, comes too early, or whose connection is cut, is no error of the page. */
function watch(page: Page): Page {
	const list: string[] = [];
	problems.set(page, list);
	page.on("pageerror", (error) => list.push(String(error)));
	page.on("console", (message) => {
		const isRefusal = /^Failed to load resource: (the server responded with a status of (4\d\d|503)|net::ERR_)/.test(message.text());
		if (message.type() === "error" && !isRefusal) list.push(message.text());
	});
	return page;
}
