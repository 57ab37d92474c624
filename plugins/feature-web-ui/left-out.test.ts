// test-timeout: 300
// test-suite: full
import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { test } from "uvu";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { openWithToken } from "../../core/testing/web/process-page.test-support.ts";
import { assertClean, assertFitsPhone, closeBrowser, goTo, webTest } from "../../core/testing/web/web.test-support.ts";
import { withSite } from "../_shipped/left-out.test-support.ts";

test.after(closeBrowser);

const coreTitles = [
	...["Start", "Executions", "Inquiries", "Events", "Actions", "Rules", "Packs", "Datastore", "Policies", "API keys", "Access", "Nodes"],
];

/** Addresses besides those of the navigation. */
const furtherAddresses = [
	...["/packs/hello", "/packs/hello?view=holds", "/packs/hello?view=configuration", "/packs/hello?view=files"],
	...["/packs?view=newer", "/packs?view=followed", "/packs?view=index"],
	...["/policies/hello.far", "/actions/hello.greet", "/rules/hello.greet", "/events/triggers", "/access/roles"],
];

/** Pages of features that are left out. */
const missingAddresses = ["/aliases", "/aliases/hello.hello", "/audit", "/workers", "/workers/far"];

/** Links in the navigation, by title. */
async function readNavigation(page: Page): Promise<ReadonlyMap<string, string>> {
	const links = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").all();
	const entries = links.map(
		async (link) => [String(await link.textContent()), String(await link.getAttribute("href")).replace(/^.*#/, "")] as const,
	);
	return new Map(await Promise.all(entries));
}

/** Collects the requests of a page for routes that the service does not have. */
function collectMissingRoutes(page: Page): string[] {
	const missing: string[] = [];
	page.on("response", async (response) => {
		if (![404, 405].includes(response.status())) return;
		const text = await response.text().catch(String);
		// The path of the index of packs is also that of a pack.
		if (/no route for|pack \\"index\\"/.test(text)) missing.push(`${response.request().method()} ${response.url()}: ${text}`);
	});
	return missing;
}

/** Goes to an address, and waits until everything has come that its page asks for. */
async function look(page: Page, address: string): Promise<void> {
	await goTo(page, address);
	await page.locator("main > *").first().waitFor();
	await until(`${address} without what is on its way`, 60, async () => (await page.locator(".loading").count()) === 0 || undefined);
}

webTest("the page offers nothing of features that the service does not have, and requests nothing of them", () =>
	withSite((site) =>
		site.serve({ features: ["webUi()"] }, async ({ api, token, client }) => {
			await client.executions.create({ action: "hello.greet" });
			const page = await openWithToken(api, "/", token);
			const missing = collectMissingRoutes(page);
			await page.getByRole("heading", { name: "Executions" }).waitFor();
			const navigation = await readNavigation(page);
			assert.deepEqual([...navigation.keys()], coreTitles);
			for (const address of [...navigation.values(), ...furtherAddresses]) {
				await page.setViewportSize({ width: 1280, height: 900 });
				await look(page, address);
				assert.equal(await page.getByRole("button", { name: /Install|Upgrade|Uninstall|Roll back|Check now/ }).count(), 0, address);
				assert.equal(await page.locator(".fault").count(), 0, address);
				await assertClean(page);
				await assertFitsPhone(page);
			}
			await look(page, "/packs");
			assert.equal(await page.getByRole("link", { name: /^(Updates|Followed in git|Index)$/ }).count(), 0);
			await page.keyboard.press("Control+k");
			const palette = page.getByRole("dialog");
			await palette.getByText("hello.greet").first().waitFor();
			await palette.getByRole("combobox").fill("a");
			assert.doesNotMatch(String(await palette.textContent()), /Aliases|Audit|Workers/);
			await assertClean(page);
			await page.keyboard.press("Escape");
			for (const address of missingAddresses) {
				await look(page, address);
				await page.getByText("This page does not exist").waitFor();
			}
			assert.deepEqual(missing, []);
		}),
	),
);

webTest("the page offers what belongs to the features that the service has", () =>
	withSite((site) =>
		site.serve({}, async ({ api, token }) => {
			const page = await openWithToken(api, "/packs", token);
			await page.getByRole("button", { name: "Install …" }).waitFor();
			for (const name of ["Updates", "Followed in git", "Index"]) await page.getByRole("link", { name, exact: true }).waitFor();
			const titles = [...(await readNavigation(page)).keys()];
			assert.deepEqual(titles.sort(), [...coreTitles, "Aliases", "Audit", "Workers"].sort());
			await look(page, "/packs/hello?view=holds");
			await page.getByRole("link", { name: "hello.hello" }).waitFor();
			await assertClean(page);
		}),
	),
);

test.run();
