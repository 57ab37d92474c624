import * as assert from "node:assert/strict";
import { chatty, hostileText } from "../../../core/testing/web/chatty.test-support.ts";
import { assertClean, type WebUnderTest, webTest, withWeb } from "../../../core/testing/web/web.test-support.ts";

const options = { runners: [chatty()] };

/** An action that prints. */
async function withChatty({ ask, signIn }: WebUnderTest): Promise<string> {
	const root = await signIn("root");
	await ask(root, "POST", "/v1/actions", { name: "chatty", runner_type: "chatty" });
	return root;
}

webTest("runs appear as they happen, the address keeps what is looked at, and back leads back", () =>
	withWeb(async (web) => {
		const root = await withChatty(web);
		const page = await web.open("root", "/history");
		await page.getByText("Nothing has run yet").waitFor();
		await assertClean(page);
		await web.run(root, "default.chatty", { text: "hello\n" });
		const row = page.getByRole("row").filter({ hasText: "default.chatty" });
		await row.getByText("succeeded").waitFor();
		await web.run(root, "default.chatty", { fail: "broken" });
		await page.getByRole("cell", { name: "failed" }).waitFor();
		await page.getByRole("link", { name: "Failed", exact: true }).click();
		await page.getByRole("cell", { name: "succeeded" }).waitFor({ state: "detached" });
		await page.getByRole("cell", { name: "failed" }).waitFor();
		assert.match(page.url(), /#\/history\?status=failed$/);
		assert.equal(await page.getByRole("row").count(), 2);
		await assertClean(page);
		await page.goBack();
		await page.locator("tbody tr").nth(1).waitFor();
	}, options),
);

webTest("many are run again and canceled at once, where somebody may", () =>
	withWeb(async (web) => {
		const root = await withChatty(web);
		for (const name of ["one", "two"]) await web.run(root, "default.chatty", { text: name });
		const page = await web.open("root", "/history");
		await page.getByLabel("Choose all").check();
		await page.getByRole("button", { name: "Run 2 executions again" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Run 2 executions again" }).click();
		await page.locator("tbody tr").nth(3).waitFor();
		const viewer = await web.open("olga", "/history");
		await viewer.getByLabel("Choose all").check();
		assert.equal(await viewer.getByRole("button", { name: /again|Cancel/ }).count(), 0);
		const nobody = await web.open("ann", "/history");
		await nobody.getByRole("alert").getByText("execution_list").waitFor();
		assert.equal(await nobody.getByRole("link", { name: "Executions" }).count(), 0);
		await assertClean(nobody);
	}, options),
);

webTest("a failed run opens at what has failed, with its last lines; whatever it says is shown as text", () =>
	withWeb(async (web) => {
		const root = await withChatty(web);
		const id = await web.run(root, "default.chatty", { text: `before\n${hostileText}\n`, errors: "it broke\n", fail: hostileText });
		const page = await web.open("root", `/history/${id}/general`);
		await page.getByText("This execution failed").waitFor();
		await page.getByText("it broke").first().waitFor();
		await page.getByText("onerror").first().waitFor();
		assert.notEqual(await page.title(), "taken");
		await assertClean(page);
		await page.getByRole("button", { name: "Run with changes" }).click();
		await page.getByRole("button", { name: "Edit as JSON" }).click();
		const parameters = page.getByLabel("Parameters, as JSON");
		await parameters.fill('{"fail": "", "text": "mended"}');
		await page.getByRole("button", { name: "Run", exact: true }).click();
		await page.getByText("mended").first().waitFor();
		assert.notEqual(page.url().split("/").at(-2), id);
		await page.getByRole("link", { name: "States" }).click();
		await page.getByRole("cell", { name: "scheduled" }).waitFor();
		await assertClean(page);
	}, options),
);

webTest("a run is canceled by who may, and its page says so", () =>
	withWeb(
		async (web) => {
			const root = await withChatty(web);
			const { body } = await web.ask(root, "POST", "/v1/executions", { action: "default.chatty", parameters: { wait: true } });
			const page = await web.open("ann", `/history/${String(body["id"])}/general`);
			await page.getByRole("heading", { name: "default.chatty" }).waitFor();
			await page.getByRole("button", { name: "Run again" }).waitFor();
			await page.getByRole("button", { name: "Cancel" }).click();
			await page.getByRole("textbox", { name: "Reason" }).fill("it takes <b>too</b> long");
			await page.getByRole("button", { name: "Cancel the execution" }).click();
			await page.getByText("canceled").first().waitFor();
			await page.getByRole("link", { name: "States" }).click();
			await page.getByText("it takes <b>too</b> long").first().waitFor();
			await page.getByRole("cell", { name: /^ann token:[0-9a-f]{24}/ }).waitFor();
			const viewer = await web.open("olga", `/history/${String(body["id"])}/general`);
			await viewer.getByRole("heading", { name: "default.chatty" }).waitFor();
			assert.equal(await viewer.getByRole("button", { name: /Run|Cancel/ }).count(), 0);
		},
		{ ...options, grants: [{ resource_uid: "action:default:chatty", permission_types: ["action_view", "action_execute"] }] },
	),
);
