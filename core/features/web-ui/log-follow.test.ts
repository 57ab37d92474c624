// test-timeout: 180
import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { test } from "uvu";
import { until } from "../../testing/guarantees/until.test-support.ts";
import { chatty } from "../../testing/web/chatty.test-support.ts";
import { startCuttingProxy } from "../../testing/web/cutting-proxy.test-support.ts";
import { assertClean, closeBrowser, type WebUnderTest, webTest, withWeb } from "../../testing/web/web.test-support.ts";

test.after(closeBrowser);

const options = { runners: [chatty()] };

/** An execution that goes on printing; its id. */
async function begin({ ask, signIn }: WebUnderTest, parameters: object): Promise<string> {
	const root = await signIn("root");
	await ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
	return String((await ask(root, "POST", "/v1/executions", { action: "default.chatty", parameters })).body["id"]);
}

/** Notes each line that the page has ever shown whole: its number and what it said, in the order in which they came. */
const noteLines = (page: Page) =>
	page.evaluate(`
		globalThis.seenLines = [];
		const look = () => {
			for (const { textContent } of document.querySelectorAll(".log-line"))
				if (!textContent.endsWith("…") && !seenLines.includes(textContent)) seenLines.push(textContent);
		};
		look();
		new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
	`);
const seenLines = (page: Page) => page.evaluate<readonly string[]>("seenLines");

webTest("lines show as they are printed, by the stream: nothing is asked again meanwhile", () =>
	withWeb(async (web) => {
		const id = await begin(web, { every: 20 });
		const page = await web.open("root", `/history/${id}/log`);
		await page.locator(".log-line", { hasText: "tick 10" }).first().waitFor();
		const asked: string[] = [];
		page.on("request", (request) => void asked.push(request.url()));
		await noteLines(page);
		await until("lines that were printed", 20, async () => (await seenLines(page)).length > 100 || undefined);
		assert.deepEqual(asked, []);
		await assertClean(page);
	}, options),
);

webTest("20 cut connections: every line is shown once and in order, and the page says that it is cut off", () =>
	withWeb(async (web) => {
		const id = await begin(web, { every: 10 });
		const proxy = await startCuttingProxy(web.urls.api);
		try {
			const page = await web.open("root", `/history/${id}/log`, proxy.url);
			await page.locator(".log-line", { hasText: "tick 5" }).first().waitFor();
			await noteLines(page);
			let cuts = 0;
			while (cuts < 20) {
				const shown = (await seenLines(page)).length;
				if (proxy.cut() > 0) cuts += 1;
				// Sometimes when it is connected again, sometimes before.
				if (cuts % 3 > 0) await until("a line behind the cut", 20, async () => (await seenLines(page)).length > shown || undefined);
			}
			await page.getByText("connection lost, trying again").waitFor();
			await page.locator(".live", { hasText: "live" }).waitFor();
			await web.ask(await web.signIn("root"), "DELETE", `/v1/executions/${id}`);
			await page.locator(".facts").getByText("canceled").waitFor();
			const whole = await page.evaluate(async (path) => (await fetch(path)).text(), `api/v1/executions/${id}/output`);
			const wanted = whole.trimEnd().split("\n");
			await page.getByText(`${wanted.length} lines`, { exact: true }).waitFor();
			await page
				.locator(".log-line", { hasText: wanted.at(-1) ?? "" })
				.first()
				.waitFor();
			const seen = await seenLines(page);
			assert.deepEqual(seen, [...new Set(seen)]);
			const expected = wanted.map((text, index) => `${index + 1}${text}`);
			assert.deepEqual(
				seen.filter((text) => !expected.includes(text)),
				[],
			);
			const numbers = seen.map((text) => Number(/^(\d+)tick/.exec(text)?.[1]));
			assert.deepEqual(
				numbers,
				[...numbers].sort((a, b) => a - b),
			);
			assert.equal(numbers.at(-1), wanted.length);
			await page.locator(".log").evaluate((element) => element.scrollTo(0, 0));
			await page.locator(".log-line", { hasText: /^1tick 1$/ }).waitFor();
		} finally {
			await proxy.close();
		}
	}, options),
);

test.run();
