import * as assert from "node:assert/strict";
import { chatty } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, type WebUnderTest, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";
import { inquirer } from "../../../plugins-runner/inquirer/index.ts";

const options = { runners: [chatty(), inquirer()] };

/** An action that prints. */
async function withChatty({ ask, signIn }: WebUnderTest): Promise<string> {
	const root = await signIn("root");
	await ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
	return root;
}

webTest("the start page tells what runs, what has failed and what waits for an answer, as it happens", () =>
	withWeb(async (web) => {
		const root = await withChatty(web);
		const page = await web.open("root");
		await page.getByText("Nothing has run yet").waitFor();
		assert.equal(await page.getByRole("region", { name: "Access control is off" }).count(), 0);
		await assertClean(page);
		await web.run(root, "default.chatty", { fail: "broken" });
		await page.getByRole("table", { name: "Recent failures" }).getByText("default.chatty").waitFor();
		const { body } = await web.ask(root, "POST", "/v1/executions", { action: "default.chatty", parameters: { wait: true } });
		try {
			await page.getByRole("table", { name: "Running now" }).getByText("default.chatty").waitFor();
			await web.ask(root, "POST", "/v1/actions", { name: "ask", runner_type: "inquirer" });
			await web.ask(root, "POST", "/v1/executions", { action: "default.ask", parameters: { route: "release", users: ["root"] } });
			await page.getByText("asks you").waitFor();
			await page.getByRole("link", { name: "1 hour" }).click();
			await page.getByRole("img", { name: /^Executions: 3 in total, 1 failed/ }).waitFor();
			await assertClean(page);
			await page.setViewportSize({ width: 390, height: 800 });
			assert.ok((await page.evaluate("document.documentElement.scrollWidth")) === 390);
			await assertClean(page);
		} finally {
			// The service waits for it when it stops.
			await web.ask(root, "DELETE", `/v1/executions/${String(body["id"])}`);
		}
		await page.getByText("No executions are running").waitFor();
	}, options),
);

webTest("whoever may see nothing is told so, and is offered nothing", () =>
	withWeb(async (web) => {
		const page = await web.open("ann");
		await page.getByText("You have no permission to list executions").waitFor();
		await page.keyboard.press("Control+k");
		const options = page.getByRole("dialog").getByRole("option");
		await options.first().waitFor();
		// Values of one's own, and what one may do, are anybody's.
		assert.deepEqual(await options.allInnerTexts(), ["Start\nPage", "Datastore\nPage", "Access\nPage"]);
		await assertClean(page);
	}),
);

webTest("the start page says that every user is an administrator while access control is off, and how to change it", () =>
	withWeb(
		async (web) => {
			const page = await web.open("ann");
			const notice = page.getByRole("region", { name: "Access control is off" });
			await notice.getByText("Every user is an administrator").waitFor();
			assert.match((await notice.textContent()) ?? "", /rbac\.enable: true/);
			await assertClean(page);
		},
		{ rbac: { enable: false } },
	),
);

webTest("the keyboard leads to pages, records and runs, and tells its keys", () =>
	withWeb(async (web) => {
		const root = await withChatty(web);
		const id = await web.run(root, "default.chatty", { text: "hello\n" });
		const page = await web.open("root");
		await page.keyboard.press("Control+k");
		const field = page.getByRole("dialog").getByRole("combobox");
		await field.fill("chatty");
		await page.getByRole("option", { name: /default\.chatty/ }).waitFor();
		await assertClean(page);
		await field.fill(id);
		await field.press("Enter");
		await page.getByRole("heading", { name: "default.chatty" }).waitFor();
		await page.keyboard.press("Control+k");
		await field.fill("zzz");
		await page.getByText("Nothing has this name").waitFor();
		await field.fill("exec");
		await field.press("ArrowUp");
		await field.press("ArrowDown");
		await field.press("Enter");
		await page.getByRole("heading", { name: "Executions", exact: true }).waitFor();
		await page.keyboard.press("/");
		await page.waitForFunction("document.activeElement.matches('search *')");
		await page.keyboard.press("?");
		assert.equal(await page.getByRole("dialog").count(), 0);
		await page.getByRole("heading", { name: "Executions", exact: true }).click();
		await page.locator("main").focus();
		await page.keyboard.press("?");
		await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
		await assertClean(page);
		await page.getByLabel("Enable shortcuts without Ctrl").uncheck();
		await page.keyboard.press("Escape");
		await page.locator("main").focus();
		await page.keyboard.press("?");
		await page.waitForTimeout(100);
		assert.equal(await page.getByRole("dialog").count(), 0);
	}, options),
);
