import * as assert from "node:assert/strict";
import { test } from "uvu";
import { chatty } from "../../testing/web/chatty.test-support.ts";
import { assertClean, closeBrowser, webTest, withWeb } from "../../testing/web/web.test-support.ts";

test.after(closeBrowser);

webTest("a node tells what it does and what runs there; it is drained, and takes on work again", () =>
	withWeb(
		async (web) => {
			const root = await web.signIn("root");
			await web.ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
			const { body } = await web.ask(root, "POST", "/v1/executions", { action: "default.chatty", parameters: { wait: true } });
			const page = await web.open("root", "/nodes");
			await page.getByText("The node that answers you:").waitFor();
			await page.getByRole("cell", { name: "ready" }).waitFor();
			await assertClean(page);
			// On a telephone the navigation is wider than what is seen of it.
			await page.setViewportSize({ width: 360, height: 700 });
			await page.reload();
			await page.locator('nav[aria-label="Pages"] [aria-current]').waitFor();
			const box = await page.locator('nav[aria-label="Pages"] [aria-current]').boundingBox();
			assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
			await page.setViewportSize({ width: 1280, height: 900 });
			await page.locator("a.row-link").click();
			await page.getByRole("link", { name: "default.chatty" }).waitFor();
			await assertClean(page);
			await page.getByRole("button", { name: "Drain …" }).click();
			await assertClean(page);
			await page.getByRole("dialog").getByRole("button", { name: "Drain" }).click();
			await page.getByText("draining").first().waitFor();
			const { body: nodes } = await web.ask(root, "GET", "/v1/nodes");
			assert.equal((nodes as unknown as readonly { drain: boolean }[])[0]?.drain, true);
			await page.getByRole("link", { name: "Nodes" }).click();
			await page.getByText("not ready: draining").waitFor();
			await assertClean(page);
			await page.goBack();
			await page.getByRole("button", { name: "Take on work again" }).click();
			await page.getByRole("button", { name: "Drain …" }).waitFor();
			await web.ask(root, "DELETE", `/v1/executions/${body["id"]}`);
			await page.getByText("Nothing runs there").waitFor();
		},
		{ runners: [chatty()] },
	),
);

webTest("nodes are for administrators", () =>
	withWeb(async (web) => {
		const viewer = await web.open("olga", "/nodes");
		await viewer.getByRole("alert").getByText(/admin/).first().waitFor();
		assert.equal(await viewer.getByRole("link", { name: "Nodes" }).count(), 0);
		await assertClean(viewer);
	}),
);

test.run();
