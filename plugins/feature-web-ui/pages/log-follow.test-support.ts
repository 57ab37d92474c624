import * as assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { until } from "../../../core/testing/guarantees/until.test-support.ts";
import { chatty } from "../../../core/testing/web/chatty.test-support.ts";
import { type CuttingProxy, startCuttingProxy } from "../../../core/testing/web/cutting-proxy.test-support.ts";
import { assertClean, type WebUnderTest, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

const options = { runners: [chatty()] };

/** With an execution that prints a line each so many milliseconds, until `end` is called or the test is over. */
async function withTicks(
	{ ask, signIn }: WebUnderTest,
	every: number,
	body: (id: string, end: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
	const root = await signIn("root");
	await ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
	const { body: run } = await ask(root, "POST", "/v1/executions", { action: "default.chatty", parameters: { every } });
	const id = String(run["id"]);
	const end = () => ask(root, "DELETE", `/v1/executions/${id}`);
	try {
		await body(id, end);
	} finally {
		await end();
	}
}

/** Notes each line that the page has ever shown whole: its number and what it said, in the order in which they came; and whether it has said that it is cut off. */
const noteLines = (page: Page) =>
	page.evaluate(`
		globalThis.seenLines = [];
		globalThis.isCutOffSaid = false;
		const look = () => {
			isCutOffSaid ||= document.body.innerText.includes("connection lost, trying again");
			for (const { textContent } of document.querySelectorAll(".log-line"))
				if (!textContent.endsWith("…") && !seenLines.includes(textContent)) seenLines.push(textContent);
		};
		look();
		new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
	`);
const seenLines = (page: Page) => page.evaluate<readonly string[]>("seenLines");

webTest("lines show as they are printed, by the stream: nothing is asked again meanwhile", () =>
	withWeb(
		(web) =>
			withTicks(web, 20, async (id) => {
				const page = await web.open("root", `/history/${id}/log`);
				// Any of them: the page shows the end, and on a busy machine it comes late.
				await page.locator(".log-line", { hasText: "tick" }).first().waitFor();
				const asked: string[] = [];
				page.on("request", (request) => void asked.push(request.url()));
				await noteLines(page);
				await until("lines that were printed", 20, async () => (await seenLines(page)).length > 100 || undefined);
				assert.deepEqual(asked, []);
				await assertClean(page);
			}),
		options,
	),
);

/** Cut all connections eight times: sometimes when the log is connected again, sometimes before. */
async function cutOften(page: Page, proxy: CuttingProxy): Promise<void> {
	for (let cuts = 1; cuts <= 8; cuts += 1) {
		const shown = (await seenLines(page)).length;
		await until("a connection to cut", 20, () => proxy.cut() > 0 || undefined);
		if (cuts % 3 > 0) await until("a line behind the cut", 20, async () => (await seenLines(page)).length > shown || undefined);
	}
}

/** What the catching up has made too quick to be drawn is there as well. */
async function scrollThrough(page: Page, lines: number): Promise<void> {
	for (let line = 1; line <= lines; line += 25) {
		await page.locator(".log").evaluate((element, top) => element.scrollTo(0, top), (line - 1) * 18);
		await page.locator(".log-line", { hasText: new RegExp(`^${line}tick ${line}$`) }).waitFor();
	}
}

const byNumber = (one: string, other: string) => Number.parseInt(one, 10) - Number.parseInt(other, 10);

webTest("eight cut connections: every line is shown once and in order, and the page says that it is cut off", () =>
	withWeb(
		(web) =>
			withTicks(web, 10, async (id, end) => {
				const proxy = await startCuttingProxy(web.urls.api);
				try {
					const page = await web.open("root", `/history/${id}/log`, proxy.url);
					await page.locator(".log-line", { hasText: "tick 5" }).first().waitFor();
					await noteLines(page);
					await cutOften(page, proxy);
					// On a busy machine it may be connected again by now.
					await until("the page says so", 20, async () => (await page.evaluate<boolean>("isCutOffSaid")) || undefined);
					await page.locator(".live", { hasText: "live" }).waitFor();
					await end();
					await page.locator(".facts").getByText("canceled").waitFor();
					const whole = await page.evaluate(async (path) => (await fetch(path)).text(), `api/v1/executions/${id}/output`);
					const wanted = whole.trimEnd().split("\n");
					await page.getByText(`${wanted.length.toLocaleString("en")} lines`, { exact: true }).waitFor();
					await page.locator(".log-line", { hasText: `tick ${wanted.length}` }).waitFor();
					const expected = wanted.map((text, index) => `${index + 1}${text}`);
					const seen = await seenLines(page);
					assert.deepEqual(
						seen,
						expected.filter((line) => seen.includes(line)),
					);
					await scrollThrough(page, wanted.length);
					assert.deepEqual([...(await seenLines(page))].sort(byNumber), expected);
				} finally {
					await proxy.close();
				}
			}),
		options,
	),
);
